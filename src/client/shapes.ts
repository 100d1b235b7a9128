// biome-ignore-all format: made by client.test.ts from the routes, as large as it must be
/**
 * Which integers of the routes' answers are `bigint`. Made from the schemas: after a change of routes run
 * `npx vitest run src/client --update`.
 */
import type { Shape } from "./decode.ts";

const s0: Shape = { big: true };
const s1: Shape = { members: { "base-target": s0 } };
const s2: Shape = { members: { "amount": s0 } };
const s3: Shape = { items: s2 };
const s4: Shape = { members: { "value": s0 } };
const s5: Shape = { items: s4 };
const s6: Shape = { members: { "fee": s0, "timestamp": s0, "amount": s0, "transferCount": s0, "totalAmount": s0, "transfers": s3, "data": s5, "associationType": s0, "expires": s0, "statementType": s0, "effectiveFee": s0 } };
const s7: Shape = { items: s6 };
const s8: Shape = { members: { "basetarget": s0 } };
const s9: Shape = { members: { "timestamp": s0, "nxt-consensus": s1, "transactions": s7, "fee": s0, "burnedFees": s0, "miningReward": s0, "generatorReward": s0, "nxtconsensus": s8 } };
const s10: Shape = { items: s9 };
const s11: Shape = { members: { "fee": s0, "timestamp": s0, "amount": s0, "transferCount": s0, "totalAmount": s0, "transfers": s3, "data": s5, "associationType": s0, "expires": s0, "statementType": s0 } };
const s12: Shape = { items: s11 };
const s13: Shape = { members: { "timestamp": s0, "nxt-consensus": s1, "transactions": s12, "nxtconsensus": s8 } };
const s14: Shape = { members: { "delay": s0 } };
const s15: Shape = { members: { "timestamp": s0, "nxt-consensus": s1, "nxtconsensus": s8 } };
const s16: Shape = { items: s15 };
const s17: Shape = { members: { "type": s0 } };
const s18: Shape = { items: s17 };
const s19: Shape = { members: { "issues_roles": s18 } };
const s20: Shape = { members: { "balance": s0 } };
const s21: Shape = { members: { "regular": s0, "available": s0, "leasing": s0, "unbonding": s0, "effective": s0, "generating": s0 } };
const s22: Shape = { items: s20 };
const s23: Shape = { members: { "complexity": s0, "extraFee": s0 } };
const s24: Shape = { members: { "fee": s0, "timestamp": s0, "amount": s0, "transferCount": s0, "totalAmount": s0, "transfers": s3, "data": s5, "associationType": s0, "expires": s0, "statementType": s0, "lease": s11, "effectiveFee": s0 } };
const s25: Shape = { items: s24 };
const s26: Shape = { items: s25 };
const s27: Shape = { members: { "fee": s0, "timestamp": s0, "amount": s0, "transferCount": s0, "totalAmount": s0, "transfers": s3, "data": s5, "associationType": s0, "expires": s0, "statementType": s0, "lease": s11 } };
const s28: Shape = { items: s27 };
const s29: Shape = { members: { "feeAmount": s0 } };
const s30: Shape = { members: { "timestamp": s0, "transaction": s6 } };
const s31: Shape = { members: { "type": s0, "timestamp": s0, "expires": s0, "data": s5 } };
const s32: Shape = { items: s31 };
const s33: Shape = { members: { "outgoing": s32, "incoming": s32 } };
const s34: Shape = { members: { "notBefore": s0, "notAfter": s0 } };
const s35: Shape = { members: { "baseTarget": s0 } };
const s36: Shape = { members: { "initial": s0, "burned": s0, "total": s0 } };
const s37: Shape = { members: { "in": s0, "out": s0 } };
const s38: Shape = { items: s37 };
const s39: Shape = { members: { "supply": s0, "leased": s0 } };
const s40: Shape = { items: s39 };
const s41: Shape = { members: { "reward": s0 } };
const s42: Shape = { items: s41 };
const s43: Shape = { members: { "reward": s0, "generators": s42 } };
const s44: Shape = { members: { "reward": s0, "balance": s0 } };
const s45: Shape = { items: s44 };
const s46: Shape = { members: { "price": s0 } };
const s47: Shape = { members: { "price": s0, "next": s46 } };
const s48: Shape = { members: { "system": s0, "NTP": s0 } };
const s49: Shape = { members: { "updatedTimestamp": s0 } };
const s50: Shape = { members: { "nodeResponse": s49 } };
const s51: Shape = { members: { "data": s50 } };
const s52: Shape = { members: { "status": s49 } };
const s53: Shape = { members: { "lastSeen": s0 } };
const s54: Shape = { items: s53 };
const s55: Shape = { members: { "peers": s54 } };
const s56: Shape = { members: { "peerNonce": s0 } };
const s57: Shape = { items: s56 };
const s58: Shape = { members: { "peers": s57 } };
const s59: Shape = { members: { "timestamp": s0 } };
const s60: Shape = { items: s59 };
const s61: Shape = { members: { "in": s0, "out": s0, "unbonding": s0 } };
const s62: Shape = { members: { "balance": s0, "lease": s61 } };
const s63: Shape = { others: s0 };
const s64: Shape = { members: { "localScore": s0 } };
const s65: Shape = { members: { "scoreObserverStats": s64 } };
const s66: Shape = { members: { "miningBalance": s0, "timestamp": s0 } };
const s67: Shape = { items: s66 };

/** By route; a route without any is left out. */
export const shapes: Readonly<Record<string, Shape>> = {
  "GET /blocks/last": s9,
  "GET /blocks/first": s9,
  "GET /blocks/at/:height": s9,
  "GET /blocks/seq/:from/:to": s10,
  "GET /blocks/address/:address/:from/:to": s10,
  "GET /blocks/signature/:signature": s9,
  "GET /blocks/child/:signature": s13,
  "GET /blocks/delay/:signature/:blockNum": s14,
  "GET /blocks/headers/last": s15,
  "GET /blocks/headers/at/:height": s15,
  "GET /blocks/headers/seq/:from/:to": s16,
  "GET /trust/:address": s19,
  "GET /addresses/balance/:address": s20,
  "GET /addresses/balance/:address/:confirmations": s20,
  "GET /addresses/balance/details/:address": s21,
  "GET /addresses/balance/history/:address": s22,
  "GET /addresses/effectiveBalance/:address": s20,
  "GET /addresses/effectiveBalance/:address/:confirmations": s20,
  "GET /addresses/scriptInfo/:address": s23,
  "GET /addresses/data/:address": s5,
  "GET /addresses/data/:address/:key": s4,
  "GET /leasing/active/:address": s12,
  "POST /leasing/lease": s11,
  "POST /leasing/cancel": s11,
  "GET /transactions/address/:address": s26,
  "GET /transactions/addresses/:address": s25,
  "GET /transactions/info/:id": s24,
  "GET /transactions/unconfirmed": s28,
  "GET /transactions/unconfirmed/info/:id": s27,
  "POST /transactions/calculateFee": s29,
  "POST /transactions/broadcast": s11,
  "POST /transactions/sign": s11,
  "POST /transactions/submit": s11,
  "POST /transactions/submit/:type": s11,
  "GET /events": s30,
  "GET /associations/status/:address": s33,
  "GET /certificates/:address": s34,
  "GET /consensus/basetarget": s35,
  "GET /consensus/basetarget/:blockId": s35,
  "GET /consensus/generatingbalance/:address": s20,
  "GET /supply": s36,
  "GET /supply/at/:height": s36,
  "GET /stats/lease/:from/:to": s38,
  "GET /stats/supply/:from/:to": s40,
  "GET /stats/generators/:from/:to": s43,
  "GET /generators": s45,
  "GET /fees/status": s47,
  "GET /utils/time": s48,
  "POST /utils/script/compile": s23,
  "POST /utils/script/estimate": s23,
  "GET /node/status": s49,
  "GET /health": s51,
  "GET /node": s52,
  "GET /peers/all": s55,
  "GET /peers/connected": s58,
  "GET /peers/blacklisted": s60,
  "GET /peers/suspended": s60,
  "GET /debug/portfolios/:address": s62,
  "GET /debug/state": s63,
  "GET /debug/stateAtHeight/:height": s63,
  "GET /debug/info": s65,
  "GET /debug/minerInfo": s67,
};

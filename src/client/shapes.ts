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
const s17: Shape = { members: { "header": s15, "replacedBy": s15 } };
const s18: Shape = { members: { "timestamp": s0 } };
const s19: Shape = { items: s18 };
const s20: Shape = { members: { "since": s0, "reorganisations": s19 } };
const s21: Shape = { members: { "type": s0 } };
const s22: Shape = { items: s21 };
const s23: Shape = { members: { "roles": s22 } };
const s24: Shape = { items: s23 };
const s25: Shape = { members: { "accounts": s24 } };
const s26: Shape = { members: { "issues_roles": s22 } };
const s27: Shape = { members: { "balance": s0 } };
const s28: Shape = { members: { "regular": s0, "available": s0, "leasing": s0, "unbonding": s0, "effective": s0, "generating": s0 } };
const s29: Shape = { items: s27 };
const s30: Shape = { members: { "complexity": s0, "extraFee": s0 } };
const s31: Shape = { members: { "timestamp": s0, "regular": s0, "available": s0, "leasing": s0, "unbonding": s0, "effective": s0 } };
const s32: Shape = { items: s31 };
const s33: Shape = { members: { "fee": s0, "timestamp": s0, "amount": s0, "transferCount": s0, "totalAmount": s0, "transfers": s3, "data": s5, "associationType": s0, "expires": s0, "statementType": s0, "lease": s11, "effectiveFee": s0 } };
const s34: Shape = { items: s33 };
const s35: Shape = { items: s34 };
const s36: Shape = { members: { "fee": s0, "timestamp": s0, "amount": s0, "transferCount": s0, "totalAmount": s0, "transfers": s3, "data": s5, "associationType": s0, "expires": s0, "statementType": s0, "lease": s11 } };
const s37: Shape = { items: s36 };
const s38: Shape = { members: { "feeAmount": s0 } };
const s39: Shape = { members: { "timestamp": s0, "transaction": s6 } };
const s40: Shape = { members: { "type": s0, "timestamp": s0, "expires": s0, "data": s5 } };
const s41: Shape = { items: s40 };
const s42: Shape = { members: { "outgoing": s41, "incoming": s41 } };
const s43: Shape = { members: { "notBefore": s0, "notAfter": s0 } };
const s44: Shape = { members: { "baseTarget": s0 } };
const s45: Shape = { members: { "initial": s0, "burned": s0, "total": s0 } };
const s46: Shape = { members: { "in": s0, "out": s0 } };
const s47: Shape = { items: s46 };
const s48: Shape = { members: { "supply": s0, "leased": s0 } };
const s49: Shape = { items: s48 };
const s50: Shape = { members: { "reward": s0 } };
const s51: Shape = { items: s50 };
const s52: Shape = { members: { "reward": s0, "generators": s51 } };
const s53: Shape = { members: { "reward": s0, "balance": s0 } };
const s54: Shape = { items: s53 };
const s55: Shape = { members: { "due": s0, "balance": s0 } };
const s56: Shape = { items: s55 };
const s57: Shape = { members: { "timestamp": s0, "generators": s56 } };
const s58: Shape = { members: { "price": s0 } };
const s59: Shape = { members: { "price": s0, "next": s58 } };
const s60: Shape = { members: { "system": s0, "NTP": s0 } };
const s61: Shape = { members: { "updatedTimestamp": s0 } };
const s62: Shape = { members: { "startedAt": s0 } };
const s63: Shape = { members: { "nodeResponse": s61 } };
const s64: Shape = { members: { "data": s63 } };
const s65: Shape = { members: { "status": s61 } };
const s66: Shape = { members: { "lastSeen": s0 } };
const s67: Shape = { items: s66 };
const s68: Shape = { members: { "peers": s67 } };
const s69: Shape = { members: { "peerNonce": s0 } };
const s70: Shape = { items: s69 };
const s71: Shape = { members: { "peers": s70 } };
const s72: Shape = { members: { "in": s0, "out": s0, "unbonding": s0 } };
const s73: Shape = { members: { "balance": s0, "lease": s72 } };
const s74: Shape = { others: s0 };
const s75: Shape = { members: { "localScore": s0 } };
const s76: Shape = { members: { "scoreObserverStats": s75 } };
const s77: Shape = { members: { "miningBalance": s0, "timestamp": s0 } };
const s78: Shape = { items: s77 };

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
  "GET /blocks/reverted/:signature": s17,
  "GET /node/reorganisations": s20,
  "GET /trust": s25,
  "GET /trust/:address": s26,
  "GET /addresses/balance/:address": s27,
  "GET /addresses/balance/:address/:confirmations": s27,
  "GET /addresses/balance/details/:address": s28,
  "GET /addresses/balance/history/:address": s29,
  "GET /addresses/effectiveBalance/:address": s27,
  "GET /addresses/effectiveBalance/:address/:confirmations": s27,
  "GET /addresses/scriptInfo/:address": s30,
  "GET /addresses/data/:address": s5,
  "GET /addresses/data/:address/:key": s4,
  "GET /addresses/balance/changes/:address": s32,
  "GET /leasing/active/:address": s12,
  "POST /leasing/lease": s11,
  "POST /leasing/cancel": s11,
  "GET /transactions/newest": s34,
  "GET /transactions/address/:address": s35,
  "GET /transactions/addresses/:address": s34,
  "GET /transactions/info/:id": s33,
  "GET /transactions/unconfirmed": s37,
  "GET /transactions/unconfirmed/info/:id": s36,
  "POST /transactions/calculateFee": s38,
  "POST /transactions/broadcast": s11,
  "POST /transactions/sign": s11,
  "POST /transactions/submit": s11,
  "POST /transactions/submit/:type": s11,
  "GET /events": s39,
  "GET /associations/status/:address": s42,
  "GET /certificates/:address": s43,
  "GET /consensus/basetarget": s44,
  "GET /consensus/basetarget/:blockId": s44,
  "GET /consensus/generatingbalance/:address": s27,
  "GET /supply": s45,
  "GET /supply/at/:height": s45,
  "GET /stats/lease/:from/:to": s47,
  "GET /stats/supply/:from/:to": s49,
  "GET /stats/generators/:from/:to": s52,
  "GET /generators": s54,
  "GET /generators/due": s57,
  "GET /fees/status": s59,
  "GET /utils/time": s60,
  "POST /utils/script/compile": s30,
  "POST /utils/script/estimate": s30,
  "GET /node/status": s61,
  "GET /node/health": s18,
  "GET /node/resources": s62,
  "GET /health": s64,
  "GET /node": s65,
  "GET /peers/all": s68,
  "GET /peers/connected": s71,
  "GET /peers/blacklisted": s19,
  "GET /peers/suspended": s19,
  "GET /debug/portfolios/:address": s73,
  "GET /debug/state": s74,
  "GET /debug/stateAtHeight/:height": s74,
  "GET /debug/info": s76,
  "GET /debug/minerInfo": s78,
};

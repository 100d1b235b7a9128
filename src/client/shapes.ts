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
const s21: Shape = { members: { "versions": s19 } };
const s22: Shape = { members: { "type": s0 } };
const s23: Shape = { items: s22 };
const s24: Shape = { members: { "roles": s23 } };
const s25: Shape = { items: s24 };
const s26: Shape = { members: { "accounts": s25 } };
const s27: Shape = { members: { "issues_roles": s23 } };
const s28: Shape = { members: { "balance": s0 } };
const s29: Shape = { members: { "regular": s0, "available": s0, "leasing": s0, "unbonding": s0, "effective": s0, "generating": s0 } };
const s30: Shape = { items: s28 };
const s31: Shape = { members: { "complexity": s0, "extraFee": s0 } };
const s32: Shape = { members: { "timestamp": s0, "regular": s0, "available": s0, "leasing": s0, "unbonding": s0, "effective": s0 } };
const s33: Shape = { items: s32 };
const s34: Shape = { members: { "fee": s0, "timestamp": s0, "amount": s0, "transferCount": s0, "totalAmount": s0, "transfers": s3, "data": s5, "associationType": s0, "expires": s0, "statementType": s0, "lease": s11, "effectiveFee": s0 } };
const s35: Shape = { items: s34 };
const s36: Shape = { items: s35 };
const s37: Shape = { members: { "fee": s0, "timestamp": s0, "amount": s0, "transferCount": s0, "totalAmount": s0, "transfers": s3, "data": s5, "associationType": s0, "expires": s0, "statementType": s0, "lease": s11 } };
const s38: Shape = { items: s37 };
const s39: Shape = { members: { "feeAmount": s0 } };
const s40: Shape = { members: { "timestamp": s0, "transaction": s6 } };
const s41: Shape = { members: { "type": s0, "timestamp": s0, "expires": s0, "data": s5 } };
const s42: Shape = { items: s41 };
const s43: Shape = { members: { "outgoing": s42, "incoming": s42 } };
const s44: Shape = { members: { "notBefore": s0, "notAfter": s0 } };
const s45: Shape = { members: { "baseTarget": s0 } };
const s46: Shape = { members: { "initial": s0, "burned": s0, "total": s0 } };
const s47: Shape = { members: { "in": s0, "out": s0 } };
const s48: Shape = { items: s47 };
const s49: Shape = { members: { "supply": s0, "leased": s0 } };
const s50: Shape = { items: s49 };
const s51: Shape = { members: { "reward": s0 } };
const s52: Shape = { items: s51 };
const s53: Shape = { members: { "reward": s0, "generators": s52 } };
const s54: Shape = { members: { "reward": s0, "balance": s0 } };
const s55: Shape = { items: s54 };
const s56: Shape = { members: { "due": s0, "balance": s0 } };
const s57: Shape = { items: s56 };
const s58: Shape = { members: { "timestamp": s0, "generators": s57 } };
const s59: Shape = { members: { "price": s0 } };
const s60: Shape = { members: { "price": s0, "next": s59 } };
const s61: Shape = { members: { "system": s0, "NTP": s0 } };
const s62: Shape = { members: { "updatedTimestamp": s0 } };
const s63: Shape = { members: { "startedAt": s0 } };
const s64: Shape = { members: { "nodeResponse": s62 } };
const s65: Shape = { members: { "data": s64 } };
const s66: Shape = { members: { "status": s62 } };
const s67: Shape = { members: { "lastSeen": s0 } };
const s68: Shape = { items: s67 };
const s69: Shape = { members: { "peers": s68 } };
const s70: Shape = { members: { "peerNonce": s0 } };
const s71: Shape = { items: s70 };
const s72: Shape = { members: { "peers": s71 } };
const s73: Shape = { members: { "in": s0, "out": s0, "unbonding": s0 } };
const s74: Shape = { members: { "balance": s0, "lease": s73 } };
const s75: Shape = { others: s0 };
const s76: Shape = { members: { "localScore": s0 } };
const s77: Shape = { members: { "scoreObserverStats": s76 } };
const s78: Shape = { members: { "miningBalance": s0, "timestamp": s0 } };
const s79: Shape = { items: s78 };

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
  "GET /identities/:address/versions": s21,
  "GET /roles": s26,
  "GET /trust/:address": s27,
  "GET /addresses/balance/:address": s28,
  "GET /addresses/balance/:address/:confirmations": s28,
  "GET /addresses/balance/details/:address": s29,
  "GET /addresses/balance/history/:address": s30,
  "GET /addresses/effectiveBalance/:address": s28,
  "GET /addresses/effectiveBalance/:address/:confirmations": s28,
  "GET /addresses/scriptInfo/:address": s31,
  "GET /addresses/data/:address": s5,
  "GET /addresses/data/:address/:key": s4,
  "GET /addresses/balance/changes/:address": s33,
  "GET /leasing/active/:address": s12,
  "POST /leasing/lease": s11,
  "POST /leasing/cancel": s11,
  "GET /transactions/newest": s35,
  "GET /transactions/address/:address": s36,
  "GET /transactions/addresses/:address": s35,
  "GET /transactions/info/:id": s34,
  "GET /transactions/unconfirmed": s38,
  "GET /transactions/unconfirmed/info/:id": s37,
  "POST /transactions/calculateFee": s39,
  "POST /transactions/broadcast": s11,
  "POST /transactions/sign": s11,
  "POST /transactions/submit": s11,
  "POST /transactions/submit/:type": s11,
  "GET /events": s40,
  "GET /associations/status/:address": s43,
  "GET /certificates/:address": s44,
  "GET /consensus/basetarget": s45,
  "GET /consensus/basetarget/:blockId": s45,
  "GET /consensus/generatingbalance/:address": s28,
  "GET /supply": s46,
  "GET /supply/at/:height": s46,
  "GET /stats/lease/:from/:to": s48,
  "GET /stats/supply/:from/:to": s50,
  "GET /stats/generators/:from/:to": s53,
  "GET /generators": s55,
  "GET /generators/due": s58,
  "GET /fees/status": s60,
  "GET /utils/time": s61,
  "POST /utils/script/compile": s31,
  "POST /utils/script/estimate": s31,
  "GET /node/status": s62,
  "GET /node/health": s18,
  "GET /node/resources": s63,
  "GET /health": s65,
  "GET /node": s66,
  "GET /peers/all": s69,
  "GET /peers/connected": s72,
  "GET /peers/blacklisted": s19,
  "GET /peers/suspended": s19,
  "GET /debug/portfolios/:address": s74,
  "GET /debug/state": s75,
  "GET /debug/stateAtHeight/:height": s75,
  "GET /debug/info": s77,
  "GET /debug/minerInfo": s79,
};

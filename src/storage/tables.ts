/**
 * Every table of the store, with the bytes of keys and values. All numbers are big-endian. Amounts are signed 64-bit
 * integers. In the store, a key starts with the table's prefix byte.
 *
 * Prefixes: 0x01-0x0f the store itself, 0x10-0x2f chain, 0x30-0x4f ledger state, 0x50-0x7f indexes.
 */
import { decodeUtf8, encodeUtf8 } from "../bytes/utf8.ts";
import { ADDRESS_LENGTH } from "../crypto/addresses.ts";
import type { FeatureState } from "../ledger/state.ts";
import {
  bytesKeyCodec,
  bytesValue,
  int64Value,
  naturalValue,
  presenceValue,
  singletonKey,
  table,
} from "./codecs.ts";
import {
  addressHeightKey,
  addressPlaceKey,
  addressSerialKey,
  byteKey,
  heightKey,
  int16Key,
  placeKey,
  unitKey,
} from "./keys.ts";
import type { KeyCodec } from "./kv.ts";
import type { Counter } from "./lsm/counter.ts";
import { chunkKey, sortedRunsValue, treeKey } from "./lsm/layout.ts";
import type { LsmTree } from "./lsm/tree.ts";
import { unitPostingsValue } from "./postings/unit-postings.ts";
import { bodyValue, headerValue, microBlockValue, tipValue } from "./values/chain.ts";
import { dataEntryValue } from "./values/data-entry.ts";
import { structValue, u32 } from "./values/fields.ts";
import {
  addressEntryKey,
  addressPairKey,
  deactivationValue,
  firstSeenKeyValue,
  methodValue,
  rolesValue,
  serviceValue,
} from "./values/indexes.ts";
import {
  accountValue,
  amountsValue,
  associationStateValue,
  blockFactsValue,
  blockTotalsValue,
  heightsValue,
  leaseValue,
  recordedValue,
  scriptValue,
  unbondingValue,
} from "./values/ledger.ts";
import {
  pendingBalancesValue,
  rankedTransfersValue,
  rankingStateValue,
  transferListKey,
} from "./values/rankings.ts";
import { revertedOrderValue, revertedUnitValue } from "./values/reverted.ts";
import { fundsKey, fundsValue, sponsorListValue } from "./values/sponsors.ts";
import { dayAddressKey, daySumsValue, forgedSumsValue } from "./values/statistics.ts";

const textKey: KeyCodec<string> = { encode: encodeUtf8, decode: decodeUtf8 };

/** address(26), data key as UTF-16BE, which gives the order of page 05 §15.6. */
const dataKey: KeyCodec<{ readonly address: Uint8Array; readonly key: string }> = {
  encode({ address, key }) {
    const out = new Uint8Array(ADDRESS_LENGTH + 2 * key.length);
    out.set(address);
    for (let i = 0; i < key.length; i++) {
      const unit = key.charCodeAt(i);
      out[ADDRESS_LENGTH + 2 * i] = unit >>> 8;
      out[ADDRESS_LENGTH + 2 * i + 1] = unit;
    }
    return out;
  },
  decode(bytes) {
    let key = "";
    for (let i = ADDRESS_LENGTH; i < bytes.length; i += 2)
      key += String.fromCharCode(bytes[i] * 256 + bytes[i + 1]);
    return { address: bytes.subarray(0, ADDRESS_LENGTH), key };
  },
};

export const tables = {
  /**
   * name in UTF-8 -> bytes: "format" (u32 version), "network" (identity text in UTF-8), "owner" (`disk/lock.ts`),
   * "attempt" (written to test whether the disk is writable), "switch" (`chain/writing/switch-row.ts`), "index <name>"
   * (`chain/reading/index-states.ts`), "unchecked" (`chain/reading/unchecked.ts`), "reorganisations"
   * (`chain/reading/reorganisations.ts`); only during an upgrade: "upgraded from", "upgrade <step>" (`upgrade.ts`)
   */
  meta: table(0x01, "meta", textKey, bytesValue, { journaled: false }),
  /** height u32, sequence u16 -> previous value of every row that this unit changed (`batch/write-batch.ts`) */
  journal: table(0x02, "journal", unitKey, bytesValue, { journaled: false }),
  /**
   * height, sequence -> hash(32) of chain and ledger rows that the unit wrote (`batch/unit-digest.ts`). Written with
   * the unit's journal row, and removed when the unit is undone. Units stored before format 7 have no row
   */
  unitDigests: table(0x03, "unitDigests", unitKey, bytesValue, { journaled: false }),

  /** (one row) -> height u32, sequence u16, id: the newest block or micro block */
  tip: table(0x10, "tip", singletonKey, tipValue),
  /** height -> header of the block (id and signature of the newest total): `values/chain.ts` */
  headers: table(0x11, "headers", heightKey, headerValue),
  /** height, sequence -> transactions of this unit: count, lengths, bytes */
  bodies: table(0x12, "bodies", unitKey, bodyValue),
  /** height, sequence (from 1) -> micro block: total id, sender signature, arrival time, first position, count */
  microBlocks: table(0x13, "microBlocks", unitKey, microBlockValue),
  /** block id (also of each total of the liquid block) -> height u32, sequence u16 */
  blockIds: table(0x14, "blockIds", bytesKeyCodec, unitKey),
  /** height -> cumulative score, minimal big-endian bytes */
  score: table(0x15, "score", heightKey, naturalValue),
  /** generator(26), height -> no value */
  generatedBlocks: table(0x16, "generatedBlocks", addressHeightKey, presenceValue),
  /** height, sequence -> effective fee of each transaction of the unit, i64 each */
  effectiveFees: table(0x17, "effectiveFees", unitKey, amountsValue),
  /** (one row) -> the current checkpoint as received (page 03 §15), which is not part of a block */
  checkpoint: table(0x18, "checkpoint", singletonKey, bytesValue, { journaled: false }),
  /** id of a reverted unit, which may be on the chain again -> unit, data, parent: `values/reverted.ts` */
  revertedUnits: table(0x19, "revertedUnits", bytesKeyCodec, revertedUnitValue, { journaled: false }),
  /** serial u32 -> reverted unit and its size in bytes, in the order of reverting */
  revertedOrder: table(0x1a, "revertedOrder", heightKey, revertedOrderValue, { journaled: false }),

  /** (one row) -> height u32, persisted height u32 */
  heights: table(0x30, "heights", singletonKey, heightsValue),
  /**
   * address(26) -> height of the newest change u32, balance i64; then, unless all are zero: leased in, leased out,
   * unbonding i64. A sponsor always has all four amounts, then the number of accounts that it sponsors u32
   */
  accounts: table(0x31, "accounts", bytesKeyCodec, accountValue),
  /**
   * height, sequence -> for each address(26) whose account this unit changed, the new account: balance i64; then,
   * unless all are zero: leased in, leased out, unbonding i64
   */
  accountHistory: table(0x32, "accountHistory", unitKey, unitPostingsValue),
  /** lease id(32) -> lease: `values/ledger.ts` */
  leases: table(0x33, "leases", bytesKeyCodec, leaseValue),
  /** height -> (address(26), amount i64)...: released when the block of this height is persisted */
  unbondingDue: table(0x34, "unbondingDue", heightKey, unbondingValue),
  /** height, sequence -> (address(26), amount i64)...: unbonding started by this unit */
  unbondingStarted: table(0x35, "unbondingStarted", unitKey, unbondingValue),
  /** address(26) -> height of the change u32, script bytes; no bytes if the script was removed */
  scripts: table(0x36, "scripts", bytesKeyCodec, scriptValue),
  /** address(26), key in UTF-16BE -> type u8 and value */
  data: table(0x37, "data", dataKey, dataEntryValue),
  // Up to format 5, 0x38 was a table with the whole list of each account's sponsors.
  /** address(26) -> certificate as sent */
  certificates: table(0x39, "certificates", bytesKeyCodec, bytesValue),
  /** address(26), height, position -> id of an association transaction that this address sent */
  outgoingAssociations: table(0x3a, "outgoingAssociations", addressPlaceKey, bytesValue),
  /** address(26), height, position -> id of an association transaction to this address */
  incomingAssociations: table(0x3b, "incomingAssociations", addressPlaceKey, bytesValue),
  /** feature id i16 -> heights of approval and activation by votes, u32 each */
  features: table(0x3c, "features", int16Key, structValue<FeatureState>({ approved: u32, activated: u32 })),
  /** first height of the period -> fee price i64 */
  feePrices: table(0x3d, "feePrices", heightKey, int64Value),
  /** height -> timestamp, generator, fee vote, features of the block */
  blockFacts: table(0x3e, "blockFacts", heightKey, blockFactsValue),
  /** height -> totals of the block, including the burned amount of the chain: `values/ledger.ts` */
  blockTotals: table(0x3f, "blockTotals", heightKey, blockTotalsValue),
  /** height, position of a unit's first transaction -> id, time and effective sponsor of each of its transactions */
  recorded: table(0x40, "recorded", placeKey, recordedValue),
  /** sponsored address(26) -> serial u32 that its next sponsor will have, number of its sponsors u32 */
  sponsorLists: table(0x41, "sponsorLists", bytesKeyCodec, sponsorListValue),
  /** sponsored address(26), serial u32 -> address(26) of a sponsor; the newest sponsor has the highest serial */
  sponsors: table(0x42, "sponsors", addressSerialKey, bytesValue),
  /** sponsor(26), sponsored address(26) -> serial u32 of the sponsor */
  sponsorships: table(0x43, "sponsorships", addressPairKey, heightKey),
  /**
   * sender(26), BLAKE2b-256 of type, recipient and subject -> height u32, revoked u8, and the expiry i64 if it has one:
   * the state of an association after the newest block that issued or revoked it (page 05 §19)
   */
  associationStates: table(0x44, "associationStates", bytesKeyCodec, associationStateValue),
  /**
   * sponsored address(26), level u8, index u32 -> u32 with a bit for each taken slot; for each taken slot, the highest
   * spendable balance of its sponsors i64. At level 0, a slot belongs to a serial; at other levels, to a row of the
   * level below: `ledger/sponsors.ts`
   */
  sponsorFunds: table(0x45, "sponsorFunds", fundsKey, fundsValue),

  // Large indexes (`lsm/tree.ts`): entries of undone units remain, and readers skip them.

  /** tree id u8 -> its sorted runs: number, number of entries, merges in progress */
  sortedRuns: table(0x48, "sortedRuns", treeKey, sortedRunsValue, { journaled: false }),
  /** tree id u8, run u32, chunk u32 -> up to 512 sorted entries (`lsm/entry.ts`) */
  runChunks: table(0x49, "runChunks", chunkKey, bytesValue, { journaled: false }),
  /** tree id u8, run u32, chunk u32 -> first tag(8) of this chunk and of each following one, up to the next row */
  fencePointers: table(0x4a, "fencePointers", chunkKey, bytesValue, { journaled: false }),

  // Earlier formats used 0x50 and 0x52.
  /** height, sequence -> for each address(26) its listed transactions in the unit: position, type, time */
  addressTransactions: table(0x51, "addressTransactions", unitKey, unitPostingsValue),
  /** height, sequence -> for each hash that the unit anchors: positions of the transactions */
  anchors: table(0x53, "anchors", unitKey, unitPostingsValue),
  /** height, sequence -> for each key of mapped anchors of the unit: position, sender, value */
  mappedAnchors: table(0x54, "mappedAnchors", unitKey, unitPostingsValue),
  /** address(26) -> the first seen public key: key type u8, time i64, key */
  firstSeenKeys: table(0x55, "firstSeenKeys", bytesKeyCodec, firstSeenKeyValue),
  /** address(26), height u32, position u32 -> verification method or capability to deactivate, granted or revoked */
  didMethods: table(0x56, "didMethods", addressPlaceKey, methodValue),
  /** address(26), height u32, position u32, entry u8 -> service of a DID document, or its removal */
  didServices: table(0x57, "didServices", addressEntryKey, serviceValue),
  /** address(26) -> the deactivation of its DID: sender(26), time i64 */
  deactivations: table(0x58, "deactivations", bytesKeyCodec, deactivationValue),
  /** address(26) -> roles in the trust network: name, sender(26), association type i64 each */
  roles: table(0x59, "roles", bytesKeyCodec, rolesValue),
  /** parent(26), child(26) -> no value */
  associationChildren: table(0x5a, "associationChildren", addressPairKey, presenceValue),
  /** child(26), parent(26) -> no value */
  associationParents: table(0x5b, "associationParents", addressPairKey, presenceValue),
  /** height, sequence -> for each hash of a credential's id: position, type, sender, time of each statement */
  credentialStatements: table(0x5c, "credentialStatements", unitKey, unitPostingsValue),
  /** day u32 since 1970-01-01 UTC -> totals of its blocks: `values/statistics.ts` */
  daySums: table(0x5d, "daySums", heightKey, daySumsValue),
  /** day u32 -> bitmap of the accounts that sent transactions on that day (`indexes/statistics/senders.ts`) */
  daySenders: table(0x65, "daySenders", heightKey, bytesValue),
  /** day u32, address(26) -> blocks that the address forged on that day, and their rewards */
  dayForged: table(0x5e, "dayForged", dayAddressKey, forgedSumsValue),
  /** address(26) of a past forger -> blocks and rewards among the newest blocks (`indexes/generators/write.ts`) */
  forged: table(0x5f, "forged", bytesKeyCodec, forgedSumsValue),
  /** first hash byte of an address -> high balances (`indexes/richest/write.ts`): address(26), balance i64 each */
  richest: table(0x61, "richest", byteKey, bytesValue),
  /** (one row) -> number of accounts in `richest`, lowest balance that it accepts */
  richestState: table(0x62, "richestState", singletonKey, rankingStateValue),
  /** (one row) -> the first unit whose balances are not in `richest` yet, and the number of balances from this unit on */
  richestPending: table(0x66, "richestPending", singletonKey, pendingBalancesValue),
  /** list u32 (day, or all days), height, sequence -> large transfers of the unit: position u32, amount i64 each */
  largestTransfers: table(0x63, "largestTransfers", transferListKey, rankedTransfersValue),
  /** list u32 -> its length, lowest amount that it accepts (`indexes/largest/write.ts`) */
  transferLists: table(0x64, "transferLists", heightKey, rankingStateValue),
} as const;

export type TableName = keyof typeof tables;

export type CounterName = keyof typeof counters;

/** Counter tree ids differ from those in `lsmTrees`. Never reuse an id or a prefix. */
export const counters = {
  /** hash(20) of an address, type -> number of its transactions in the groups of page 07 §12.1 */
  listedTransactions: { name: "listedTransactions", prefix: 0x60, tree: { id: 32 } },
} as const satisfies Record<string, Counter>;

/** Trees of `lsm/tree.ts`. Never reuse an id. */
export const lsmTrees = {
  /** transaction id -> its places, including those in undone units */
  transactionIds: { id: 1 },
  accountHistory: { id: 2 },
  addressTransactions: { id: 16 },
  anchors: { id: 17 },
  mappedAnchors: { id: 18 },
  credentialStatements: { id: 19 },
} as const satisfies Record<string, LsmTree>;

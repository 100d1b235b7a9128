/**
 * Every table of the store: key and value, byte by byte. All numbers big-endian; "sized" is a varint length
 * and the bytes; amounts are signed 64-bit integers. A key starts with the table's prefix byte in the store.
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
import { addressHeightKey, addressPlaceKey, heightKey, int16Key, placeKey, unitKey } from "./keys.ts";
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
import { revertedOrderValue, revertedUnitValue } from "./values/reverted.ts";
import { fundsKey, fundsValue, sponsorListValue } from "./values/sponsors.ts";
import { dayAddressKey, daySumsValue, forgedSumsValue } from "./values/statistics.ts";

/** Text keys of the store's own facts. */
const textKey: KeyCodec<string> = { encode: encodeUtf8, decode: decodeUtf8 };

/** address(26), data key as UTF-16BE: the order of an account's entries is that of page 05 §15.6. */
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
  // --- the store itself

  /** name in UTF-8 -> bytes: "format" (u32 version), "network" (identity text in UTF-8), "owner"
   * (`lock.ts`), "attempt" (written when it was to be found out whether the disk can be written), "switch" (how to come back from an unfinished switch of branches: `chain/writing/switch-row.ts`), "index <name>" (which units an index holds: `chain/reading/index-states.ts`)
   */
  meta: table(0x01, "meta", textKey, bytesValue, { journaled: false }),
  /** height u32, sequence u16 -> previous values of every row that this unit changed (`write-batch.ts`) */
  journal: table(0x02, "journal", unitKey, bytesValue, { journaled: false }),

  // --- chain

  /** (one row) -> height u32, sequence u16, id: the newest block or micro block; absent while there is none */
  tip: table(0x10, "tip", singletonKey, tipValue),
  /** height -> the header of the block as it stands (id and signature of the newest total): `values/chain.ts` */
  headers: table(0x11, "headers", heightKey, headerValue),
  /** height, sequence -> transactions of this key block or micro block: count, lengths, bytes one behind the other */
  bodies: table(0x12, "bodies", unitKey, bodyValue),
  /** height, sequence (from 1) -> micro block: total id, sender signature, arrival time, first position, count */
  microBlocks: table(0x13, "microBlocks", unitKey, microBlockValue),
  /** block id (those of totals of the liquid block too) -> height u32, sequence u16 */
  blockIds: table(0x14, "blockIds", bytesKeyCodec, unitKey),
  /** height -> cumulative score, minimal big-endian bytes */
  score: table(0x15, "score", heightKey, naturalValue),
  /** generator(26), height -> nothing */
  generatedBlocks: table(0x16, "generatedBlocks", addressHeightKey, presenceValue),
  /** height, sequence -> effective fee of each transaction of the unit, i64 each */
  effectiveFees: table(0x17, "effectiveFees", unitKey, amountsValue),
  /** (one row) -> the checkpoint in force, as it came: page 03 §15; no block's effect, so never undone */
  checkpoint: table(0x18, "checkpoint", singletonKey, bytesValue, { journaled: false }),
  /**
   * id of a unit that left the chain -> the unit with all that belongs to it, and the unit that it stood upon
   * (`values/reverted.ts`); it may have come back since. Kept for a while: `chain/writing/reverted-log.ts`
   */
  revertedUnits: table(0x19, "revertedUnits", bytesKeyCodec, revertedUnitValue, { journaled: false }),
  /** serial u32 -> which unit left the chain, in the order in which they did, and bytes */
  revertedOrder: table(0x1a, "revertedOrder", heightKey, revertedOrderValue, { journaled: false }),

  // --- ledger state

  /** (one row) -> height u32, persisted height u32 */
  heights: table(0x30, "heights", singletonKey, heightsValue),
  /**
   * address(26) -> height of the newest change u32, balance i64, then unless all zero: leased in, out, unbonding i64. Of
   * an account that sponsors others all four amounts, then the number of accounts that it sponsors u32
   */
  accounts: table(0x31, "accounts", bytesKeyCodec, accountValue),
  /**
   * height, sequence -> for each address(26) whose account this unit changed: the account behind it, balance i64, then
   * unless all zero leased in, out, unbonding i64. The newest unit of a height says how an account stood at its end.
   * Found by the entries of the same name: `postings/inverted-index.ts`
   */
  accountHistory: table(0x32, "accountHistory", unitKey, unitPostingsValue),
  /** lease id(32) -> active, height, amount, sender, recipient, sender key: `values/ledger.ts` */
  leases: table(0x33, "leases", bytesKeyCodec, leaseValue),
  /** height -> (address(26), amount i64)...: released when the block of this height is persisted */
  unbondingDue: table(0x34, "unbondingDue", heightKey, unbondingValue),
  /** height, sequence -> (address(26), amount i64)...: what the transactions of this unit put into unbonding */
  unbondingStarted: table(0x35, "unbondingStarted", unitKey, unbondingValue),
  /** address(26) -> height of the change u32, script bytes (none: removed) */
  scripts: table(0x36, "scripts", bytesKeyCodec, scriptValue),
  /** address(26), key in UTF-16BE -> type u8 and value */
  data: table(0x37, "data", dataKey, dataEntryValue),
  // 0x38 held the whole list of an account's sponsors up to format 5.
  /** address(26) -> certificate as sent; absent: none */
  certificates: table(0x39, "certificates", bytesKeyCodec, bytesValue),
  /** address(26), height, position -> id of an association transaction that this address sent */
  outgoingAssociations: table(0x3a, "outgoingAssociations", addressPlaceKey, bytesValue),
  /** address(26), height, position -> id of an association transaction that names this address as recipient */
  incomingAssociations: table(0x3b, "incomingAssociations", addressPlaceKey, bytesValue),
  /** feature id i16 -> heights of approval and activation by votes, u32 each */
  features: table(0x3c, "features", int16Key, structValue<FeatureState>({ approved: u32, activated: u32 })),
  /** first height of the period -> fee price i64 */
  feePrices: table(0x3d, "feePrices", heightKey, int64Value),
  /** height -> timestamp, generator, fee vote, features of the block */
  blockFacts: table(0x3e, "blockFacts", heightKey, blockFactsValue),
  /** height -> sums over the block, burned so far among them: `values/ledger.ts` */
  blockTotals: table(0x3f, "blockTotals", heightKey, blockTotalsValue),
  /** height, position of the first -> id, timestamp and effective sponsor of each transaction of a unit */
  recorded: table(0x40, "recorded", placeKey, recordedValue),
  /** sponsored address(26) -> serial of its next sponsor u32, number of its sponsors u32; absent: none */
  sponsorLists: table(0x41, "sponsorLists", bytesKeyCodec, sponsorListValue),
  /** sponsored address(26), serial u32 -> address(26) of a sponsor: the highest serial is the newest sponsor */
  sponsors: table(0x42, "sponsors", addressHeightKey, bytesValue),
  /** sponsor(26), sponsored address(26) -> serial u32 of the sponsor in the list of the sponsored account */
  sponsorships: table(0x43, "sponsorships", addressPairKey, heightKey),
  /**
   * sender(26), BLAKE2b-256 of type, recipient and subject -> height u32, revoked u8 (0: issued, 1: revoked), expiry i64
   * unless none: the state of an association after the newest block that names it (page 05 §19)
   */
  associationStates: table(0x44, "associationStates", bytesKeyCodec, associationStateValue),
  /**
   * sponsored address(26), level u8, index u32 -> taken slots of 32 as bits u32, i64 for each of them: the highest
   * spendable balance of the sponsors below that slot. A slot of level 0 is a serial; one of a higher level is a row of the
   * level below: `sponsors.ts`
   */
  sponsorFunds: table(0x45, "sponsorFunds", fundsKey, fundsValue),

  // --- look-ups of large volume (`lsm/tree.ts`): what is undone stays behind and is passed over

  /** tree id u8 -> its sorted runs: number, entries, compactions in progress */
  sortedRuns: table(0x48, "sortedRuns", treeKey, sortedRunsValue, { journaled: false }),
  /** tree id u8, run u32, chunk u32 -> up to 512 entries(16) in order: tag(8), height u32, position u32 */
  runChunks: table(0x49, "runChunks", chunkKey, bytesValue, { journaled: false }),
  /** tree id u8, run u32, chunk u32 -> first tag(8) of that chunk and of those after it, up to the next such row */
  fencePointers: table(0x4a, "fencePointers", chunkKey, bytesValue, { journaled: false }),

  // --- indexes (`indexes/`); value layouts in `values/indexes.ts`

  /** height, sequence -> for each address(26) the transactions of the unit that list it: place, type, time */
  addressTransactions: table(0x51, "addressTransactions", unitKey, unitPostingsValue),
  /** height, sequence -> for each hash that transactions of the unit anchor: their positions */
  anchors: table(0x53, "anchors", unitKey, unitPostingsValue),
  /** height, sequence -> for each key of mapped anchors of the unit: position, sender, value */
  mappedAnchors: table(0x54, "mappedAnchors", unitKey, unitPostingsValue),
  /** address(26) -> the public key as first seen: key type u8, time i64, key */
  firstSeenKeys: table(0x55, "firstSeenKeys", bytesKeyCodec, firstSeenKeyValue),
  /** address(26), height u32, position u32 -> verification method or power to deactivate, given or revoked */
  didMethods: table(0x56, "didMethods", addressPlaceKey, methodValue),
  /** address(26), height u32, position u32, entry u8 -> service of a DID document, or its removal */
  didServices: table(0x57, "didServices", addressEntryKey, serviceValue),
  /** address(26) -> who deactivated its DID and when: sender(26), time i64 */
  deactivations: table(0x58, "deactivations", bytesKeyCodec, deactivationValue),
  /** address(26) -> roles in the trust network: name, sender(26), association type i64 each */
  roles: table(0x59, "roles", bytesKeyCodec, rolesValue),
  /** parent(26), child(26) -> nothing: pairs of associated addresses */
  associationChildren: table(0x5a, "associationChildren", addressPairKey, presenceValue),
  /** child(26), parent(26) -> nothing: the same pairs the other way round */
  associationParents: table(0x5b, "associationParents", addressPairKey, presenceValue),
  /** height, sequence -> for each hash of a credential's id that transactions of the unit state something of: position, type, sender, time */
  credentialStatements: table(0x5c, "credentialStatements", unitKey, unitPostingsValue),
  /** day u32 since 1970-01-01 UTC -> what its blocks come to: `values/statistics.ts` */
  daySums: table(0x5d, "daySums", heightKey, daySumsValue),
  /** day u32, address(26) -> blocks that it forged on that day, and its rewards for them */
  dayForged: table(0x5e, "dayForged", dayAddressKey, forgedSumsValue),
  /** address(26) that ever forged -> blocks and rewards among the newest blocks (`indexes/generators/write.ts`) */
  forged: table(0x5f, "forged", bytesKeyCodec, forgedSumsValue),
} as const;

export type TableName = keyof typeof tables;

export type CounterName = keyof typeof counters;

/** Numbers by key (`counters.ts`). Their trees are among those below: never reuse an id, nor a prefix. */
export const counters = {
  /** address without version, chain and checksum (20) -> by type, the transactions that groups of page 07 §12.1 list for it */
  listedTransactions: { name: "listedTransactions", prefix: 0x60, tree: { id: 32 } },
} as const satisfies Record<string, Counter>;

/** Look-ups from 8 bytes to places on the chain (`lsm/tree.ts`). Never reuse an id. */
export const lsmTrees = {
  /** transaction id -> every place where it is, or was, included */
  transactionIds: { id: 1 },
  /** address -> every unit that changes its account, or changed it */
  accountHistory: { id: 2 },

  // Those of `postings/all.ts`, ids from 16 on.

  /** address -> every unit that has, or had, transactions listed for it */
  addressTransactions: { id: 16 },
  /** anchored hash -> every unit that anchors it, or did */
  anchors: { id: 17 },
  /** key of mapped anchors -> every unit that has, or had, values under it */
  mappedAnchors: { id: 18 },
  /** credential -> every unit that has, or had, statements about it */
  credentialStatements: { id: 19 },
} as const satisfies Record<string, LsmTree>;

/** The look-ups whose rows are units (`unit-index.ts`). */
import { fastHash } from "../crypto/hashes.ts";
import { TAG_LENGTH } from "./entries.ts";
import { entryIndexes, tables } from "./tables.ts";
import { addressTag, type UnitIndex } from "./unit-index.ts";

export const unitIndexes = {
  /** address -> its account at the end of the heights at which it changed: `accountPointValue` */
  accountHistory: {
    entries: entryIndexes.accountHistory,
    table: tables.accountHistory,
    tag: addressTag,
  },
  /** address -> its transactions, one behind the other: `putListed` */
  addressTransactions: {
    entries: entryIndexes.addressTransactions,
    table: tables.addressTransactions,
    tag: addressTag,
  },
  /** anchored hash -> positions of the transactions that anchor it: `positionsValue` */
  anchors: { entries: entryIndexes.anchors, table: tables.anchors, tag: hashTag },
  /** key of mapped anchors -> the values under it: `mappedPairsValue` */
  mappedAnchors: { entries: entryIndexes.mappedAnchors, table: tables.mappedAnchors, tag: hashTag },
} as const satisfies Record<string, UnitIndex>;

/** What is anchored need not be a hash: anyone may anchor any bytes, many that begin alike among them. */
function hashTag(bytes: Uint8Array): Uint8Array {
  return fastHash(bytes).subarray(0, TAG_LENGTH);
}

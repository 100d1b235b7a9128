import { fastHash } from "../../crypto/hashes.ts";
import { TAG_LENGTH } from "../lsm/tree.ts";
import { lsmTrees, tables } from "../tables.ts";
import { addressTag, type InvertedIndex } from "./inverted-index.ts";

export const invertedIndexes = {
  /** address -> its account after each unit that changed it: `accountPointValue` */
  accountHistory: {
    tree: lsmTrees.accountHistory,
    table: tables.accountHistory,
    tag: addressTag,
  },
  /** Address -> its transactions: `writeListed` */
  addressTransactions: {
    tree: lsmTrees.addressTransactions,
    table: tables.addressTransactions,
    tag: addressTag,
  },
  /** Anchored hash -> positions of the transactions that anchor it: `positionsValue` */
  anchors: { tree: lsmTrees.anchors, table: tables.anchors, tag: hashTag },
  /** Key of mapped anchors -> the values under it: `mappedPairsValue` */
  mappedAnchors: { tree: lsmTrees.mappedAnchors, table: tables.mappedAnchors, tag: hashTag },
  /** Hash of a credential's id -> the statements about it: `credentialStatementsValue` */
  credentialStatements: {
    tree: lsmTrees.credentialStatements,
    table: tables.credentialStatements,
    tag: hashTag,
  },
} as const satisfies Record<string, InvertedIndex>;

/** Hashes a key, because anyone can anchor many keys with the same first bytes. */
function hashTag(bytes: Uint8Array): Uint8Array {
  return fastHash(bytes).subarray(0, TAG_LENGTH);
}

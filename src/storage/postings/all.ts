import { fastHash } from "../../crypto/hashes.ts";
import { lsmTrees, tables } from "../tables.ts";
import { addressTag, type InvertedIndex } from "./inverted-index.ts";

export const invertedIndexes = {
  /** Address -> account after each change: `accountPointValue` */
  accountHistory: {
    tree: lsmTrees.accountHistory,
    table: tables.accountHistory,
    tag: addressTag,
  },
  /** Address -> transactions: `writeListed` */
  addressTransactions: {
    tree: lsmTrees.addressTransactions,
    table: tables.addressTransactions,
    tag: addressTag,
  },
  /** Anchored hash -> positions of transactions: `positionsValue` */
  anchors: { tree: lsmTrees.anchors, table: tables.anchors, tag: hashTag },
  /** Key of mapped anchors -> anchored values: `mappedPairsValue` */
  mappedAnchors: { tree: lsmTrees.mappedAnchors, table: tables.mappedAnchors, tag: hashTag },
  /** Hash of a credential's id -> statements: `credentialStatementsValue` */
  credentialStatements: {
    tree: lsmTrees.credentialStatements,
    table: tables.credentialStatements,
    tag: hashTag,
  },
} as const satisfies Record<string, InvertedIndex>;

/** Hashes a key, because anyone can anchor many keys with the same first bytes. */
function hashTag(bytes: Uint8Array): Uint8Array {
  return fastHash(bytes);
}

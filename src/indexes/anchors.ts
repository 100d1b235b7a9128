import { bytesKey } from "../bytes/compare.ts";
import type { AnchorInfo, MappedAnchorInfo } from "../interfaces.ts";
import { anchorPrefix } from "../storage/index-codecs.ts";
import type { Reader, Writer } from "../storage/kv.ts";
import { tables } from "../storage/tables.ts";
import type { ConfiguredIndex, StoredTransaction, StoredUnit } from "./index.ts";

/** Whose transactions an index takes: nobody's, those of accounts with a role, or all. Page 07 §4.2. */
export type IndexMode = "none" | "trust" | "all";

/**
 * Anchored hashes: every occurrence of every anchor, and of every (key, value) pair of mapped anchors.
 * Page 07 §7.1, §18.4. The value of a mapped anchor is an anchor too, its key is not.
 *
 * @param hasRole whether an account holds a role by page 07 §9.2, for the mode `trust`, which works `together` with
 * the trust index only
 */
export function anchorIndex(
  mode: IndexMode = "all",
  hasRole: (reader: Reader, address: Uint8Array) => boolean = () => false,
): ConfiguredIndex {
  return {
    name: "anchors",
    configuration: { text: mode, tables: ["anchors", "mappedAnchors"] },
    apply(writer, unit) {
      if (mode === "none") return;
      for (const entry of unit.transactions) {
        const { transaction } = entry;
        if (transaction.type !== 15 && transaction.type !== 22) continue;
        if (mode === "trust" && !hasRole(writer, transaction.senderAddress)) continue;
        if (transaction.type === 15) {
          enter(writer, unit, entry, transaction.anchors);
        } else {
          enter(
            writer,
            unit,
            entry,
            transaction.anchors.map(([, value]) => value),
          );
          for (const [key, value] of transaction.anchors) {
            writer.insert(
              tables.mappedAnchors,
              { hash: key, height: unit.height, position: entry.position },
              { transactionId: entry.id, sender: transaction.senderAddress, value },
            );
          }
        }
      }
    },
  };
}

/** Values of a mapped anchor may repeat; a hash has one row for each transaction. */
function enter(
  writer: Writer,
  unit: StoredUnit,
  entry: StoredTransaction,
  hashes: readonly Uint8Array[],
): void {
  const seen = new Set<string>();
  for (const hash of hashes) {
    const text = bytesKey(hash);
    if (seen.has(text)) continue;
    seen.add(text);
    writer.insert(tables.anchors, { hash, height: unit.height, position: entry.position }, entry.id);
  }
}

/** Where a hash was anchored first. Page 07 §7.1: the first transaction wins. */
export function anchorOf(reader: Reader, hash: Uint8Array): AnchorInfo | undefined {
  const prefix = anchorPrefix(hash);
  if (prefix === undefined) return undefined;
  for (const [{ height, position }, transactionId] of reader.range(tables.anchors, { prefix, limit: 1 })) {
    return { transactionId, height, position };
  }
  return undefined;
}

/** All pairs anchored under a key, newest first. Page 07 §7.7, with every occurrence kept (§15, BUG-17). */
export function mappedAnchorsOf(reader: Reader, key: Uint8Array): readonly MappedAnchorInfo[] {
  const prefix = anchorPrefix(key);
  if (prefix === undefined) return [];
  const pairs: MappedAnchorInfo[] = [];
  for (const [{ height, position }, pair] of reader.range(tables.mappedAnchors, { prefix, reverse: true })) {
    pairs.push({ ...pair, height, position });
  }
  return pairs;
}

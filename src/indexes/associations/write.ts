import { bytesEqual, bytesKey } from "../../bytes/compare.ts";
import type { Reader, Writer } from "../../storage/kv.ts";
import { tables } from "../../storage/tables.ts";
import { definitionOf } from "../../transactions/index.ts";
import { type ConfiguredIndex, indexInSteps } from "../chain-index.ts";
import type { ActiveIndexMode } from "../modes.ts";
import { hasRoleGrant } from "../trust/roles.ts";

/**
 * Indexes pairs of associated addresses, regardless of type, subject and expiry. Page 07 §10.1. In the mode `trust`,
 * this index must follow the trust index in a `compositeIndex`.
 */
export function associatedAddressIndex(mode: ActiveIndexMode = "all"): ConfiguredIndex {
  return indexInSteps({ names: ["associations"], text: mode }, function* (writer, unit) {
    for (const { transaction } of unit.transactions) {
      const { association } = definitionOf(transaction);
      if (association === undefined) continue;
      const { senderAddress: parent } = transaction;
      const { recipient: child } = association.terms(transaction);
      if (mode === "trust" && !hasRoleGrant(writer, parent)) continue;
      if (association.revokes) {
        removePair(writer, parent, child);
        yield* removeDescendants(writer, child);
      } else {
        writer.put(tables.associationChildren, { first: parent, second: child }, true);
        writer.put(tables.associationParents, { first: child, second: parent }, true);
      }
    }
  });
}

function removePair(writer: Writer, parent: Uint8Array, child: Uint8Array): void {
  writer.remove(tables.associationChildren, { first: parent, second: child });
  writer.remove(tables.associationParents, { first: child, second: parent });
}

/** A step takes a few milliseconds. */
const PAIRS_PER_STEP = 256;

/**
 * Removes the outgoing pairs of an address, then those of their recipients, and so on, visiting each address
 * once. Page 07 §10.1, §15 (BUG-9). Yields between steps.
 */
function* removeDescendants(writer: Writer, root: Uint8Array): Generator<void, void> {
  const visited = new Set([bytesKey(root)]);
  const pending = [root];
  let processed = 0;
  for (let parent = pending.pop(); parent !== undefined; parent = pending.pop()) {
    if (++processed % PAIRS_PER_STEP === 0) yield;
    let after: Uint8Array | undefined;
    for (;;) {
      const children = childrenOf(writer, parent, after, PAIRS_PER_STEP);
      for (const child of children) {
        removePair(writer, parent, child);
        const key = bytesKey(child);
        if (!visited.has(key)) {
          visited.add(key);
          pending.push(child);
        }
        if (++processed % PAIRS_PER_STEP === 0) yield;
      }
      if (children.length < PAIRS_PER_STEP) break;
      after = children.at(-1);
    }
  }
}

function childrenOf(
  reader: Reader,
  parent: Uint8Array,
  after: Uint8Array | undefined,
  limit: number,
): Uint8Array[] {
  const children: Uint8Array[] = [];
  for (const child of pairedAddresses(reader, tables.associationChildren, parent, after)) {
    children.push(child);
    if (children.length >= limit) break;
  }
  return children;
}

/** Yields the addresses paired with `first` that follow `after`. */
export function* pairedAddresses(
  reader: Reader,
  table: typeof tables.associationChildren,
  first: Uint8Array,
  after: Uint8Array | undefined,
): Generator<Uint8Array> {
  const from = after === undefined ? {} : { from: { first, second: after } };
  for (const [{ second }] of reader.range(table, { prefix: first, ...from }))
    if (after === undefined || !bytesEqual(second, after)) yield second.slice();
}

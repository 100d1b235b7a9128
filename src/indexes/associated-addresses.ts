import { bytesEqual, bytesKey } from "../bytes/compare.ts";
import type { AddressListPlace, ListPage } from "../interfaces.ts";
import type { Reader, Writer } from "../storage/kv.ts";
import { tables } from "../storage/tables.ts";
import { definitionOf } from "../transactions/index.ts";
import type { TakingMode } from "./anchors.ts";
import type { ConfiguredIndex } from "./chain-index.ts";
import { wasGivenRole } from "./trust.ts";

/**
 * Pairs of associated addresses, whatever the type, subject or expiry of the association. Page 07 §10.1.
 * The mode `trust` works `compositeIndex` with the trust index only, and behind it.
 */
export function associatedAddressIndex(mode: TakingMode = "all"): ConfiguredIndex {
  return {
    configuration: { names: ["associations"], text: mode },
    apply(writer, unit) {
      for (const { transaction } of unit.transactions) {
        const { association } = definitionOf(transaction);
        if (association === undefined) continue;
        const { senderAddress: parent } = transaction;
        const { recipient: child } = association.terms(transaction);
        if (mode === "trust" && !wasGivenRole(writer, parent)) continue;
        if (association.revokes) {
          removePair(writer, parent, child);
          cutOff(writer, child);
        } else {
          writer.put(tables.associationChildren, { first: parent, second: child }, true);
          writer.put(tables.associationParents, { first: child, second: parent }, true);
        }
      }
    },
  };
}

function removePair(writer: Writer, parent: Uint8Array, child: Uint8Array): void {
  writer.remove(tables.associationChildren, { first: parent, second: child });
  writer.remove(tables.associationParents, { first: child, second: parent });
}

/** Removes all outgoing pairs of an address, of their recipients, and so on; cycles end. §10.1, §15 (BUG-9). */
function cutOff(writer: Writer, root: Uint8Array): void {
  const seen = new Set([bytesKey(root)]);
  const waiting = [root];
  for (let parent = waiting.pop(); parent !== undefined; parent = waiting.pop()) {
    for (const child of childrenOf(writer, parent)) {
      removePair(writer, parent, child);
      const key = bytesKey(child);
      if (seen.has(key)) continue;
      seen.add(key);
      waiting.push(child);
    }
  }
}

function childrenOf(reader: Reader, parent: Uint8Array): Uint8Array[] {
  // Read to the end first: the rows are removed while their addresses are worked off.
  return [...reader.range(tables.associationChildren, { prefix: parent })].map(([pair]) =>
    pair.second.slice(),
  );
}

/**
 * Children and parents of an address, each in ascending order of the texts. Page 07 §10.2.
 * @param page of both, children first; all unless given
 */
export function associatedAddressesOf(
  reader: Reader,
  address: Uint8Array,
  page?: ListPage<AddressListPlace>,
): { readonly children: readonly Uint8Array[]; readonly parents: readonly Uint8Array[] } {
  const { after, offset = 0, limit = Number.POSITIVE_INFINITY } = page ?? {};
  const children: Uint8Array[] = [];
  const parents: Uint8Array[] = [];
  const inChildren = after?.list === "parents" ? undefined : after?.address;
  const inParents = after?.list === "parents" ? after.address : undefined;
  let seen = 0;
  const take = (found: Uint8Array[], all: Iterable<Uint8Array>): void => {
    if (seen >= offset + limit) return;
    for (const one of all) {
      if (++seen > offset) found.push(one.slice());
      if (seen >= offset + limit) return;
    }
  };
  if (after?.list !== "parents")
    take(children, secondOf(reader, tables.associationChildren, address, inChildren));
  take(parents, secondOf(reader, tables.associationParents, address, inParents));
  return { children, parents };
}

/** The addresses tied to another one, behind one of them. */
function* secondOf(
  reader: Reader,
  table: typeof tables.associationChildren,
  first: Uint8Array,
  after: Uint8Array | undefined,
): Generator<Uint8Array> {
  const from = after === undefined ? {} : { from: { first, second: after } };
  for (const [{ second }] of reader.range(table, { prefix: first, ...from }))
    if (after === undefined || !bytesEqual(second, after)) yield second;
}

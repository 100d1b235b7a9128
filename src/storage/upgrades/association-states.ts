/** Format 5 had no row that says whether an association exists. They follow from the transactions of the chain. */
import type { AssociationEvent } from "../../ledger/state.ts";
import {
  definitionByType,
  definitionOf,
  type NetworkRules,
  parseTransactionAgain,
  transactionId,
} from "../../transactions/index.ts";
import { enterAssociation } from "../association-states.ts";
import { heightKey } from "../codecs.ts";
import type { Reader } from "../kv.ts";
import { tables } from "../tables.ts";
import { transactionsOf } from "../values/chain.ts";
import type { WriteBatch } from "../write-batch.ts";
import type { Upgraded } from "./upgraded.ts";

/** The store's own fact that says from which height on the rows are missing. */
const NEXT_HEIGHT = "upgrade association states";
/** How many association transactions one commit enters, but for the rest of a block. */
const EVENTS_AT_ONCE = 5_000;

/**
 * Enters the rows block by block, and into the journal of each unit what undoes them. Each commit says where to go on,
 * so that an upgrade that was killed neither enters a block twice nor leaves one out.
 * @param atOnce how many association transactions one commit enters, but for the rest of a block
 */
export function enterAssociationStates(store: Upgraded, atOnce = EVENTS_AT_ONCE): void {
  const next = store.get(tables.meta, NEXT_HEIGHT);
  const heights = heightsWithAssociations(store, next === undefined ? 0 : heightKey.decode(next));
  for (let height = heights.next(); height.done !== true; )
    store.write((batch) => {
      for (let events = 0; height.done !== true && events < atOnce; height = heights.next()) {
        events += enterBlock(batch, height.value.height, height.value.network);
        batch.put(tables.meta, NEXT_HEIGHT, heightKey.encode(height.value.height + 1));
      }
    });
}

/** Removes the note of where to go on: part of the commit that ends the upgrade, or a start would enter all again. */
export function endAssociationStates(batch: WriteBatch): void {
  batch.remove(tables.meta, NEXT_HEIGHT);
}

/** A block that has association transactions. */
interface FoundBlock {
  readonly height: number;
  readonly network: NetworkRules;
}

/** In the order of the chain. Their lists are by account: a bit for each height puts them in order. */
function* heightsWithAssociations(reader: Reader, from: number): Generator<FoundBlock, undefined> {
  const last = reader.get(tables.heights, undefined)?.height ?? 0;
  const found = new Uint8Array((last >>> 3) + 1);
  let network: NetworkRules | undefined;
  for (const [{ address, height }] of reader.range(tables.outgoingAssociations)) {
    found[height >>> 3] |= 1 << (height & 7);
    // The second byte of an address is the chain id; no association depends on whether there are payments.
    network ??= { chainId: address[1], payment: true };
  }
  if (network === undefined) return undefined;
  for (let height = from; height <= last; height++)
    if ((found[height >>> 3] & (1 << (height & 7))) !== 0) yield { height, network };
  return undefined;
}

/** @returns how many association transactions the block has */
function enterBlock(batch: WriteBatch, height: number, network: NetworkRules): number {
  const atHeight = { from: { height, sequence: 0 }, to: { height: height + 1, sequence: 0 } };
  let count = 0;
  // Read to the end first: what is entered is written to the same batch.
  for (const [unit, body] of [...batch.range(tables.bodies, atHeight)]) {
    const events = eventsOf(transactionsOf(body), network);
    count += events.length;
    if (events.length === 0) continue;
    batch.amendUnit(unit, [tables.associationStates], () => {
      for (const event of events) enterAssociation(batch, event, height);
    });
  }
  return count;
}

function eventsOf(transactions: readonly Uint8Array[], network: NetworkRules): AssociationEvent[] {
  const events: AssociationEvent[] = [];
  for (const bytes of transactions) {
    // Its type stands in front, in the newer forms behind a zero: page 02 §3.
    const type = bytes[0] === 0 ? bytes[1] : bytes[0];
    if (definitionByType(type, network)?.association === undefined) continue;
    const transaction = parseTransactionAgain(bytes, network);
    const { association } = definitionOf(transaction);
    if (association === undefined) continue;
    const terms = association.terms(transaction);
    const { revokes } = association;
    events.push({ sender: transaction.senderAddress, id: transactionId(transaction), terms, revokes });
  }
  return events;
}

import type { AssociationEvent } from "../../ledger/state.ts";
import {
  definitionByType,
  definitionOf,
  type NetworkRules,
  reparseTransaction,
  transactionId,
} from "../../transactions/index.ts";
import type { WriteBatch } from "../batch/write-batch.ts";
import { heightKey } from "../keys.ts";
import type { Reader } from "../kv.ts";
import { updateAssociationState } from "../ledger/association-states.ts";
import { tables } from "../tables.ts";
import { transactionsOf } from "../values/chain.ts";
import type { UpgradableStore, UpgradeLimits } from "./upgradable-store.ts";

const PROGRESS_KEY = "upgrade association states";

/** Upgrades format 5 to 6: adds rows of `associationStates` from the chain's transactions, and amends the journal. */
export function* addAssociationStates(
  store: UpgradableStore,
  limits: Pick<UpgradeLimits, "events">,
): Generator<string, void> {
  const next = store.get(tables.meta, PROGRESS_KEY);
  const blocks = blocksWithAssociations(store, next === undefined ? 0 : heightKey.decode(next));
  for (let block = blocks.next(); block.done !== true; ) {
    let updatedTo = 0;
    store.write((batch) => {
      for (let events = 0; block.done !== true && events < limits.events; block = blocks.next()) {
        updatedTo = block.value.height;
        events += updateStatesOfBlock(batch, updatedTo, block.value.network);
      }
      batch.put(tables.meta, PROGRESS_KEY, heightKey.encode(updatedTo + 1));
    });
    yield `associations, block ${updatedTo}`;
  }
}

/** Call this in the last commit of the upgrade. */
export function removeAssociationProgress(batch: WriteBatch): void {
  batch.remove(tables.meta, PROGRESS_KEY);
}

interface FoundBlock {
  readonly height: number;
  readonly network: NetworkRules;
}

function* blocksWithAssociations(reader: Reader, from: number): Generator<FoundBlock, undefined> {
  const last = reader.get(tables.heights, undefined)?.height ?? 0;
  const hasAssociations = new Uint8Array((last >>> 3) + 1);
  let network: NetworkRules | undefined;
  for (const [{ address, height }] of reader.range(tables.outgoingAssociations)) {
    hasAssociations[height >>> 3] |= 1 << (height & 7);
    // The second byte of an address is the chain id.
    network ??= { chainId: address[1], payment: true };
  }
  if (network === undefined) return undefined;
  for (let height = from; height <= last; height++)
    if ((hasAssociations[height >>> 3] & (1 << (height & 7))) !== 0) yield { height, network };
  return undefined;
}

function updateStatesOfBlock(batch: WriteBatch, height: number, network: NetworkRules): number {
  const atHeight = { from: { height, sequence: 0 }, to: { height: height + 1, sequence: 0 } };
  let count = 0;
  // Read all rows first, because the loop writes to the batch.
  for (const [unit, body] of [...batch.range(tables.bodies, atHeight)]) {
    const events = eventsOf(transactionsOf(body), network);
    count += events.length;
    if (events.length === 0) continue;
    batch.amendUnit(unit, [tables.associationStates], () => {
      for (const event of events) updateAssociationState(batch, event, height);
    });
  }
  return count;
}

function eventsOf(transactions: readonly Uint8Array[], network: NetworkRules): AssociationEvent[] {
  const events: AssociationEvent[] = [];
  for (const bytes of transactions) {
    // The first byte is the type or, in newer layouts, 0. Then the type is the second byte: page 02 §3.
    const type = bytes[0] === 0 ? bytes[1] : bytes[0];
    if (definitionByType(type, network)?.association === undefined) continue;
    const transaction = reparseTransaction(bytes, network);
    const { association } = definitionOf(transaction);
    if (association === undefined) continue;
    const terms = association.terms(transaction);
    const { revokes } = association;
    events.push({ sender: transaction.senderAddress, id: transactionId(transaction), terms, revokes });
  }
  return events;
}

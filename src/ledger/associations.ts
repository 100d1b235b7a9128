/**
 * Which associations are in force. Lists are folded from the transactions when asked; whether a single one exists
 * follows from its state, which is one row. Page 05 §19.
 */
import { bytesKey } from "../bytes/compare.ts";
import type { DataEntry } from "../transactions/data-entry.ts";
import { type AssociationTerms, definitionOf, type Transaction } from "../transactions/index.ts";
import type { AssociationDirection, AssociationEvent, AssociationState, LedgerView } from "./state.ts";

/** An association in force. */
export interface Association {
  readonly sender: Uint8Array;
  readonly type: bigint;
  readonly recipient: Uint8Array;
  readonly subject: Uint8Array | undefined;
  /** Of the block that holds it, ms; while that is liquid: of the last persisted block, plus 1. */
  readonly timestamp: bigint;
  readonly expires: bigint | undefined;
  readonly data: readonly DataEntry[];
  /** Of the transaction from which on it is in force without a break. */
  readonly height: number;
  readonly position: number;
}

/** What folding needs of the chain. */
export interface AssociationReader {
  readonly height: number;
  readonly persistedHeight: number;
  associations(address: Uint8Array, direction: AssociationDirection): Iterable<Uint8Array>;
  blockFacts(height: number): { readonly timestamp: bigint } | undefined;
  /** The newest inclusion of a transaction. */
  transaction(
    id: Uint8Array,
  ): { readonly height: number; readonly position: number; readonly transaction: Transaction } | undefined;
}

/** An issue, or a revocation. */
interface Event {
  readonly timestamp: bigint;
  readonly sender: Uint8Array;
  readonly revokes: boolean;
  readonly terms: AssociationTerms;
  readonly height: number;
  readonly position: number;
}

/** The associations of an address in force, in the order in which their keys first came up. */
export function associationsOf(
  reader: AssociationReader,
  address: Uint8Array,
  direction: AssociationDirection,
): readonly Association[] {
  const now = reader.blockFacts(reader.persistedHeight)?.timestamp ?? 0n;
  const persisted: Event[] = [];
  const liquid: Event[] = [];
  for (const id of reader.associations(address, direction)) {
    const found = reader.transaction(id);
    if (found === undefined) continue;
    const { height, position, transaction } = found;
    const { association } = definitionOf(transaction);
    if (association === undefined) continue;
    const { revokes } = association;
    const terms = association.terms(transaction);
    const event = { sender: transaction.senderAddress, revokes, terms, height, position };
    if (height > reader.persistedHeight) {
      liquid.push({ timestamp: now + 1n, ...event });
      continue;
    }
    const timestamp = reader.blockFacts(height)?.timestamp;
    if (timestamp !== undefined) persisted.push({ timestamp, ...event });
  }
  const inForce = new Map<string, Association>();
  fold(inForce, persisted, now);
  fold(inForce, liquid, now + 1n);
  return [...inForce.values()];
}

/** What `isAssociated` reads. */
export type AssociationStates = Pick<LedgerView, "persistedHeight" | "blockFacts" | "associationState">;

/**
 * Returns true if revoking would end an association: the REST interface asks this before it accepts a revocation
 * (page 05 §22.4). The answer is the same as looking for the association in `associationsOf`, but it costs one look-up,
 * or two if the association expires: requests get here that name any sender and have no proofs.
 */
export function isAssociated(
  view: AssociationStates,
  sender: Uint8Array,
  revocation: AssociationTerms,
): boolean {
  const state = view.associationState(sender, revocation);
  if (state === undefined || state.revoked) return false;
  if (state.expires === undefined) return true;
  const { persistedHeight } = view;
  const now = view.blockFacts(persistedHeight)?.timestamp ?? 0n;
  // What the liquid block issues is judged by that block's own time, which counts as 1 ms after the persisted block's.
  return state.expires > (state.height > persistedHeight ? now + 1n : now);
}

/**
 * Returns the state of an association after a transaction of the block at `height`. Only the newest block counts, since
 * block timestamps strictly increase (page 03 §8.3). Within that block a revocation beats every issue.
 * @param before the state after the transaction before it, of the same or an older block
 */
export function associationStateAfter(
  before: AssociationState | undefined,
  { terms, revokes }: AssociationEvent,
  height: number,
): AssociationState {
  if (revokes) return { height, revoked: true, expires: undefined };
  if (before?.revoked === true && before.height === height) return before;
  // In the bytes of a transaction an expiry of 0 means none.
  return { height, revoked: false, expires: terms.expires === 0n ? undefined : terms.expires };
}

/** Within one block every issue precedes every revocation, whatever their order there. */
function fold(inForce: Map<string, Association>, events: readonly Event[], now: bigint): void {
  const ordered = [...events].sort(
    (a, b) => compare(a.timestamp, b.timestamp) || Number(a.revokes) - Number(b.revokes),
  );
  for (const { timestamp, sender, revokes, terms, ...place } of ordered) {
    const key = keyOf(terms);
    const { associationType: type, recipient, subject, expires, data = [] } = terms;
    if (revokes || (expires !== undefined && expires <= now)) inForce.delete(key);
    else {
      const { height, position } = inForce.get(key) ?? place;
      inForce.set(key, { sender, type, recipient, subject, timestamp, expires, data, height, position });
    }
  }
}

/** The sender is no part of it, which shows in incoming lists; a missing subject differs from an empty one. */
function keyOf(terms: AssociationTerms): string {
  const subject = terms.subject === undefined ? "" : `:${bytesKey(terms.subject)}`;
  return `${terms.associationType}:${bytesKey(terms.recipient)}${subject}`;
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

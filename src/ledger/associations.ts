/** Active associations, computed on demand from issues and revocations. Page 05 §19. */
import { bytesKey } from "../bytes/compare.ts";
import type { DataEntry } from "../transactions/data-entry.ts";
import { type AssociationTerms, definitionOf, type Transaction } from "../transactions/index.ts";
import type { AssociationDirection, AssociationEvent, AssociationState, LedgerView } from "./state.ts";

export interface Association {
  readonly sender: Uint8Array;
  readonly type: bigint;
  readonly recipient: Uint8Array;
  readonly subject: Uint8Array | undefined;
  /** Timestamp of the block, ms; for the liquid block, 1 ms after the last persisted block. */
  readonly timestamp: bigint;
  readonly expires: bigint | undefined;
  readonly data: readonly DataEntry[];
  /** Height and position of the transaction since which the association has always been active. */
  readonly height: number;
  readonly position: number;
}

export interface AssociationReader {
  readonly height: number;
  readonly persistedHeight: number;
  associations(address: Uint8Array, direction: AssociationDirection): Iterable<Uint8Array>;
  blockFacts(height: number): { readonly timestamp: bigint } | undefined;
  transaction(
    id: Uint8Array,
  ): { readonly height: number; readonly position: number; readonly transaction: Transaction } | undefined;
}

interface TimedEvent {
  readonly timestamp: bigint;
  readonly sender: Uint8Array;
  readonly revokes: boolean;
  readonly terms: AssociationTerms;
  readonly height: number;
  readonly position: number;
}

/** Returns an address's active associations, in the order in which they became active. */
export function associationsOf(
  reader: AssociationReader,
  address: Uint8Array,
  direction: AssociationDirection,
): readonly Association[] {
  const now = reader.blockFacts(reader.persistedHeight)?.timestamp ?? 0n;
  const persisted: TimedEvent[] = [];
  const liquid: TimedEvent[] = [];
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
  const active = new Map<string, Association>();
  applyEvents(active, persisted, now);
  applyEvents(active, liquid, now + 1n);
  return [...active.values()];
}

export type AssociationStateView = Pick<LedgerView, "persistedHeight" | "blockFacts" | "associationState">;

/** Returns true if a revocation would end an active association (page 05 §22.4). Costs at most two lookups. */
export function isAssociated(
  view: AssociationStateView,
  sender: Uint8Array,
  revocation: AssociationTerms,
): boolean {
  const state = view.associationState(sender, revocation);
  if (state === undefined || state.revoked) return false;
  if (state.expires === undefined) return true;
  const { persistedHeight } = view;
  const now = view.blockFacts(persistedHeight)?.timestamp ?? 0n;
  // The liquid block counts as 1 ms newer than the last persisted block.
  return state.expires > (state.height > persistedHeight ? now + 1n : now);
}

/**
 * Returns an association's state after an event in the block at `height`. The event overrides those of lower blocks,
 * because block timestamps strictly increase (page 03 §8.3). Within a block, a revocation overrides every issue.
 */
export function associationStateAfter(
  before: AssociationState | undefined,
  { terms, revokes }: AssociationEvent,
  height: number,
): AssociationState {
  if (revokes) return { height, revoked: true, expires: undefined };
  if (before?.revoked === true && before.height === height) return before;
  // In transaction bytes, 0 means that the association does not expire.
  return { height, revoked: false, expires: terms.expires === 0n ? undefined : terms.expires };
}

/** Applies a block's issues before its revocations. */
function applyEvents(active: Map<string, Association>, events: readonly TimedEvent[], now: bigint): void {
  const ordered = [...events].sort(
    (a, b) => compare(a.timestamp, b.timestamp) || Number(a.revokes) - Number(b.revokes),
  );
  for (const { timestamp, sender, revokes, terms, ...origin } of ordered) {
    const key = keyOf(terms);
    const { associationType: type, recipient, subject, expires, data = [] } = terms;
    if (revokes || (expires !== undefined && expires <= now)) active.delete(key);
    else {
      const { height, position } = active.get(key) ?? origin;
      active.set(key, { sender, type, recipient, subject, timestamp, expires, data, height, position });
    }
  }
}

/** The key in `active`. It excludes the sender, so an association can replace another sender's. */
function keyOf(terms: AssociationTerms): string {
  const subject = terms.subject === undefined ? "" : `:${bytesKey(terms.subject)}`;
  return `${terms.associationType}:${bytesKey(terms.recipient)}${subject}`;
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

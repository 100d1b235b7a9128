import { bytesKey } from "../../bytes/compare.ts";
import { definitionOf, type Transaction } from "../../transactions/index.ts";

export const eventNames = ["block", "microblock", "transaction", "pool"] as const;
export type EventName = (typeof eventNames)[number];

/** An undefined set matches all values. */
export interface EventFilter {
  /** Filters with the same key match the same events, and vice versa. */
  readonly key: string;
  readonly events: ReadonlySet<EventName>;
  readonly types: ReadonlySet<number> | undefined;
  readonly addresses: ReadonlySet<string> | undefined;
  readonly ids: ReadonlySet<string> | undefined;
}

export function eventFilter(parts: {
  readonly events: readonly EventName[];
  readonly types?: readonly number[];
  readonly addresses?: readonly Uint8Array[];
  readonly ids?: readonly Uint8Array[];
}): EventFilter {
  const { events, types = [], addresses = [], ids = [] } = parts;
  const setOf = <T>(list: readonly T[]): ReadonlySet<T> | undefined =>
    list.length === 0 ? undefined : new Set(list);
  const sorted = (list: readonly Uint8Array[]): string[] => [...new Set(list.map(bytesKey))].sort();
  const keys = { addresses: sorted(addresses), ids: sorted(ids) };
  return {
    key: JSON.stringify([[...new Set(events)].sort(), [...new Set(types)].sort(), keys.addresses, keys.ids]),
    events: new Set(events),
    types: setOf(types),
    addresses: setOf(keys.addresses),
    ids: setOf(keys.ids),
  };
}

export interface FilterFields {
  readonly type: number;
  readonly id: string;
  readonly addresses: readonly string[];
}

/**
 * The addresses are sender, sponsor, recipients and fee payer.
 * @param payer account that paid the fee, if not the sender
 */
export function filterFieldsOf(
  transaction: Transaction,
  id: Uint8Array,
  payer?: Uint8Array | undefined,
): FilterFields {
  const { hasSender, payouts } = definitionOf(transaction);
  const addresses = [
    hasSender ? transaction.senderAddress : undefined,
    transaction.sponsorAddress,
    payer,
    "recipient" in transaction ? transaction.recipient : undefined,
    ...(payouts?.(transaction).map(({ recipient }) => recipient) ?? []),
  ];
  return {
    type: transaction.type,
    id: bytesKey(id),
    addresses: addresses.flatMap((address) => (address === undefined ? [] : [bytesKey(address)])),
  };
}

export function matchesFilter({ types, addresses, ids }: EventFilter, fields: FilterFields): boolean {
  if (types !== undefined && !types.has(fields.type)) return false;
  if (ids !== undefined && !ids.has(fields.id)) return false;
  return addresses === undefined || fields.addresses.some((address) => addresses.has(address));
}

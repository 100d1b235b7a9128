/** Which events a reader asked for. */
import { bytesKey } from "../../bytes/compare.ts";
import { definitionOf, type Transaction } from "../../transactions/index.ts";

/** What events tell of, by the names that a request gives them. */
export const eventNames = ["block", "microblock", "transaction", "pool"] as const;
export type EventName = (typeof eventNames)[number];

/** Each part lets through what it names, and all where it is undefined; a transaction has to pass every part. */
export interface EventFilter {
  /** Text that two filters share exactly when they let the same through. */
  readonly key: string;
  readonly events: ReadonlySet<EventName>;
  readonly types: ReadonlySet<number> | undefined;
  /** `bytesKey` of each. */
  readonly addresses: ReadonlySet<string> | undefined;
  readonly ids: ReadonlySet<string> | undefined;
}

/** A filter of these parts; empty lists of types, addresses and ids let all through. */
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
  const own = { addresses: sorted(addresses), ids: sorted(ids) };
  return {
    key: JSON.stringify([[...new Set(events)].sort(), [...new Set(types)].sort(), own.addresses, own.ids]),
    events: new Set(events),
    types: setOf(types),
    addresses: setOf(own.addresses),
    ids: setOf(own.ids),
  };
}

/**
 * Whether a transaction concerns one of these addresses: by its own word as sender, sponsor, recipient or one of several,
 * or as the account that paid its fee.
 */
function concerns(
  addresses: ReadonlySet<string>,
  transaction: Transaction,
  payer: Uint8Array | undefined,
): boolean {
  const has = (address: Uint8Array | undefined): boolean =>
    address !== undefined && addresses.has(bytesKey(address));
  const { hasSender, payouts } = definitionOf(transaction);
  if ((hasSender && has(transaction.senderAddress)) || has(transaction.sponsorAddress) || has(payer))
    return true;
  if ("recipient" in transaction && has(transaction.recipient)) return true;
  return payouts?.(transaction).some(({ recipient }) => has(recipient)) === true;
}

/** Whether a filter lets a transaction through. @param payer who paid its fee, if not the sender */
export function letsThrough(
  { types, addresses, ids }: EventFilter,
  transaction: Transaction,
  id: Uint8Array,
  payer?: Uint8Array | undefined,
): boolean {
  if (types !== undefined && !types.has(transaction.type)) return false;
  if (ids !== undefined && !ids.has(bytesKey(id))) return false;
  return addresses === undefined || concerns(addresses, transaction, payer);
}

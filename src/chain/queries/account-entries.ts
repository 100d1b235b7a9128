/** Transactions as one account sees them: direction, amount, balance. */
import { bytesEqual } from "../../bytes/compare.ts";
import { type ListedPlace, listedByUnit } from "../../indexes/transactions/query.ts";
import type {
  AccountEntries,
  AccountEntriesQuery,
  AccountEntry,
  AccountTotals,
  ChainTransaction,
  EntryDirection,
  HeightRange,
} from "../../interfaces.ts";
import type { Account } from "../../ledger/state.ts";
import { MAX_WALK } from "../../queries/paging.ts";
import type { StoredLedgerView } from "../../storage/ledger/ledger-view.ts";
import type { Place, UnitKey } from "../../storage/places.ts";
import { definitionOf } from "../../transactions/index.ts";
import type { SnapshotSource } from "./source.ts";

/** With more changes between two units, a new search is cheaper than reading all of them. */
const MAX_SKIPPED_CHANGES = 8;

type EntrySource = Pick<SnapshotSource, "reader" | "ledger" | "blocks">;

type NewEntry = AccountEntry & { balance: bigint | undefined };

interface Flow {
  readonly recipients: readonly Uint8Array[];
  /** What the account gains (negative: loses) without the fee; units. */
  readonly amount: bigint;
  readonly leased: bigint;
}

function flowOf(found: ChainTransaction, address: Uint8Array, ledger: EntrySource["ledger"]): Flow {
  const { transaction } = found;
  const { hasSender, payouts, burnedAmount, leasedAmount, cancelledLease } = definitionOf(transaction);
  const isSender = hasSender && bytesEqual(transaction.senderAddress, address);
  const cancelled = cancelledLease && ledger.lease(cancelledLease(transaction));
  const leased = leasedAmount?.(transaction) ?? cancelled?.amount ?? 0n;
  if (payouts !== undefined) {
    let amount = 0n;
    const recipients: Uint8Array[] = [];
    for (const payout of payouts(transaction)) {
      recipients.push(payout.recipient);
      if (isSender) amount -= payout.amount;
      if (bytesEqual(payout.recipient, address)) amount += payout.amount;
    }
    return { recipients, amount, leased };
  }
  const recipient = cancelled?.recipient ?? ("recipient" in transaction ? transaction.recipient : undefined);
  const amount = isSender ? -(burnedAmount?.(transaction) ?? 0n) : 0n;
  return { recipients: recipient === undefined ? [] : [recipient], amount, leased };
}

/** Returns "out" also for an account that only pays the fee. */
function directionOf(
  isSender: boolean,
  recipients: readonly Uint8Array[],
  address: Uint8Array,
): EntryDirection {
  const isRecipient = (one: Uint8Array): boolean => bytesEqual(one, address);
  if (isSender) return recipients.length > 0 && recipients.every(isRecipient) ? "self" : "out";
  return recipients.some(isRecipient) ? "in" : "out";
}

function entryOf(found: ChainTransaction, address: Uint8Array, ledger: EntrySource["ledger"]): NewEntry {
  const { transaction, height, position, effectiveFee, effectiveSponsor } = found;
  const { hasSender } = definitionOf(transaction);
  const isSender = hasSender && bytesEqual(transaction.senderAddress, address);
  const { recipients, amount, leased } = flowOf(found, address, ledger);
  const direction = directionOf(isSender, recipients, address);
  const payer = effectiveSponsor ?? (hasSender ? transaction.senderAddress : undefined);
  const other = direction === "out" && isSender ? singleRecipient(recipients) : senderOf(found);
  return {
    transaction,
    height,
    position,
    effectiveFee,
    effectiveSponsor,
    direction,
    counterparty: direction === "self" ? address : other,
    recipients: recipients.length,
    amount,
    leased,
    feePaid: payer !== undefined && bytesEqual(payer, address) ? effectiveFee : 0n,
    balance: undefined,
  };
}

function senderOf({ transaction }: ChainTransaction): Uint8Array | undefined {
  return definitionOf(transaction).hasSender ? transaction.senderAddress : undefined;
}

function singleRecipient(recipients: readonly Uint8Array[]): Uint8Array | undefined {
  return recipients.length === 1 ? recipients[0] : undefined;
}

function balanceBefore(ledger: StoredLedgerView, address: Uint8Array, unit: UnitKey): bigint {
  for (const { account } of ledger.accountChanges(address, unit)) return account.balance;
  return 0n;
}

interface UnitChange {
  readonly unit: UnitKey;
  readonly account: Account;
}

/** An account's balances before units, which must be requested from new to old. */
class DescendingBalances {
  readonly #read: (before: UnitKey) => Iterator<UnitChange>;
  #changes: Iterator<UnitChange> | undefined;
  #change: UnitChange | undefined;

  constructor(ledger: StoredLedgerView, address: Uint8Array) {
    this.#read = (before) => ledger.accountChanges(address, before);
  }

  before(unit: UnitKey): bigint {
    let skipped = 0;
    while (this.#change === undefined || !isBefore(this.#change.unit, unit)) {
      if (this.#changes === undefined || skipped++ === MAX_SKIPPED_CHANGES) this.#changes = this.#read(unit);
      const next = this.#changes.next();
      if (next.done) return 0n;
      this.#change = next.value;
    }
    return this.#change.account.balance;
  }
}

function isBefore(a: UnitKey, b: UnitKey): boolean {
  return a.height < b.height || (a.height === b.height && a.sequence < b.sequence);
}

/** Sets the balance after each entry if fees and amounts explain the unit's change of balance. */
function setBalances(entries: readonly NewEntry[], balances: DescendingBalances, unit: UnitKey): void {
  const after = balances.before({ height: unit.height, sequence: unit.sequence + 1 });
  const change = entries.reduce((sum, { amount, feePaid }) => sum + amount - feePaid, 0n);
  if (after - change !== balances.before(unit)) return;
  let balance = after;
  for (const entry of entries) {
    entry.balance = balance;
    balance -= entry.amount - entry.feePaid;
  }
}

function isBelow(place: Place, after: Place | undefined): boolean {
  if (after === undefined || place.height < after.height) return true;
  return place.height === after.height && place.position < after.position;
}

export function accountEntries(
  { reader, ledger, blocks }: EntrySource,
  address: Uint8Array,
  { types, accepts = () => true, after, limit, includeBalances, from, to }: AccountEntriesQuery,
): AccountEntries {
  const entries: AccountEntry[] = [];
  const balances = includeBalances ? new DescendingBalances(ledger, address) : undefined;
  let examined = 0;
  const top = Math.min(to, after?.height ?? to);
  const isOfType = ({ type }: { readonly type: number }): boolean =>
    types.length === 0 || types.includes(type);
  for (const { unit, places } of listedByUnit(reader, address, top + 1)) {
    if (unit.height < from) break;
    const inPage = places.filter((place) => isBelow(place, after));
    if (!inPage.some(isOfType)) {
      examined += inPage.length;
      continue;
    }
    const read = balances !== undefined ? places : inPage.filter(isOfType);
    const all: NewEntry[] = [];
    for (const place of read) {
      const found = blocks.transaction(place, undefined, unit);
      if (found !== undefined) all.push(entryOf(found, address, ledger));
    }
    if (balances !== undefined) setBalances(all, balances, unit);
    for (const entry of all) {
      if (!isBelow(entry, after) || !isOfType(entry.transaction)) continue;
      if (entries.length >= limit || examined >= MAX_WALK)
        return { entries, end: { height: unit.height, position: entry.position + 1 } };
      examined++;
      if (accepts(entry)) entries.push(entry);
    }
    if (examined >= MAX_WALK)
      return { entries, end: { height: unit.height, position: lowestPosition(places) } };
  }
  return { entries, end: undefined };
}

function lowestPosition(places: readonly ListedPlace[]): number {
  return places.reduce((least, { position }) => Math.min(least, position), Number.POSITIVE_INFINITY);
}

export function accountTotals(source: EntrySource, address: Uint8Array, range: HeightRange): AccountTotals {
  const { ledger } = source;
  const query = { ...range, types: [], limit: MAX_WALK, includeBalances: false };
  const { entries, end } = accountEntries(source, address, query);
  const sumOf = (some: readonly AccountEntry[]) => ({
    count: some.length,
    amount: some.reduce((sum, { amount }) => sum + amount, 0n),
  });
  const sent = sumOf(entries.filter(({ amount }) => amount < 0n));
  return {
    opening: balanceBefore(ledger, address, { height: range.from, sequence: 0 }),
    closing: balanceBefore(ledger, address, { height: range.to + 1, sequence: 0 }),
    received: sumOf(entries.filter(({ amount }) => amount > 0n)),
    sent: { count: sent.count, amount: -sent.amount },
    fees: entries.reduce((sum, { feePaid }) => sum + feePaid, 0n),
    transactions: entries.length,
    isComplete: end === undefined,
  };
}

/**
 * Stores the sponsors of accounts. Page 05 §16.
 *
 * Each sponsor of an account has a serial; the newest has the highest. Each account has a tree of its sponsors by
 * serial, with 32 slots per row. A slot contains the highest spendable balance of the sponsors below it
 * (docs/store.md).
 *
 * If a sponsor's balance changes, the trees of all its sponsored accounts must change. So the trees track only sponsors
 * of at most `MAX_TRACKED_SPONSORSHIPS` accounts.
 */
import { bytesKey } from "../../bytes/compare.ts";
import { getOrInsert } from "../../collections/get-or-insert.ts";
import { spendableBalance } from "../../ledger/account.ts";
import { emptyAccount } from "../../ledger/state.ts";
import type { Reader, Writer } from "../kv.ts";
import { tables } from "../tables.ts";
import type { AccountRow } from "../values/ledger.ts";
import { FUNDS_SLOTS, type Funds, type SponsorList } from "../values/sponsors.ts";

export const MAX_TRACKED_SPONSORSHIPS = 16;

/** Slot value of an untracked sponsor. No fee is higher. */
const UNTRACKED = 2n ** 63n - 1n;

const NO_FUNDS: Funds = new Array<undefined>(FUNDS_SLOTS).fill(undefined);
const NO_SPONSORS: SponsorList = { next: 0, count: 0 };

export function levelCount(serials: number): number {
  let levels = 1;
  for (let reached = FUNDS_SLOTS; reached < serials; reached *= FUNDS_SLOTS) levels++;
  return levels;
}

export function slotFunds(account: AccountRow | undefined): bigint {
  return (account?.sponsored ?? 0) > MAX_TRACKED_SPONSORSHIPS
    ? UNTRACKED
    : spendableBalance(account ?? emptyAccount);
}

export function* sponsorsNewestFirst(reader: Reader, account: Uint8Array): Generator<Uint8Array> {
  for (const [, sponsor] of reader.range(tables.sponsors, { prefix: account, reverse: true })) yield sponsor;
}

/** Returns the sponsors that can pay a fee, and all untracked ones, newest first. */
export function sponsorsWithFunds(
  reader: Reader,
  account: Uint8Array,
  list: SponsorList,
  fee: bigint,
): Iterable<Uint8Array> {
  function* search(level: number, index: number): Generator<Uint8Array> {
    const funds = reader.get(tables.sponsorFunds, { account, level, index }) ?? NO_FUNDS;
    for (let slot = FUNDS_SLOTS - 1; slot >= 0; slot--) {
      const highest = funds[slot];
      if (highest === undefined || highest < fee) continue;
      const child = index * FUNDS_SLOTS + slot;
      if (level > 0) yield* search(level - 1, child);
      else {
        const sponsor = reader.get(tables.sponsors, { address: account, serial: child });
        if (sponsor !== undefined) yield sponsor;
      }
    }
  }
  return search(levelCount(list.next) - 1, 0);
}

export function highestFunds(funds: Funds): bigint | undefined {
  let highest: bigint | undefined;
  for (const each of funds)
    if (each !== undefined && (highest === undefined || each > highest)) highest = each;
  return highest;
}

/** Sets a sponsor's slot, and updates the rows of higher levels. @param funds undefined to free the slot */
function setFunds(
  rows: Writer,
  account: Uint8Array,
  list: SponsorList,
  serial: number,
  funds?: bigint,
): void {
  let value = funds;
  let index = serial;
  for (let level = 0; level < levelCount(list.next); level++) {
    const slot = index % FUNDS_SLOTS;
    index = Math.floor(index / FUNDS_SLOTS);
    const key = { account, level, index };
    const before = rows.get(tables.sponsorFunds, key) ?? NO_FUNDS;
    if (before[slot] === value) return;
    const after = before.with(slot, value);
    value = highestFunds(after);
    if (value === undefined) rows.remove(tables.sponsorFunds, key);
    else rows.put(tables.sponsorFunds, key, after);
    if (value === highestFunds(before)) return;
  }
}

interface PendingTree {
  readonly account: Uint8Array;
  readonly sponsors: Map<string, Uint8Array>;
}

/** Buffers sponsors' balance changes until an account's tree is read (`flushAccount`) or the unit ends (`flush`). */
export class SponsorWriter {
  readonly #rows: Writer;
  readonly #accountOf: (address: Uint8Array) => AccountRow | undefined;
  readonly #pending = new Map<string, PendingTree>();
  readonly #accountsBySponsor = new Map<string, readonly Uint8Array[]>();

  constructor(rows: Writer, accountOf: (address: Uint8Array) => AccountRow | undefined) {
    this.#rows = rows;
    this.#accountOf = accountOf;
  }

  /** Before `add` and `remove`, the caller must update `sponsored` in the sponsor's account row. */
  add(account: Uint8Array, sponsor: Uint8Array): SponsorList {
    const rows = this.#rows;
    const { next, count } = rows.get(tables.sponsorLists, account) ?? NO_SPONSORS;
    const list = { next: next + 1, count: count + 1 };
    rows.put(tables.sponsorLists, account, list);
    rows.put(tables.sponsors, { address: account, serial: next }, sponsor);
    rows.put(tables.sponsorships, { first: sponsor, second: account }, next);
    const level = levelCount(next);
    if (levelCount(list.next) > level) {
      const top = highestFunds(
        rows.get(tables.sponsorFunds, { account, level: level - 1, index: 0 }) ?? NO_FUNDS,
      );
      if (top !== undefined)
        rows.put(tables.sponsorFunds, { account, level, index: 0 }, NO_FUNDS.with(0, top));
    }
    this.#accountsBySponsor.delete(bytesKey(sponsor));
    if (this.#accountOf(sponsor)?.sponsored === MAX_TRACKED_SPONSORSHIPS + 1) this.#markInAllTrees(sponsor);
    else this.#markInTree(account, sponsor);
    return list;
  }

  remove(account: Uint8Array, sponsor: Uint8Array): SponsorList | undefined {
    const rows = this.#rows;
    const list = rows.get(tables.sponsorLists, account);
    const serial = rows.get(tables.sponsorships, { first: sponsor, second: account });
    if (list === undefined || serial === undefined) return list;
    setFunds(rows, account, list, serial);
    this.#pending.get(bytesKey(account))?.sponsors.delete(bytesKey(sponsor));
    rows.remove(tables.sponsorships, { first: sponsor, second: account });
    rows.remove(tables.sponsors, { address: account, serial });
    this.#accountsBySponsor.delete(bytesKey(sponsor));
    if (this.#accountOf(sponsor)?.sponsored === MAX_TRACKED_SPONSORSHIPS) this.#markInAllTrees(sponsor);
    if (list.count === 1) {
      rows.remove(tables.sponsorLists, account);
      return undefined;
    }
    const shorter = { next: list.next, count: list.count - 1 };
    rows.put(tables.sponsorLists, account, shorter);
    return shorter;
  }

  markChanged(sponsor: Uint8Array): void {
    const sponsored = this.#accountOf(sponsor)?.sponsored ?? 0;
    if (sponsored > 0 && sponsored <= MAX_TRACKED_SPONSORSHIPS) this.#markInAllTrees(sponsor);
  }

  flushAccount(account: Uint8Array): void {
    if (this.#pending.size === 0) return;
    const key = bytesKey(account);
    const pending = this.#pending.get(key);
    if (pending === undefined) return;
    this.#pending.delete(key);
    this.#writeTree(pending);
  }

  flush(): void {
    for (const pending of this.#pending.values()) this.#writeTree(pending);
    this.#pending.clear();
  }

  #writeTree({ account, sponsors }: PendingTree): void {
    const rows = this.#rows;
    const list = rows.get(tables.sponsorLists, account);
    if (list === undefined) return;
    for (const sponsor of sponsors.values()) {
      const serial = rows.get(tables.sponsorships, { first: sponsor, second: account });
      if (serial !== undefined) setFunds(rows, account, list, serial, slotFunds(this.#accountOf(sponsor)));
    }
  }

  #markInTree(account: Uint8Array, sponsor: Uint8Array): void {
    const key = bytesKey(account);
    const { sponsors } = getOrInsert(this.#pending, key, () => ({ account, sponsors: new Map() }));
    sponsors.set(bytesKey(sponsor), sponsor);
  }

  #markInAllTrees(sponsor: Uint8Array): void {
    const accounts = getOrInsert(this.#accountsBySponsor, bytesKey(sponsor), () =>
      Array.from(this.#rows.range(tables.sponsorships, { prefix: sponsor }), ([{ second }]) =>
        Uint8Array.from(second),
      ),
    );
    for (const account of accounts) this.#markInTree(account, sponsor);
  }
}

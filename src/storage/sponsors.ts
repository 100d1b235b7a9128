/**
 * Who sponsors an account, and the first of them that can pay a fee, found without asking the others. Page 05 §16.
 *
 * The sponsors of an account have serials, the newest one the highest. Above the serials is a tree with 32 slots in each
 * row: a slot holds the most that a sponsor below it can pay. The first payer is found by going down that tree, and a
 * sponsor's own slot is found by its serial; both take as many rows as the tree has levels (3 for 32,768 sponsors).
 *
 * A change of a sponsor's balance changes its slot with each account that it sponsors. So that this stays cheap too, only
 * sponsors of at most `MAX_TRACKED` accounts have their funds there. The slots of one that sponsors more accounts say
 * `UNTRACKED`, whatever its balance: its account is asked when its turn comes, and a change of its balance writes nothing
 * here. To have k such sponsors asked for each transaction of one account takes 17 k paid sponsorships.
 */
import { bytesKey } from "../bytes/compare.ts";
import { spendableBalance } from "../ledger/account.ts";
import { emptyAccount } from "../ledger/state.ts";
import type { Reader, Writer } from "./kv.ts";
import { tables } from "./tables.ts";
import type { AccountRow } from "./values/ledger.ts";
import { FUNDS_SLOTS, type Funds, type SponsorList } from "./values/sponsors.ts";

/** A sponsor of more accounts than this has its funds in no tree. */
export const MAX_TRACKED = 16;

/** In a tree: ask the account. No fee is higher. */
export const UNTRACKED = 2n ** 63n - 1n;

const NO_FUNDS: Funds = new Array<undefined>(FUNDS_SLOTS).fill(undefined);
const NO_SPONSORS: SponsorList = { next: 0, count: 0 };

/** Levels of the tree above so many serials, at least 1. */
export function levelsOf(serials: number): number {
  let levels = 1;
  for (let reached = FUNDS_SLOTS; reached < serials; reached *= FUNDS_SLOTS) levels++;
  return levels;
}

/** What the trees say of a sponsor. */
export function trackedFunds(account: AccountRow | undefined): bigint {
  return (account?.sponsored ?? 0) > MAX_TRACKED ? UNTRACKED : spendableBalance(account ?? emptyAccount);
}

/** Addresses of an account's sponsors, newest first. */
export function* sponsorsDown(reader: Reader, account: Uint8Array): Generator<Uint8Array> {
  for (const [, sponsor] of reader.range(tables.sponsors, { prefix: account, reverse: true })) yield sponsor;
}

/**
 * The sponsors of an account that may be able to pay a fee, newest first: none is left out that can, and those that
 * cannot are untracked ones.
 */
export function sponsorsWithFunds(
  reader: Reader,
  account: Uint8Array,
  list: SponsorList,
  fee: bigint,
): Iterable<Uint8Array> {
  function* below(level: number, index: number): Generator<Uint8Array> {
    const funds = reader.get(tables.sponsorFunds, { account, level, index }) ?? NO_FUNDS;
    for (let slot = FUNDS_SLOTS - 1; slot >= 0; slot--) {
      const most = funds[slot];
      if (most === undefined || most < fee) continue;
      const lower = index * FUNDS_SLOTS + slot;
      if (level > 0) yield* below(level - 1, lower);
      else {
        const sponsor = reader.get(tables.sponsors, { address: account, height: lower });
        if (sponsor !== undefined) yield sponsor;
      }
    }
  }
  return below(levelsOf(list.next) - 1, 0);
}

/** The most of all slots of a row; undefined: none is taken. */
export function greatest(funds: Funds): bigint | undefined {
  let most: bigint | undefined;
  for (const each of funds) if (each !== undefined && (most === undefined || each > most)) most = each;
  return most;
}

/** Sets what a sponsor can pay (undefined: it left) in the tree of an account, and in the rows above as far as they change. */
function setFunds(
  rows: Writer,
  account: Uint8Array,
  list: SponsorList,
  serial: number,
  funds?: bigint,
): void {
  let value = funds;
  let index = serial;
  for (let level = 0; level < levelsOf(list.next); level++) {
    const slot = index % FUNDS_SLOTS;
    index = Math.floor(index / FUNDS_SLOTS);
    const key = { account, level, index };
    const before = rows.get(tables.sponsorFunds, key) ?? NO_FUNDS;
    if (before[slot] === value) return;
    const after = before.with(slot, value);
    value = greatest(after);
    if (value === undefined) rows.remove(tables.sponsorFunds, key);
    else rows.put(tables.sponsorFunds, key, after);
    if (value === greatest(before)) return;
  }
}

/** An account some of whose sponsors have other funds than its tree says. */
interface Unsettled {
  readonly account: Uint8Array;
  readonly sponsors: Map<string, Uint8Array>;
}

/**
 * Writes lists and trees. What changes of a sponsor's funds is noted with each account that it sponsors, and written when
 * that account's tree is asked (`settle`) or the unit ends (`settleAll`): a sponsor that pays for a whole block is
 * written once.
 */
export class SponsorWriter {
  readonly #rows: Writer;
  readonly #accountOf: (address: Uint8Array) => AccountRow | undefined;
  readonly #unsettled = new Map<string, Unsettled>();
  /** Accounts that a tracked sponsor sponsors, until that changes. */
  readonly #sponsoredBy = new Map<string, readonly Uint8Array[]>();

  /** @param accountOf accounts as they are now, with how many each sponsors */
  constructor(rows: Writer, accountOf: (address: Uint8Array) => AccountRow | undefined) {
    this.#rows = rows;
    this.#accountOf = accountOf;
  }

  /**
   * Makes an account the newest sponsor of another one, which it is not yet. The caller has counted it in the sponsor's
   * account.
   */
  add(account: Uint8Array, sponsor: Uint8Array): SponsorList {
    const rows = this.#rows;
    const { next, count } = rows.get(tables.sponsorLists, account) ?? NO_SPONSORS;
    const list = { next: next + 1, count: count + 1 };
    rows.put(tables.sponsorLists, account, list);
    rows.put(tables.sponsors, { address: account, height: next }, sponsor);
    rows.put(tables.sponsorships, { first: sponsor, second: account }, next);
    const level = levelsOf(next);
    if (levelsOf(list.next) > level) {
      // What was the top becomes the first slot below the new one.
      const top = greatest(
        rows.get(tables.sponsorFunds, { account, level: level - 1, index: 0 }) ?? NO_FUNDS,
      );
      if (top !== undefined)
        rows.put(tables.sponsorFunds, { account, level, index: 0 }, NO_FUNDS.with(0, top));
    }
    this.#sponsoredBy.delete(bytesKey(sponsor));
    if (this.#accountOf(sponsor)?.sponsored === MAX_TRACKED + 1) this.#unsettleAll(sponsor);
    else this.#unsettle(account, sponsor);
    return list;
  }

  /**
   * Takes a sponsor of an account away, if it is one. The caller has counted it in the sponsor's account.
   * @returns what is left of the list; undefined: nothing
   */
  remove(account: Uint8Array, sponsor: Uint8Array): SponsorList | undefined {
    const rows = this.#rows;
    const list = rows.get(tables.sponsorLists, account);
    const serial = rows.get(tables.sponsorships, { first: sponsor, second: account });
    if (list === undefined || serial === undefined) return list;
    setFunds(rows, account, list, serial);
    this.#unsettled.get(bytesKey(account))?.sponsors.delete(bytesKey(sponsor));
    rows.remove(tables.sponsorships, { first: sponsor, second: account });
    rows.remove(tables.sponsors, { address: account, height: serial });
    this.#sponsoredBy.delete(bytesKey(sponsor));
    if (this.#accountOf(sponsor)?.sponsored === MAX_TRACKED) this.#unsettleAll(sponsor);
    if (list.count === 1) {
      rows.remove(tables.sponsorLists, account);
      return undefined;
    }
    const left = { next: list.next, count: list.count - 1 };
    rows.put(tables.sponsorLists, account, left);
    return left;
  }

  /** The account of a sponsor changed. */
  changed(sponsor: Uint8Array): void {
    const sponsored = this.#accountOf(sponsor)?.sponsored ?? 0;
    if (sponsored > 0 && sponsored <= MAX_TRACKED) this.#unsettleAll(sponsor);
  }

  /** Brings the tree of an account up to date. */
  settle(account: Uint8Array): void {
    if (this.#unsettled.size === 0) return;
    const key = bytesKey(account);
    const unsettled = this.#unsettled.get(key);
    if (unsettled === undefined) return;
    this.#unsettled.delete(key);
    this.#write(unsettled);
  }

  /** Brings all trees up to date. */
  settleAll(): void {
    for (const unsettled of this.#unsettled.values()) this.#write(unsettled);
    this.#unsettled.clear();
  }

  #write({ account, sponsors }: Unsettled): void {
    const rows = this.#rows;
    const list = rows.get(tables.sponsorLists, account);
    if (list === undefined) return;
    for (const sponsor of sponsors.values()) {
      const serial = rows.get(tables.sponsorships, { first: sponsor, second: account });
      if (serial !== undefined) setFunds(rows, account, list, serial, trackedFunds(this.#accountOf(sponsor)));
    }
  }

  #unsettle(account: Uint8Array, sponsor: Uint8Array): void {
    const key = bytesKey(account);
    let unsettled = this.#unsettled.get(key);
    if (unsettled === undefined) {
      unsettled = { account, sponsors: new Map() };
      this.#unsettled.set(key, unsettled);
    }
    unsettled.sponsors.set(bytesKey(sponsor), sponsor);
  }

  /** With each account that it sponsors: `MAX_TRACKED + 1` at most. */
  #unsettleAll(sponsor: Uint8Array): void {
    const key = bytesKey(sponsor);
    let accounts = this.#sponsoredBy.get(key);
    if (accounts === undefined) {
      accounts = [...this.#rows.range(tables.sponsorships, { prefix: sponsor })].map(([{ second }]) =>
        Uint8Array.from(second),
      );
      this.#sponsoredBy.set(key, accounts);
    }
    for (const account of accounts) this.#unsettle(account, sponsor);
  }
}

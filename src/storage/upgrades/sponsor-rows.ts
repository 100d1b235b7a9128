/**
 * Upgrades format 5 to 6: converts rows with the whole list of an account's sponsors to the rows of
 * `ledger/sponsors.ts`, in the tables and in the journal. Serials depend on the history of the list, so the
 * journal is replayed:
 *
 * 1. `back`: undoes lists and accounts unit by unit, newest first. Swaps the undone values into the journal.
 * 2. `begin`: converts the lists as they were before the oldest unit of the journal.
 * 3. `forward`: applies the swapped values, oldest unit first, and journals the previous values of the new rows.
 *
 * The commits must not prune the journal.
 */
import { bytesEqual } from "../../bytes/compare.ts";
import { ADDRESS_LENGTH } from "../../crypto/addresses.ts";
import { emptyAccount } from "../../ledger/state.ts";
import { decodeRecords, encodeRecords, type Records } from "../batch/journal-records.ts";
import type { WriteBatch } from "../batch/write-batch.ts";
import { bytesKeyCodec, bytesValue, table } from "../codecs.ts";
import { unitKey } from "../keys.ts";
import type { Reader } from "../kv.ts";
import { SponsorWriter, sponsorsNewestFirst } from "../ledger/sponsors.ts";
import type { UnitKey } from "../places.ts";
import { tables } from "../tables.ts";
import { type AccountRow, accountValue } from "../values/ledger.ts";
import { JOURNAL_END, JOURNAL_START, journalSlice } from "./journal-slice.ts";
import type { UpgradableStore, UpgradeLimits } from "./upgradable-store.ts";

/** Not journaled: the stages `back` and `begin` write without a unit. */
const rawTable = (prefix: number, name: string) =>
  table(prefix, name, bytesKeyCodec, bytesValue, { journaled: false });

/** address(26) -> addresses(26) of its sponsors, newest first. */
const oldLists = rawTable(0x38, "sponsors");
const rawAccounts = rawTable(tables.accounts.prefix, "accounts");

const rewrittenTables = [
  oldLists,
  tables.accounts,
  tables.sponsorLists,
  tables.sponsors,
  tables.sponsorships,
  tables.sponsorFunds,
];

/** Row of `meta`: stage u8, next unit. */
const PROGRESS_KEY = "upgrade sponsors";
const stages = ["back", "begin", "forward"] as const;

interface Progress {
  readonly stage: (typeof stages)[number];
  readonly unit: UnitKey;
}

export function* upgradeSponsors(store: UpgradableStore, limits: UpgradeLimits): Generator<string, void> {
  if (progressOf(store) === undefined && !(yield* hasOldLists(store, limits))) return;
  for (let next: Progress | undefined = progressOf(store) ?? { stage: "back", unit: JOURNAL_END }; next; ) {
    const progress: Progress = next;
    next = store.write((batch) => {
      const following = stageFunctions[progress.stage](batch, progress.unit, limits);
      if (following === undefined) batch.remove(tables.meta, PROGRESS_KEY);
      else batch.put(tables.meta, PROGRESS_KEY, encodeProgress(following));
      return following;
    });
    if (next !== undefined)
      yield `sponsors (${stages.indexOf(next.stage) + 1} of ${stages.length}), block ${next.unit.height}`;
  }
}

function* hasOldLists(store: UpgradableStore, limits: UpgradeLimits): Generator<string, boolean> {
  for (const _ of store.range(oldLists, { limit: 1 })) return true;
  for (let from: UnitKey | undefined = JOURNAL_START; from !== undefined; ) {
    const slice: ReturnType<typeof journalSlice> = journalSlice(store, { from }, limits.units);
    if (slice.units.some(([, journal]) => decodeRecords(journal).has(oldLists.prefix))) return true;
    from = slice.next;
    yield "search for sponsors";
  }
  return false;
}

type StageFunction = (batch: WriteBatch, unit: UnitKey, limits: UpgradeLimits) => Progress | undefined;

const stageFunctions: Readonly<Record<Progress["stage"], StageFunction>> = {
  back(batch, to, limits) {
    const { units, next } = journalSlice(batch, { to, reverse: true }, limits.units);
    for (const [unit, journal] of units) {
      const all = decodeRecords(journal);
      for (const target of [oldLists, rawAccounts]) {
        const records = all.get(target.prefix);
        records?.keys.forEach((key, i) => {
          const after = batch.get(target, key);
          const before = records.previous[i];
          records.previous[i] = after;
          if (before === undefined) batch.remove(target, key);
          else batch.put(target, key, before);
        });
      }
      batch.put(tables.journal, unit, encodeRecords(all));
    }
    return next === undefined ? { stage: "begin", unit: JOURNAL_START } : { stage: "back", unit: next };
  },

  begin(batch, unit, limits) {
    const lists: [Uint8Array, Uint8Array][] = [];
    let sponsors = 0;
    for (const [account, list] of batch.range(oldLists)) {
      if (sponsors >= limits.rows) break;
      lists.push([account, list]);
      sponsors += list.length / ADDRESS_LENGTH;
    }
    if (lists.length === 0) return { stage: "forward", unit };
    batch.amendUnit(JOURNAL_START, rewrittenTables, () => {
      const newRows = new NewFormatRows(batch);
      for (const [account, list] of lists)
        for (const sponsor of addressesOf(list).toReversed()) newRows.add(account, sponsor);
      newRows.flush();
    });
    for (const [account] of lists) batch.remove(oldLists, account);
    return { stage: "begin", unit };
  },

  forward(batch, from, limits) {
    const { units, next } = journalSlice(batch, { from }, limits.units);
    for (const [unit, journal] of units) {
      const all = decodeRecords(journal);
      const accounts = all.get(tables.accounts.prefix);
      const lists = all.get(oldLists.prefix);
      if (accounts === undefined && lists === undefined) continue;
      batch.amendUnit(unit, rewrittenTables, () => {
        const newRows = new NewFormatRows(batch);
        for (const [address, row] of entriesOf(accounts)) newRows.setAccount(address, row);
        for (const [account, list] of entriesOf(lists)) newRows.setSponsors(account, addressesOf(list));
        newRows.flush();
      });
    }
    return next && { stage: "forward", unit: next };
  },
};

class NewFormatRows {
  readonly #batch: WriteBatch;
  readonly #writer: SponsorWriter;

  constructor(batch: WriteBatch) {
    this.#batch = batch;
    this.#writer = new SponsorWriter(batch, (address) => batch.get(tables.accounts, address));
  }

  /** @param row in the old format */
  setAccount(address: Uint8Array, row: Uint8Array | undefined): void {
    const { sponsored } = this.#batch.get(tables.accounts, address) ?? {};
    this.#put(address, row && accountValue.decode(row), sponsored);
    this.#writer.markChanged(address);
  }

  /** @param after newest first: the new sponsors, then the remaining old ones in unchanged order */
  setSponsors(account: Uint8Array, after: readonly Uint8Array[]): void {
    const before = [...sponsorsNewestFirst(this.#batch, account)];
    let added = after.length;
    const removed: Uint8Array[] = [];
    for (const sponsor of before.toReversed()) {
      if (added > 0 && bytesEqual(sponsor, after[added - 1])) added--;
      else removed.push(sponsor);
    }
    for (const sponsor of removed) {
      this.#changeSponsoredCount(sponsor, -1);
      this.#writer.remove(account, sponsor);
    }
    for (const sponsor of after.slice(0, added).toReversed()) this.add(account, sponsor);
  }

  add(account: Uint8Array, sponsor: Uint8Array): void {
    this.#changeSponsoredCount(sponsor, 1);
    this.#writer.add(account, sponsor);
  }

  flush(): void {
    this.#writer.flush();
  }

  #changeSponsoredCount(sponsor: Uint8Array, difference: number): void {
    const row = this.#batch.get(tables.accounts, sponsor);
    this.#put(sponsor, row, (row?.sponsored ?? 0) + difference);
  }

  #put(address: Uint8Array, row: AccountRow | undefined, sponsored = 0): void {
    const { sponsored: _, ...account } = row ?? { ...emptyAccount, changedAt: 0 };
    if (sponsored > 0) this.#batch.put(tables.accounts, address, { ...account, sponsored });
    else if (account.changedAt > 0) this.#batch.put(tables.accounts, address, account);
    else this.#batch.remove(tables.accounts, address);
  }
}

/** After the stage `back`, `previous` contains the values after the unit. */
function entriesOf({ keys, previous }: Records = { keys: [], previous: [] }) {
  return keys.map((key, i) => [key, previous[i]] as const);
}

function addressesOf(list: Uint8Array = new Uint8Array(0)): Uint8Array[] {
  const addresses: Uint8Array[] = [];
  for (let at = 0; at < list.length; at += ADDRESS_LENGTH)
    addresses.push(list.slice(at, at + ADDRESS_LENGTH));
  return addresses;
}

function progressOf(reader: Reader): Progress | undefined {
  const bytes = reader.get(tables.meta, PROGRESS_KEY);
  return bytes && { stage: stages[bytes[0]], unit: unitKey.decode(bytes.subarray(1)) };
}

function encodeProgress({ stage, unit }: Progress): Uint8Array {
  return Uint8Array.of(stages.indexOf(stage), ...unitKey.encode(unit));
}

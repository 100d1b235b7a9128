import { bytesKey, keyBytes } from "../../bytes/compare.ts";
import { ADDRESS_LENGTH } from "../../crypto/addresses.ts";
import { decodeRecords, encodeRecords, type Records } from "../batch/journal-records.ts";
import { Overlay } from "../batch/overlay.ts";
import { scratchBatch, type WriteBatch } from "../batch/write-batch.ts";
import { bytesKeyCodec, bytesValue, table } from "../codecs.ts";
import { SponsorWriter } from "../ledger/sponsors.ts";
import type { UnitKey } from "../places.ts";
import { tables } from "../tables.ts";
import { type AccountRow, accountValue } from "../values/ledger.ts";

/** The tables are not journaled, because this upgrade writes the journal itself. */
const rawTable = (prefix: number, name: string) =>
  table(prefix, name, bytesKeyCodec, bytesValue, { journaled: false });

/** address(26) -> addresses(26) of its sponsors, newest first. */
const oldLists = rawTable(0x38, "sponsors");
const accountRows = rawTable(tables.accounts.prefix, "accounts");
const newRows = [tables.sponsorLists, tables.sponsors, tables.sponsorships, tables.sponsorFunds].map(
  ({ prefix, name }) => rawTable(prefix, name),
);

/** Values by key; undefined for an absent row. */
type Rows = Map<string, Uint8Array | undefined>;

/** Lists and accounts that a journal unit changed, as they were before the unit, or after it once `exchange` ran. */
interface UnitRows {
  readonly unit: UnitKey;
  readonly lists: Rows;
  readonly accounts: Rows;
}

/**
 * Upgrades format 5 to 6: converts rows with the whole list of an account's sponsors to the rows of `sponsors.ts`. To
 * convert the journal too, it replays the units of the journal, oldest first. All sponsors and their accounts are in
 * memory meanwhile.
 */
export function upgradeSponsors(batch: WriteBatch): void {
  const lists: Rows = new Map();
  for (const [account, list] of batch.range(oldLists)) lists.set(bytesKey(account), list);
  const found = oldUnits(batch, lists);
  if (found === undefined) return;
  const { units, accounts } = found;
  // Go back to the oldest state in the journal. Afterwards, `units` have the rows after each unit.
  for (const unit of units.toReversed()) {
    exchange(lists, unit.lists);
    exchange(accounts, unit.accounts);
  }
  const scratch = scratchBatch(new Overlay());
  const replay = new Replay(scratch, lists, accounts);
  replay.unit({ height: 0, sequence: 0 }, () => replay.begin());
  for (const { unit, lists, accounts } of units) replay.unit(unit, () => replay.change(lists, accounts));

  for (const [account] of [...batch.range(oldLists)]) batch.remove(oldLists, account);
  const targets = new Map([accountRows, ...newRows].map((target) => [target.prefix, target]));
  for (const { table: changed, key, value } of scratch.changes()) {
    const target = targets.get(changed.prefix);
    if (target !== undefined && value !== undefined) batch.put(target, key, value);
  }
  for (const { unit } of units) amendJournal(batch, unit, scratch.get(tables.journal, unit));
}

function oldUnits(
  batch: WriteBatch,
  current: Rows,
): { readonly units: readonly UnitRows[]; readonly accounts: Rows } | undefined {
  const accounts: Rows = new Map();
  const addSponsors = (lists: Rows): void => {
    for (const list of lists.values())
      for (const sponsor of addressesOf(list)) accounts.set(sponsor, undefined);
  };
  addSponsors(current);
  let hasOldRows = current.size > 0;
  for (const [, journal] of batch.range(tables.journal)) {
    const lists = rowsOf(decodeRecords(journal).get(oldLists.prefix));
    addSponsors(lists);
    if (lists.size > 0) hasOldRows = true;
  }
  if (!hasOldRows) return undefined;
  const units: UnitRows[] = [];
  for (const [unit, journal] of batch.range(tables.journal)) {
    const records = decodeRecords(journal);
    const lists = rowsOf(records.get(oldLists.prefix));
    const changed = rowsOf(records.get(accountRows.prefix));
    for (const key of changed.keys()) if (!accounts.has(key)) changed.delete(key);
    if (lists.size > 0 || changed.size > 0) units.push({ unit, lists, accounts: changed });
  }
  for (const key of accounts.keys()) accounts.set(key, batch.get(accountRows, keyBytes(key)));
  return { units, accounts };
}

class Replay {
  readonly #batch: WriteBatch;
  readonly #lists: Rows;
  readonly #accounts: Rows;
  readonly #sponsored = new Map<string, number>();
  readonly #writer: SponsorWriter;
  readonly #touched = new Set<string>();

  constructor(batch: WriteBatch, lists: Rows, accounts: Rows) {
    this.#batch = batch;
    this.#lists = lists;
    this.#accounts = accounts;
    this.#writer = new SponsorWriter(batch, (address) => this.#account(bytesKey(address)));
  }

  unit(unit: UnitKey, writing: () => void): void {
    this.#batch.beginUnit(unit);
    writing();
    this.#writer.flush();
    for (const sponsor of this.#touched) {
      const row = this.#account(sponsor);
      if (row === undefined) this.#batch.remove(tables.accounts, keyBytes(sponsor));
      else this.#batch.put(tables.accounts, keyBytes(sponsor), row);
    }
    this.#touched.clear();
    this.#batch.endUnit();
  }

  begin(): void {
    for (const sponsor of this.#accounts.keys()) this.#touched.add(sponsor);
    for (const [account, list] of this.#lists)
      for (const sponsor of addressesOf(list).toReversed()) this.#add(account, sponsor);
  }

  /** Writes the changes of a unit from the rows after it. */
  change(lists: Rows, accounts: Rows): void {
    for (const [sponsor, bytes] of accounts) {
      this.#accounts.set(sponsor, bytes);
      this.#touched.add(sponsor);
      this.#writer.markChanged(keyBytes(sponsor));
    }
    for (const [account, list] of lists) {
      const before = addressesOf(this.#lists.get(account));
      const after = addressesOf(list);
      this.#lists.set(account, list);
      // Sponsors that stayed are the oldest, so they end the new list, in the same order. The other sponsors are new.
      let at = before.length - 1;
      let added = after.length;
      const removed: string[] = [];
      while (at >= 0) {
        if (before[at] === after[added - 1]) added--;
        else removed.push(before[at]);
        at--;
      }
      for (const sponsor of removed) this.#remove(account, sponsor);
      for (const sponsor of after.slice(0, added).toReversed()) this.#add(account, sponsor);
    }
  }

  #add(account: string, sponsor: string): void {
    this.#count(sponsor, 1);
    this.#writer.add(keyBytes(account), keyBytes(sponsor));
  }

  #remove(account: string, sponsor: string): void {
    this.#count(sponsor, -1);
    this.#writer.remove(keyBytes(account), keyBytes(sponsor));
  }

  #count(sponsor: string, difference: number): void {
    this.#sponsored.set(sponsor, (this.#sponsored.get(sponsor) ?? 0) + difference);
    this.#touched.add(sponsor);
  }

  #account(sponsor: string): AccountRow | undefined {
    const bytes = this.#accounts.get(sponsor);
    const sponsored = this.#sponsored.get(sponsor) ?? 0;
    const row = bytes && accountValue.decode(bytes);
    if (sponsored === 0) return row;
    return { balance: 0n, leaseIn: 0n, leaseOut: 0n, unbonding: 0n, changedAt: 0, ...row, sponsored };
  }
}

function exchange(state: Rows, unit: Rows): void {
  for (const [key, before] of unit) {
    unit.set(key, state.get(key));
    state.set(key, before);
  }
}

function amendJournal(batch: WriteBatch, unit: UnitKey, added: Uint8Array | undefined): void {
  const journal = batch.get(tables.journal, unit);
  if (journal === undefined || added === undefined) return;
  const records = decodeRecords(journal);
  records.delete(oldLists.prefix);
  for (const [prefix, { keys, previous }] of decodeRecords(added)) {
    const merged = rowsOf(records.get(prefix));
    for (let i = 0; i < keys.length; i++) merged.set(bytesKey(keys[i]), previous[i]);
    records.set(prefix, { keys: [...merged.keys()].map(keyBytes), previous: [...merged.values()] });
  }
  batch.put(tables.journal, unit, encodeRecords(records));
}

function rowsOf({ keys, previous }: Records = { keys: [], previous: [] }): Rows {
  return new Map(keys.map((key, i) => [bytesKey(key), previous[i]]));
}

function addressesOf(list: Uint8Array = new Uint8Array(0)): string[] {
  const addresses: string[] = [];
  for (let at = 0; at < list.length; at += ADDRESS_LENGTH)
    addresses.push(bytesKey(list.subarray(at, at + ADDRESS_LENGTH)));
  return addresses;
}

import { bytesEqual } from "../../bytes/compare.ts";
import { addressText } from "../../crypto/addresses.ts";
import type { Reader } from "../../storage/kv.ts";
import { highestFunds, levelCount, slotFunds } from "../../storage/ledger/sponsors.ts";
import { tables } from "../../storage/tables.ts";
import { FUNDS_SLOTS } from "../../storage/values/sponsors.ts";
import type { FaultOrPause } from "./verify-differences.ts";

const ROWS_PER_SLICE = 1_000;

/**
 * Compares sponsors and their order; serials may differ after an upgrade. Checks the other sponsor tables in `stored`.
 * @param expected the correct store
 */
export function* sponsorFaults(stored: Reader, expected: Reader): Generator<FaultOrPause, number> {
  let rows = 0;
  const storedRows = stored.range(tables.sponsors)[Symbol.iterator]();
  const expectedRows = expected.range(tables.sponsors)[Symbol.iterator]();
  try {
    for (;;) {
      const [found, right] = [storedRows.next(), expectedRows.next()];
      if (found.done === true && right.done === true) break;
      const actual = found.done === true ? undefined : found.value;
      const correct = right.done === true ? undefined : right.value;
      if (
        actual === undefined ||
        correct === undefined ||
        !bytesEqual(actual[0].address, correct[0].address) ||
        !bytesEqual(actual[1], correct[1])
      ) {
        const [{ address }, sponsor] = actual ?? (correct as NonNullable<typeof correct>);
        const problem =
          correct === undefined
            ? `${addressText(sponsor)} is stored as a sponsor, but is not one in the chain`
            : `sponsor ${addressText(correct[1])} of ${addressText(correct[0].address)} is missing or out of order`;
        // Report only the first difference: it shifts later rows.
        yield { table: tables.sponsors.name, key: addressText(address), problem };
        break;
      }
      if (++rows % ROWS_PER_SLICE === 0) yield undefined;
    }
  } finally {
    storedRows.return?.();
    expectedRows.return?.();
  }
  yield* lookupFaults(stored);
  rows += yield* fundsFaults(stored);
  return rows;
}

function* lookupFaults(stored: Reader): Generator<FaultOrPause> {
  let rows = 0;
  let sponsors = 0;
  let lists = 0;
  for (const [{ address: account, serial }, sponsor] of stored.range(tables.sponsors)) {
    sponsors++;
    const key = `${addressText(account)} ${addressText(sponsor)}`;
    const storedSerial = stored.get(tables.sponsorships, { first: sponsor, second: account });
    if (storedSerial !== serial)
      yield {
        table: tables.sponsorships.name,
        key,
        problem: `is ${storedSerial ?? "missing"}, not ${serial}`,
      };
    const leaf = { account, level: 0, index: Math.floor(serial / FUNDS_SLOTS) };
    const storedFunds = stored.get(tables.sponsorFunds, leaf)?.[serial % FUNDS_SLOTS];
    const funds = slotFunds(stored.get(tables.accounts, sponsor));
    if (storedFunds !== funds)
      yield { table: tables.sponsorFunds.name, key, problem: `is ${storedFunds ?? "missing"}, not ${funds}` };
    if (++rows % ROWS_PER_SLICE === 0) yield undefined;
  }
  let listed = 0;
  for (const [account, { next, count }] of stored.range(tables.sponsorLists)) {
    lists++;
    listed += count;
    for (const [{ serial }] of stored.range(tables.sponsors, { prefix: account, reverse: true, limit: 1 }))
      if (serial >= next)
        yield {
          table: tables.sponsorLists.name,
          key: addressText(account),
          problem: `the next serial is ${next}, but ${serial} is taken`,
        };
    if (lists % ROWS_PER_SLICE === 0) yield undefined;
  }
  if (listed !== sponsors)
    yield {
      table: tables.sponsorLists.name,
      key: "(all)",
      problem: `the lists count ${listed} sponsors, but there are ${sponsors}`,
    };
  let sponsorships = 0;
  for (const _ of stored.range(tables.sponsorships))
    if (++sponsorships % ROWS_PER_SLICE === 0) yield undefined;
  if (sponsorships !== sponsors)
    yield {
      table: tables.sponsorships.name,
      key: "(all)",
      problem: `there are ${sponsorships} rows for ${sponsors} sponsors`,
    };
}

function* fundsFaults(stored: Reader): Generator<FaultOrPause, number> {
  let rows = 0;
  for (const [{ account, level, index }, funds] of stored.range(tables.sponsorFunds)) {
    const fault = (problem: string): FaultOrPause => ({
      table: tables.sponsorFunds.name,
      key: `${addressText(account)} level ${level} row ${index}`,
      problem,
    });
    const top = levelCount(stored.get(tables.sponsorLists, account)?.next ?? 0) - 1;
    const above = { account, level: level + 1, index: Math.floor(index / FUNDS_SLOTS) };
    const storedHighest = stored.get(tables.sponsorFunds, above)?.[index % FUNDS_SLOTS];
    if (level < top && storedHighest !== highestFunds(funds))
      yield fault(`the row above has ${storedHighest ?? "nothing"}, not ${highestFunds(funds) ?? "nothing"}`);
    if (level > top) yield fault("is above the top level of its tree");
    if (level === 0)
      for (const [slot, each] of funds.entries()) {
        const serial = index * FUNDS_SLOTS + slot;
        if (each !== undefined && stored.get(tables.sponsors, { address: account, serial }) === undefined)
          yield fault(`slot ${slot} belongs to no sponsor`);
      }
    else
      for (const [slot, each] of funds.entries()) {
        const below = { account, level: level - 1, index: index * FUNDS_SLOTS + slot };
        if (each !== undefined && stored.get(tables.sponsorFunds, below) === undefined)
          yield fault(`slot ${slot} has no row below it`);
      }
    if (++rows % ROWS_PER_SLICE === 0) yield undefined;
  }
  return rows;
}

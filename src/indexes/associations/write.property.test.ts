/** Removing descendants in steps: the remaining pairs, the size of a step, and undoing. */
import { expect, test } from "vitest";
import { bytesKey } from "../../bytes/compare.ts";
import { scratchBatch } from "../../storage/batch/write-batch.ts";
import type { Reader } from "../../storage/kv.ts";
import { memoryStore } from "../../storage/memory-store.ts";
import { InterruptibleReader } from "../../storage/readers/interruptible-reader.ts";
import { tables } from "../../storage/tables.ts";
import { journaledRows } from "../../storage/testing/dump.ts";
import { SeededRandom } from "../../testing/seeded-random.ts";
import type { Transaction } from "../../transactions/index.ts";
import type { StoredUnit } from "../chain-index.ts";
import { associatedAddressIndex } from "./write.ts";

const index = associatedAddressIndex();
/** Rows read or changed per step: two for each of 256 pairs, plus some lookups. */
const MAX_ROWS_A_STEP = 1_500;

interface Link {
  readonly from: Uint8Array;
  readonly to: Uint8Array;
  readonly revokes: boolean;
}

function addressOf(n: number): Uint8Array {
  const address = new Uint8Array(26);
  new DataView(address.buffer).setUint32(2, Math.imul(n + 1, 2_654_435_761));
  address[25] = n;
  return address;
}

function unitOf(height: number, links: readonly Link[]): StoredUnit {
  const transactions = links.map(({ from, to, revokes }, position) => {
    const members = { senderAddress: from, recipient: to, associationType: 1n, data: [] };
    // The part of a transaction that the index reads.
    const transaction = { type: revokes ? 17 : 16, ...members } as unknown as Transaction;
    return { transaction, id: new Uint8Array(32), position, effectiveFee: 0n, effectiveSponsor: undefined };
  });
  return { height, sequence: 0, timestamp: 0n, generator: addressOf(0), transactions };
}

/** Page 07 §10.1, literally. */
class Model {
  readonly children = new Map<string, Set<string>>();

  apply({ from, to, revokes }: Link): void {
    const [parent, child] = [bytesKey(from), bytesKey(to)];
    if (!revokes) this.#of(parent).add(child);
    else {
      this.#of(parent).delete(child);
      this.#cutOff(child, new Set());
    }
  }

  #cutOff(parent: string, visited: Set<string>): void {
    if (visited.has(parent)) return;
    visited.add(parent);
    const children = [...this.#of(parent)];
    this.#of(parent).clear();
    for (const child of children) this.#cutOff(child, visited);
  }

  #of(parent: string): Set<string> {
    const known = this.children.get(parent) ?? new Set<string>();
    this.children.set(parent, known);
    return known;
  }
}

/** Random trees: a few addresses have hundreds of children; some links go back or across. */
function randomLinks(random: SeededRandom): Link[] {
  const links: Link[] = [];
  for (let i = 0; i < 900; i++) {
    const from = random.chance(80) ? random.below(2) : random.below(40);
    const revokes = i > 700 && random.chance(2);
    links.push({
      from: addressOf(from),
      to: addressOf(revokes && random.chance(50) ? random.below(2) : random.below(revokes ? 40 : 2_000)),
      revokes,
    });
  }
  return links;
}

function pairsIn(store: Reader, table: typeof tables.associationChildren): Set<string> {
  return new Set(Array.from(store.range(table), ([{ first, second }]) => bytesKey(first) + bytesKey(second)));
}

test("pairs follow the rule for trees of any size, in bounded steps", () => {
  let longest = 0;
  let steps = 0;
  for (let seed = 1; seed <= 2; seed++) {
    const store = memoryStore();
    const model = new Model();
    const links = randomLinks(new SeededRandom(seed));
    const states: string[][] = [];
    for (let height = 1; links.length > 0; height++) {
      states.push(journaledRows(store));
      const unit = unitOf(height, links.splice(0, 50));
      for (const { transaction } of unit.transactions)
        if ("recipient" in transaction && transaction.recipient !== undefined)
          model.apply({
            from: transaction.senderAddress,
            to: transaction.recipient,
            revokes: transaction.type === 17,
          });
      // Run it once over a counting reader, and once for real.
      let rows = 0;
      const counting = scratchBatch(new InterruptibleReader(store, () => rows++));
      counting.beginUnit(unit);
      const work = index.applyInSteps?.(counting, unit);
      for (let isDone = false; !isDone; rows = 0) {
        isDone = work?.next().done !== false;
        if (!isDone) steps++;
        // The first step also enters the unit's own 50 transactions.
        longest = Math.max(longest, rows);
      }
      store.write((batch) => {
        batch.beginUnit(unit);
        index.apply(batch, unit);
        batch.endUnit();
      });
      const pairs = [...model.children].flatMap(([parent, children]) =>
        [...children].map((child) => parent + child),
      );
      expect(pairsIn(store, tables.associationChildren)).toEqual(new Set(pairs));
      expect(pairsIn(store, tables.associationParents).size).toBe(pairs.length);
    }
    for (let height = states.length; height >= 1; height--) {
      store.write((batch) => batch.undoUnit({ height, sequence: 0 }));
      expect(journaledRows(store)).toEqual(states[height - 1]);
    }
  }
  expect(steps).toBeGreaterThan(4);
  expect(longest).toBeGreaterThan(256);
  expect(longest).toBeLessThan(MAX_ROWS_A_STEP);
});

/** The tables of a mirror equal those of a new mirror, for random changes of the node's chain. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { bytesKey } from "../../bytes/compare.ts";
import { encodeHex } from "../../bytes/hex.ts";
import {
  addRevertedUnits,
  checkRevertedRecords,
  isUnitKnown,
} from "../../chain/following/reverted-records.ts";
import { isOnChain } from "../../chain/reading/changes.ts";
import { chainReader } from "../../chain/snapshot.ts";
import { ChainFollower } from "../../chain/testing/chain-follower.ts";
import { RandomChain } from "../../chain/testing/random-chain.ts";
import type { Reader } from "../../storage/kv.ts";
import { tables as storeTables } from "../../storage/tables.ts";
import type { RevertedUnit } from "../../storage/values/reverted.ts";
import { trustOfSpenders } from "../../testing/random-transactions.ts";
import { SeededRandom } from "../../testing/seeded-random.ts";
import type { SqlConnection } from "../connection/sql-connection.ts";
import { allTables } from "../schema/all-tables.ts";
import { migrate } from "../schema/migrate.ts";
import { TABLES_SCHEMA } from "../schema/statements.ts";
import { MirrorDatabase } from "../testing/mirror-database.ts";
import { emptyTables, mirroredRows } from "../testing/mirrored-tables.ts";
import { startPglite } from "../testing/pglite-connection.ts";
import { readRevertedUnits } from "../units/reverted-units.ts";

/** Rounds of each kind. `SOAK_TIMES` adds more. */
const ROUNDS = Number(process.env.SOAK_TIMES ?? 1);
const FIRST_SEED = Number(process.env.SOAK_SEED ?? 1);
const STEPS = 30;
/** Probability that the mirror reads after a step, in percent, and transactions per read. */
const habits = {
  "every change": [100, 1_000],
  "some changes": [35, 3],
  "only the last change": [0, 1_000],
} as const;

let followed: SqlConnection;
let filled: SqlConnection;
beforeAll(async () => {
  [followed, filled] = await Promise.all([startPglite(), startPglite()]);
  for (const sql of [followed, filled]) await migrate(sql, "test");
}, 240_000);
afterAll(async () => {
  await Promise.all([followed.close(), filled.close()]);
});

const tablesSeen = new Set<string>();
let lastFilled: MirrorDatabase | undefined;

/** Returns the number of undone units. */
async function followAll(mirror: MirrorDatabase, transactions = 1_000): Promise<number> {
  let undone = 0;
  for (;;) {
    const step = await mirror.follow(transactions);
    undone += step.undone;
    if (step.isComplete) return undone;
  }
}

class MirroredChain extends RandomChain {
  open(sql: SqlConnection): MirrorDatabase {
    const { profile } = this;
    const context = {
      profile,
      rules: this.chain.rules,
      indexAll: true,
      trust: trustOfSpenders(profile.chainId),
    };
    return new MirrorDatabase(sql, {
      reader: chainReader(this.store, context),
      network: profile,
      clock: this.clock,
    });
  }

  /** Without this log, followers cannot learn what was reverted. */
  forgetReverted(): void {
    const ids = this.store.read((reader) =>
      [...reader.scan(storeTables.revertedUnits, {})].map(([id]) => id),
    );
    this.store.write((batch) => {
      for (const id of ids) batch.remove(storeTables.revertedUnits, id);
    });
  }
}

for (const [number, [habit, [share, transactions]]] of Object.entries(habits).entries())
  test(`after following ${habit}, all tables equal those of a new mirror`, { timeout: 600_000 }, async () => {
    let undone = 0;
    let bisections = 0;
    for (let seed = FIRST_SEED; seed < FIRST_SEED + ROUNDS; seed++) {
      await emptyTables(followed);
      await emptyTables(filled);
      const random = new SeededRandom(3 * seed + number);
      const chain = new MirroredChain(random);
      const mirror = chain.open(followed);
      await mirror.begin();
      await mirror.live();
      for (let step = 0; step < STEPS; step++) {
        chain.grow();
        if (random.chance(15)) chain.compete();
        if (random.chance(10)) chain.shrink();
        if (random.chance(5)) chain.chain.persistTip();
        if (random.chance(8)) chain.regrow();
        if (random.chance(10)) chain.forgetReverted();
        if (random.chance(share)) undone += (await mirror.follow(transactions)).undone;
      }
      // Each mirror undoes at least one change, and finds the common unit of one by bisection.
      await followAll(mirror);
      chain.shrink();
      chain.forgetReverted();
      chain.grow();
      undone += await followAll(mirror, transactions);
      bisections += mirror.bisections;
      expect(await mirror.verify()).toMatchObject({ outcome: "complete", faults: [] });
      const anew = chain.open(filled);
      await anew.begin();
      await followAll(anew, 5);
      await anew.live();
      lastFilled = anew;
      const [actual, expected] = [await mirroredRows(followed), await mirroredRows(filled)];
      for (const [table, rows] of expected) {
        expect(actual.get(table), table).toEqual(rows);
        if (rows.length > 0) tablesSeen.add(table);
      }
    }
    expect(undone).toBeGreaterThan(0);
    expect(bisections).toBeGreaterThan(0);
  });

test("a store gets the log of units that left the chain, as if it had undone them", {
  timeout: 60_000,
}, async () => {
  await emptyTables(followed);
  const random = new SeededRandom(FIRST_SEED);
  const chain = new MirroredChain(random);
  const mirror = chain.open(followed);
  await mirror.begin();
  await mirror.live();
  let undos = 0;
  for (let step = 0; step < STEPS; step++) {
    chain.grow();
    if (random.chance(30)) chain.compete();
    if (random.chance(20)) chain.shrink();
    if ((await followAll(mirror)) > 0) undos++;
  }
  const { rows: found } = await followed.query("SELECT FROM holdfast.reorganisations");
  expect(found.length).toBe(undos);
  const follower = new ChainFollower(chain);
  await follower.follow(10_000);
  const { store } = follower;
  const records = await readRevertedUnits(followed);
  const units = await checkRevertedRecords(records, chain.profile, (unit) =>
    store.read((reader) => isUnitKnown(reader, unit)),
  );
  store.write((batch) => addRevertedUnits(batch, units));
  // The mirror did not see units that left the chain before its next read.
  const seen = new Set(records.map(({ id }) => bytesKey(id)));
  const rows = (reader: Reader) =>
    [...reader.scan(storeTables.revertedUnits, {})].filter(
      ([id, { height, sequence }]) => seen.has(bytesKey(id)) && !isOnChain(reader, { height, sequence, id }),
    );
  // The arrival of micro blocks is not in the table.
  const texts = (reader: Reader): string[] =>
    rows(reader).map(([id, { micro, ...row }]) => {
      const unit = { ...row, serial: 0, micro: micro && { ...micro, arrivedAt: 0 } };
      return `${bytesKey(id)} ${encodeHex(storeTables.revertedUnits.value.encode(unit))}`;
    });
  expect(store.read(texts)).toEqual(chain.store.read(texts));
  const expected = chain.store.read(rows).map(([, row]) => row);
  const isSponsored = ({ recorded }: RevertedUnit): boolean =>
    [...(recorded ?? [])].some(({ effectiveSponsor }) => effectiveSponsor !== undefined);
  expect(expected.filter(({ sequence }) => sequence > 0).length).toBeGreaterThan(0);
  expect(expected.filter(isSponsored).length).toBeGreaterThan(0);
});

test("verify finds a removed row in each table", async () => {
  if (lastFilled === undefined) throw new Error("There is no mirror");
  const emptied: string[] = [];
  for (const { name, kind } of allTables) {
    if (kind.kind === "kept") continue;
    const table = `${TABLES_SCHEMA}.${name}`;
    const { count } = await filled.query(
      `DELETE FROM ${table} t USING (SELECT * FROM ${table} LIMIT 1) s WHERE ROW(t.*)::text = ROW(s.*)::text`,
    );
    if (count > 0) emptied.push(name);
  }
  const { faults } = await lastFilled.verify();
  for (const table of emptied)
    expect(faults).toContainEqual(expect.objectContaining({ table, problem: "missing" }));
  expect(emptied.length).toBeGreaterThan(15);
});

test.skipIf(ROUNDS < 10)("these chains had rows in every table", () => {
  const all = allTables.filter(({ kind }) => kind.kind !== "kept").map(({ name }) => name);
  expect(all.filter((name) => !tablesSeen.has(name))).toEqual([]);
});

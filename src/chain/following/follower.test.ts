import { beforeAll, describe, expect, test } from "vitest";
import { bytesKey } from "../../bytes/compare.ts";
import { allIndexes } from "../../indexes/all.ts";
import type { ChainCursor, UnitRecord } from "../../interfaces.ts";
import type { Reader } from "../../storage/kv.ts";
import { memoryStore } from "../../storage/memory-store.ts";
import type { Store } from "../../storage/store.ts";
import { counters, tables } from "../../storage/tables.ts";
import { DiskFullError, FailingStore } from "../../storage/testing/failing-store.ts";
import { recordChanges } from "../../testing/changes.ts";
import { forgeBlocks, forgedProfile, forgedTrust } from "../../testing/forged-chain.ts";
import { SeededRandom } from "../../testing/seeded-random.ts";
import { silentLog } from "../../testing/silent-log.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { inlineVerifier } from "../../verification/testing/inline-verifier.ts";
import { Chain } from "../chain.ts";
import { counterFaults } from "../jobs/verify-counters.ts";
import { comparedTables, tableFaults } from "../jobs/verify-differences.ts";
import { digestFaults } from "../jobs/verify-digests.ts";
import { sponsorFaults } from "../jobs/verify-sponsors.ts";
import { changesSince } from "../reading/changes.ts";
import { commonRecord } from "../reading/common-record.ts";
import { headerRow } from "../reading/rows.ts";
import { recordsAfter } from "../reading/unit-records.ts";
import { type FollowChecks, Follower, type FollowFault } from "./follower.ts";

const HEIGHT = 9;
const source = memoryStore();

function openChain(store: Store): Chain {
  return Chain.open({
    store,
    profile: forgedProfile,
    indexes: allIndexes({ trust: forgedTrust }),
    clock: new VirtualClock(0),
    log: silentLog,
    options: { stopOnUnsupportedFeature: true },
  });
}

function follow(store: Store, checks: FollowChecks = "none") {
  const chain = openChain(store);
  const verifier = inlineVerifier(forgedProfile);
  return { store, chain, follower: new Follower({ chain, network: forgedProfile, verifier, checks }) };
}

function recordsFrom(position: ChainCursor): readonly UnitRecord[] {
  return source.read((reader) => recordsAfter(reader, forgedProfile, position, { units: 1e4, bytes: 1e9 }))
    .records;
}

/** Undoes to the common unit and applies all that follows. */
async function catchUp(follower: Follower): Promise<void> {
  const { position } = follower;
  const common = source.read((reader) => commonRecord(reader, position));
  if (common === undefined) throw new Error("no common unit");
  const isFork = bytesKey(common.id) !== bytesKey(position.id) || common.sequence !== position.sequence;
  const result = await follower.apply({ undoTo: isFork ? common : undefined, records: recordsFrom(common) });
  expect(result).toMatchObject({ ok: true });
}

/** Compares like `verify`. */
function expectEqual(store: Reader): void {
  source.read((expected) => {
    const found = [
      ...comparedTables.flatMap((table) => [...tableFaults(table, store, expected)]),
      ...sponsorFaults(store, expected),
      ...digestFaults(store, expected),
      ...Object.values(counters).flatMap((counter) => [...counterFaults(counter, store, expected)]),
    ];
    expect(found.filter((fault) => fault !== undefined)).toEqual([]);
  });
}

beforeAll(() => {
  const { chain } = forgeBlocks(source, HEIGHT);
  const id = source.read((reader) => headerRow(reader, HEIGHT - 3).signature);
  chain.removeAfter(id, { returnTransactions: false });
  forgeBlocks(source, HEIGHT, 2);
});

describe.each(["none", "all"] as const)("a follower that checks signatures of %s units", (checks) => {
  test("has the same store as its source, also after a rollback and while a tip is persisted", async () => {
    const { store, chain, follower } = follow(memoryStore(), checks);
    await catchUp(follower);
    expectEqual(store);
    const tip = source.read((reader) => headerRow(reader, HEIGHT - 1).signature);
    const changes = recordChanges(chain);
    openChain(source).removeAfter(tip, { returnTransactions: false });
    await catchUp(follower);
    expect(changes).toHaveLength(1);
    expect(changes[0].reverted.length).toBeGreaterThan(0);
    expectEqual(store);
    forgeBlocks(source, HEIGHT + 1, 7);
    await catchUp(follower);
    expectEqual(store);
    // The tip is persisted without a new unit, which is a change too.
    const commits: ChainCursor[] = [];
    chain.onCommit((tip) => commits.push(tip));
    const { height, sequence, id } = chain.tip;
    expect(persistedHeightSince(store, { height, sequence, id })).toBe(height - 1);
    openChain(source).persistTip();
    await catchUp(follower);
    expect(commits).toEqual([{ height, sequence, id }]);
    expect(persistedHeightSince(store, { height, sequence, id })).toBe(height);
    expect(changes.at(-1)).toMatchObject({ reverted: [], committed: [], tip: { liquid: false } });
    expectEqual(store);
    expect(recordsFrom(follower.position)).toEqual([]);
  });

  test("refuses a unit with any altered part, and shows nothing of the change", async () => {
    const { store, chain, follower } = follow(memoryStore(), checks);
    const all = recordsFrom(follower.position);
    const firstMicro = all.findIndex(({ kind }) => kind === "micro");
    expect((await follower.apply({ records: all.slice(0, firstMicro) })).ok).toBe(true);
    const before = store.snapshot();
    const { tip } = chain;
    const rest = all.slice(firstMicro);
    const persist = rest.findIndex(({ kind }) => kind === "persist");
    const random = new SeededRandom(4);
    const altered: [number, Partial<UnitRecord>][] = [];
    for (const at of [0, rest.findIndex(({ kind }) => kind === "block"), persist, persist + 1]) {
      const record = rest[at];
      const { digest, isParentPersisted, arrivedAt, height, sequence } = record;
      if (digest === undefined) throw new Error("the source has no digests");
      for (const name of ["id", "parent", "bytes", "digest"] as const)
        if (record[name]?.length) altered.push([at, { [name]: flip(record[name], random) }]);
      altered.push([at, { arrivedAt: arrivedAt + 1 }], [at, { isParentPersisted: !isParentPersisted }]);
      altered.push([at, { height: height + 1 }], [at, { sequence: sequence + 1 }]);
      altered.push([at, { digest: digest.subarray(1) }]);
      if (record.bytes.length > 0) altered.push([at, { bytes: record.bytes.subarray(1) }]);
    }
    for (const [at, part] of altered) {
      const records = rest.map((record, i) => (i === at ? { ...record, ...part } : record));
      const result = await follower.apply({ records });
      expect(result.ok, JSON.stringify([at, Object.keys(part)])).toBe(false);
      expect(chain.tip).toEqual(tip);
    }
    const after = store.snapshot();
    for (const table of [tables.tip, tables.headers, tables.accounts, tables.unitDigests])
      expect([...after.scan(table as never, {})]).toEqual([...before.scan(table as never, {})]);
    await catchUp(follower);
    expectEqual(store);
  });
});

function persistedHeightSince(store: Store, position: ChainCursor): number | undefined {
  const changes = store.read((reader) => changesSince(reader, forgedProfile, position, 10));
  return changes.kind === "changes" && changes.committed.length === 0 ? changes.persistedHeight : undefined;
}

function flip(bytes: Uint8Array, random: SeededRandom): Uint8Array {
  const copy = bytes.slice();
  copy[random.below(copy.length)] ^= 1 << random.below(8);
  return copy;
}

test("a failing commit changes neither the store nor the chain in memory, and may be repeated", async () => {
  const store = new FailingStore(memoryStore(), new SeededRandom(1));
  const { chain, follower } = follow(store);
  const { position } = follower;
  const { tip } = chain;
  Object.assign(store.faults, { commits: 100 });
  await expect(follower.apply({ records: recordsFrom(position) })).rejects.toThrow(DiskFullError);
  Object.assign(store.faults, { commits: 0 });
  expect(chain.tip).toEqual(tip);
  expect(follower.position).toEqual(position);
  await catchUp(follower);
  expectEqual(store);
});

test("a follower with checks of live units refuses a live unit with a wrong signature, and accepts an old one", async () => {
  const { chain, follower } = follow(memoryStore(), "live");
  const all = recordsFrom(follower.position);
  const last = all.findLastIndex(({ kind }) => kind === "block");
  expect((await follower.apply({ records: all.slice(0, last), isLive: false })).ok).toBe(true);
  const { bytes, ...record } = all[last];
  // The id of a block is its signature, at the end of its bytes. Other rows have another digest.
  const altered = flip(bytes.subarray(bytes.length - 64), new SeededRandom(2));
  const forged = Buffer.concat([bytes.subarray(0, bytes.length - 64), altered]);
  const records = [{ ...record, id: altered, bytes: new Uint8Array(forged), digest: undefined }];
  const before = chain.tip;
  for (const isLive of [true, undefined]) {
    const result = await follower.apply({ records, isLive });
    expect(result).toMatchObject({
      ok: false,
      error: { kind: "malformed", reason: "its signature is invalid" },
    });
    expect(chain.tip).toEqual(before);
  }
  expect((await follower.apply({ records, isLive: false })).ok).toBe(true);
  expect(chain.tip.id).toEqual(altered);
});

describe("a change", () => {
  const faultOf = async (
    follower: Follower,
    change: Parameters<Follower["apply"]>[0],
  ): Promise<FollowFault> => {
    const result = await follower.apply(change);
    if (result.ok) throw new Error("the change was accepted");
    return result.error;
  };

  test("that begins below the undo journal, or with an unknown unit, is refused by name", async () => {
    const { chain, follower, store } = follow(memoryStore());
    await catchUp(follower);
    const [first, ...older] = [...follower.earlierPositions()].reverse();
    expect(first).toMatchObject({ height: 1, sequence: 0 });
    expect(older.at(-1)).toMatchObject({ height: chain.tip.height });
    store.write((batch) => batch.pruneJournal(4));
    expect(await faultOf(follower, { undoTo: first, records: [] })).toMatchObject({ kind: "too deep" });
    const unknown = { ...older[1], id: new Uint8Array(64) };
    expect(await faultOf(follower, { undoTo: unknown, records: [] })).toMatchObject({
      kind: "parent unknown",
    });
    const start = { height: 0, sequence: 0, id: new Uint8Array(0) };
    expect(await faultOf(follower, { undoTo: start, records: [] })).toMatchObject({ kind: "too deep" });
  });

  test("that does not continue our chain is refused", async () => {
    const { follower } = follow(memoryStore());
    const [first, second] = recordsFrom(follower.position);
    expect(await faultOf(follower, { records: [second] })).toMatchObject({
      kind: "parent unknown",
      unit: { height: second.height, sequence: second.sequence },
    });
    expect(await follower.apply({ records: [] })).toEqual({ ok: true, value: follower.position });
    expect(await follower.apply({ records: [first] })).toMatchObject({ ok: true, value: { id: first.id } });
    expect(await faultOf(follower, { records: [first] })).toMatchObject({ kind: "parent unknown" });
  });

  test("of a source without digests and old persist units leads to the same rows", async () => {
    const { store, follower } = follow(memoryStore());
    const records = recordsFrom(follower.position)
      .filter(({ kind }) => kind !== "persist")
      .map((record) => ({ ...record, digest: undefined, isParentPersisted: false }));
    expect((await follower.apply({ records })).ok).toBe(true);
    expect(store.get(tables.tip, undefined)).toEqual(source.get(tables.tip, undefined));
  });
});

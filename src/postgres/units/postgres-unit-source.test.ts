import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { chainReader } from "../../chain/snapshot.ts";
import { returnBlocks } from "../../chain/testing/return-blocks.ts";
import type { ChainCursor, ChainReader, FollowedPosition, SourceFrame } from "../../interfaces.ts";
import { readerContext } from "../../node/composition.ts";
import { sourceDescription } from "../../node/testing/follower-machine.ts";
import { startNode } from "../../node.ts";
import { dev } from "../../profiles/index.ts";
import { memoryStore } from "../../storage/memory-store.ts";
import { rootKeyPair } from "../../testing/dev-node.ts";
import { elapse } from "../../testing/elapse.ts";
import { settingsOf } from "../../testing/settings.ts";
import { simulatedEnvironment } from "../../testing/simulated-environment.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { isSameUnit } from "../../units/same-unit.ts";
import { UnitSourceError } from "../../units/source-error.ts";
import { fixedWallet } from "../../wallet/fixed-wallet.ts";
import type { SqlConnection, SqlRow } from "../connection/sql-connection.ts";
import { sqlErrorOf } from "../connection/sql-error.ts";
import { migrate } from "../schema/migrate.ts";
import { startPglite } from "../testing/pglite-connection.ts";
import { UnitMirror } from "../testing/unit-mirror.ts";
import { PostgresUnitSource } from "./postgres-unit-source.ts";
import type { SeenTimelines } from "./server-identity.ts";
import { verifyUnits } from "./verify-units.ts";

const START: ChainCursor = { height: 0, sequence: 0, id: new Uint8Array(0) };

let sql: SqlConnection;
beforeAll(async () => {
  sql = await startPglite();
  await migrate(sql, "test");
});
afterAll(() => sql.close());
beforeEach(async () => {
  for (const table of ["unit", "unit_body", "reverted_unit", "chain", "setting", "writer"])
    await sql.query(`truncate holdfast_1.${table}`);
});

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function mirrored(seconds = 60) {
  const clock = new VirtualClock(Number(dev.genesis.blockTimestamp) + 60_000);
  const wallet = fixedWallet([rootKeyPair], dev.chainId);
  const node = await startNode(
    simulatedEnvironment({ clock, store: memoryStore(), wallet }),
    settingsOf(dev, {}),
  );
  closing.push(node.stop);
  await elapse(clock, 1_000 * seconds);
  const reader = chainReader(
    node.environment.store,
    readerContext(node.settings, node.chain.rules, node.trust),
  );
  const mirror = new UnitMirror(sql, reader, sourceDescription(node));
  await mirror.sync();
  return { node, clock, reader, mirror };
}

/** Wraps the shared database: `close` must not end it. */
function shared(statements: string[] = []): SqlConnection {
  return {
    name: "database",
    lost: new AbortController().signal,
    query: (text, values, options) => {
      statements.push(text);
      return sql.query(text, values, options);
    },
    copyIn: (target, pieces) => sql.copyIn(target, pieces),
    script: (text) => sql.script(text),
    transaction: (work) => sql.transaction(work),
    listen: (channel, onNotify) => sql.listen(channel, onNotify),
    close: async () => {},
  };
}

function sourceOf(clock: VirtualClock, statements: string[] = [], seen: SeenTimelines = new Map()) {
  return new PostgresUnitSource({ name: "database", connect: async () => shared(statements), clock, seen });
}

class Reading {
  readonly frames: SourceFrame[] = [];
  readonly #iterator: AsyncIterator<SourceFrame>;
  readonly #abort = new AbortController();

  constructor(source: PostgresUnitSource, after: FollowedPosition) {
    this.#iterator = source.open(after, this.#abort.signal)[Symbol.asyncIterator]();
    closing.push(() => this.end());
  }

  async next(): Promise<SourceFrame> {
    const { value, done } = await this.#iterator.next();
    if (done === true) throw new Error("The stream ended");
    this.frames.push(value);
    return value;
  }

  /** Reads up to a frame of a kind. */
  async until(kind: SourceFrame["kind"]): Promise<SourceFrame> {
    for (;;) {
      const frame = await this.next();
      if (frame.kind === kind) return frame;
    }
  }

  get kinds(): string {
    return this.frames.map(({ kind }) => kind).join(" ");
  }

  async end(): Promise<void> {
    this.#abort.abort();
    await this.#iterator.return?.();
  }
}

const unitsOf = (reader: ReturnType<typeof chainReader>, after: ChainCursor = START) =>
  reader.read((chain) => chain.units.after(after, { units: 10_000, bytes: 2 ** 30 })).records;

describe("the units of a database", () => {
  test("are those of the mirrored node, with everything that a follower needs", async () => {
    const { node, clock, reader } = await mirrored(10);
    const reading = new Reading(sourceOf(clock), START);
    const first = await reading.next();
    expect(first).toEqual({ kind: "source", description: sourceDescription(node) });
    await reading.until("heartbeat");
    const records = reading.frames.flatMap((frame) => (frame.kind === "unit" ? [frame.record] : []));
    expect(records).toEqual(unitsOf(reader));
    expect(reading.frames.at(-2)).toMatchObject({ kind: "tip", score: node.chain.tip.score });
  });

  test("arrive after a notification, without a poll", async () => {
    const { clock, mirror } = await mirrored(10);
    // The source's clock does not advance.
    const reading = new Reading(sourceOf(new VirtualClock(0)), START);
    await reading.until("heartbeat");
    const next = reading.next();
    await elapse(clock, 60_000);
    await mirror.sync();
    expect((await next).kind).toBe("unit");
  });

  test("cost one statement per poll", async () => {
    const { clock } = await mirrored(10);
    const statements: string[] = [];
    const reading = new Reading(sourceOf(clock, statements), START);
    await reading.until("heartbeat");
    const before = statements.length;
    for (let i = 0; i < 5; i++) {
      const next = reading.next();
      await elapse(clock, 1_000);
      expect((await next).kind).toBe("heartbeat");
    }
    expect(statements.length - before).toBe(5);
  });

  test("end at an undone one and continue on the new branch", async () => {
    const { node, clock, mirror } = await mirrored(120);
    const reading = new Reading(sourceOf(clock), START);
    await reading.until("heartbeat");
    const { height } = node.chain.tip;
    await node.control.chain.rollback(height - 2, false);
    await mirror.sync();
    const undo = await reading.until("undo");
    expect(undo).toMatchObject({ to: { height: height - 2 } });
    await reading.until("heartbeat");
    const tip = reading.frames.findLast(({ kind }) => kind === "tip");
    expect(tip).toMatchObject({ cursor: { height: height - 2 } });
  });

  test("begin with an undo for a follower whose units were reverted", async () => {
    const { node, clock, mirror, reader } = await mirrored(120);
    const position = unitsOf(reader).at(-1);
    if (position === undefined) throw new Error("no unit");
    await node.control.chain.rollback(position.height - 2, false);
    await mirror.sync();
    const reading = new Reading(sourceOf(clock), position);
    await reading.until("heartbeat");
    expect(reading.kinds).toMatch(/^source tip undo /);
  });

  describe("that left the chain and returned above another persist unit", () => {
    const AT = 4;

    async function returned() {
      const mirrored_ = await mirrored(120);
      const { node, reader, mirror } = mirrored_;
      const before = unitsOf(reader);
      const return_ = async () => {
        returnBlocks(node.chain, node.environment.store, node.settings.profile, AT);
        await mirror.sync();
        expect(unitsOf(reader).at(-1)?.id).toEqual(before.at(-1)?.id);
      };
      const undone = {
        kind: "undo",
        to: before.findLast(({ height, kind }) => height === AT && kind !== "persist"),
      };
      return { ...mirrored_, before, return_, undone };
    }

    /** Reads to the end, and compares what a follower then has with the chain. */
    const expectUnits = async (reading: Reading, had: readonly ChainCursor[], reader: ChainReader) => {
      await reading.until("heartbeat");
      let units = [...had];
      for (const frame of reading.frames) {
        if (frame.kind === "unit") units.push(frame.record);
        if (frame.kind === "undo")
          units = units.slice(0, units.findIndex((one) => isSameUnit(one, frame.to)) + 1);
      }
      const places = (all: readonly ChainCursor[]) =>
        all.map(({ height, sequence }) => `${height}.${sequence}`);
      expect(places(units)).toEqual(places(unitsOf(reader)));
    };

    test("are sent again to a follower that was connected", async () => {
      const { clock, reader, return_ } = await returned();
      const reading = new Reading(sourceOf(clock), START);
      await reading.until("heartbeat");
      await return_();
      await reading.until("undo");
      await expectUnits(reading, [], reader);
    });

    test("are sent again to a follower that was away", async () => {
      const { clock, reader, before, return_ } = await returned();
      await return_();
      const newest = before.at(-1);
      if (newest === undefined) throw new Error("no unit");
      const reading = new Reading(sourceOf(clock), { ...newest, persists: { from: 1, heights: [] } });
      await expectUnits(reading, before, reader);
      expect(reading.kinds).toMatch(/^source tip undo /);
    });
  });

  test("are refused after an unknown position", async () => {
    const { clock } = await mirrored(10);
    const reading = new Reading(sourceOf(clock), { height: 2, sequence: 0, id: new Uint8Array(64) });
    await expect(reading.next()).rejects.toMatchObject({ fault: "unknown position" });
  });
});

describe("comparing a store with a database", () => {
  const compare = (reader: ChainReader) =>
    verifyUnits(sql, { reader, isStopped: () => false, progress: () => {} });

  test("finds no difference in equal units, also if one has more", async () => {
    const { node, clock, reader, mirror } = await mirrored(120);
    const units = unitsOf(reader);
    const newest = units.at(-1);
    expect(await compare(reader)).toMatchObject({
      outcome: "complete",
      faults: [],
      units: units.length,
      digests: units.length,
      common: { id: newest?.id },
      own: { id: newest?.id },
      theirs: { id: newest?.id },
    });
    await elapse(clock, 60_000);
    const ahead = await compare(reader);
    expect(ahead).toMatchObject({ outcome: "complete", faults: [], common: { id: newest?.id } });
    expect(ahead.own.height).toBeGreaterThan(ahead.theirs.height);
    await mirror.sync();
    const height = node.chain.tip.height - 3;
    await node.control.chain.rollback(height, false);
    const behind = await compare(reader);
    expect(behind).toMatchObject({ own: { height }, theirs: { height: height + 3 }, common: { height } });
    await elapse(clock, 600_000);
    expect(await compare(reader)).toMatchObject({ outcome: "other branch", faults: [], common: { height } });
  });

  test.each([
    ["digest", "unit set digest = sha256('1')", "its digests differ"],
    ["arrival", "unit set arrived_ms = arrived_ms + 1", "its arrival times differ"],
    ["parent", "unit set parent = sha512('1')", "its parents differ"],
    ["bytes", "unit_body set bytes = bytes || '1'", "its bytes differ"],
  ])("names the unit whose %s was altered", async (_, change, problem) => {
    const { reader } = await mirrored(60);
    const { height, sequence, id } = unitsOf(reader)[3];
    await sql.query(`update holdfast_1.${change} where height = $1 and sequence = $2`, [height, sequence]);
    const { outcome, faults } = await compare(reader);
    expect(outcome).toBe("complete");
    expect(faults).toEqual([{ unit: { height, sequence, id }, problem }]);
  });
});

describe("a database is behind", () => {
  test("while its mirror fills it", async () => {
    const { clock, mirror } = await mirrored(10);
    await mirror.sync("filling");
    const reading = new Reading(sourceOf(clock), START);
    expect(await reading.until("stale")).toMatchObject({
      reason: expect.stringMatching(/its mirror is filling, height \d+/),
    });
    await mirror.sync("live");
    await reading.until("tip");
    expect((await reading.next()).kind).toBe("heartbeat");
  });

  test("after the lease of its mirror ended, for the same reason all the time", async () => {
    const { clock } = await mirrored(10);
    await sql.query("insert into holdfast_1.writer values ('mirror', 1, now() - interval '5 seconds')");
    const reading = new Reading(sourceOf(clock), START);
    const first = await reading.until("stale");
    expect(first).toMatchObject({
      reason: expect.stringMatching(/has had no mirror since \d{4}-\d\d-\d\d \S+\+00, or is a replica/),
    });
    const next = reading.until("stale");
    // The server's clock, too.
    await sql.query("select pg_sleep(0.002)");
    await elapse(clock, 1_000);
    expect(await next).toEqual(first);
  });
});

describe("a database is refused", () => {
  const faultOf = async (clock: VirtualClock, seen?: SeenTimelines): Promise<string> => {
    try {
      await new Reading(sourceOf(clock, [], seen), START).next();
      return "none";
    } catch (error) {
      if (error instanceof UnitSourceError) return `${error.fault}: ${error.message}`;
      throw error;
    }
  };
  const clock = new VirtualClock(0);

  test("before its mirror wrote anything, but not for ever", async () => {
    expect(await faultOf(clock)).toMatch(/^busy: .*waits for the mirror/);
  });

  test("before a migration created its role, but not for ever; a wrong password is final", async () => {
    const refusal = (code: string) =>
      new PostgresUnitSource({
        name: "database",
        connect: async () => {
          throw sqlErrorOf(Object.assign(new Error("refused"), { code }), "database");
        },
        clock,
        seen: new Map(),
      }).open(START, new AbortController().signal);
    await expect(refusal("28000").next()).rejects.toMatchObject({ fault: "busy" });
    await expect(refusal("28P01").next()).rejects.toMatchObject({ fault: "unauthorized" });
  });

  test("until its mirror has filled it up to the follower's unit, but not for ever", async () => {
    const { clock, mirror } = await mirrored(10);
    await mirror.sync("filling");
    await sql.query("truncate holdfast_1.unit, holdfast_1.unit_body");
    await sql.query("update holdfast_1.chain set height = 0, sequence = 0, id = ''");
    const position = { height: 2, sequence: 0, id: new Uint8Array(64) };
    await expect(new Reading(sourceOf(clock), position).next()).rejects.toMatchObject({
      fault: "busy",
      message: "The database database is incomplete: its mirror is filling, height 0",
    });
  });

  test("if its server is older than PostgreSQL 14", async () => {
    const old: SqlConnection = {
      ...shared(),
      query: async <R extends SqlRow>(...args: Parameters<SqlConnection["query"]>) => {
        const result = await sql.query<R>(...args);
        return {
          ...result,
          rows: result.rows.map((row) => ("version" in row ? { ...row, version: "130004" } : row)),
        };
      },
    };
    const options = { name: "database", connect: async () => old, clock, seen: new Map() };
    await expect(new Reading(new PostgresUnitSource(options), START).next()).rejects.toMatchObject({
      fault: "refused",
      message: "database runs PostgreSQL 13: 14 or newer is needed",
    });
  });

  test("if its unit has no bytes", async () => {
    await mirrored(10);
    await sql.query("delete from holdfast_1.unit_body where height = 2");
    expect(await faultOf(clock)).toMatch(/^malformed: .*unit 2.0: its bytes are missing/);
  });

  test.each([
    [
      "has too many bytes",
      "unit_body set bytes = decode(repeat('00', 4194305), 'hex')",
      "it has 4194305 bytes",
    ],
    ["has a long id", "unit set id = id || id", "its id does not have 64 bytes"],
    ["has a long parent", "unit set parent = decode(repeat('00', 65), 'hex')", "more than 64 bytes"],
    ["has a long digest", "unit set digest = digest || digest", "its digest does not have 32 bytes"],
  ])("if its unit %s, which are not read", async (_, change, problem) => {
    await mirrored(10);
    await sql.query(`update holdfast_1.${change} where height = 2 and sequence = 0`);
    expect(await faultOf(clock)).toMatch(new RegExp(`^malformed: .*unit 2.0: .*${problem}`));
  });

  test("if its score is not a number", async () => {
    await mirrored(10);
    await sql.query("update holdfast_1.chain set score = 'NaN'");
    expect(await faultOf(clock)).toBe("malformed: The database database has the score NaN");
  });

  test("if the units that left its chain are invalid", async () => {
    const { clock, node, mirror } = await mirrored(120);
    await node.control.chain.rollback(node.chain.tip.height - 2, false);
    await mirror.sync();
    await sql.query("update holdfast_1.reverted_unit set payers = '{0OIl}'");
    await expect(sourceOf(clock).reverted()).rejects.toMatchObject({
      fault: "malformed",
      message: expect.stringMatching(/^The units that left the chain of database are invalid: /),
    });
  });

  test("if its settings are invalid or of a newer version", async () => {
    await mirrored(10);
    await sql.query("update holdfast_1.setting set value = '7' where name = 'network'");
    expect(await faultOf(clock)).toMatch(/^malformed: The settings in database are invalid/);
    await sql.query("update holdfast_1.setting set value = '9' where name = 'version'");
    expect(await faultOf(clock)).toMatch(/^other version: .*version 9/);
  });

  test("if its settings are of another network than its chain", async () => {
    await mirrored(10);
    await sql.query("update holdfast_1.chain set genesis = decode('00', 'hex')");
    expect(await faultOf(clock)).toMatch(/^malformed: .*has the chain 1, but settings of LTO/);
  });

  test("if its timeline goes backwards", async () => {
    await mirrored(10);
    const seen: SeenTimelines = new Map();
    expect(await faultOf(clock, seen)).toBe("none");
    for (const [system, timeline] of seen) seen.set(system, timeline + 1);
    expect(seen.size).toBe(1);
    expect(await faultOf(clock, seen)).toMatch(
      /^refused: .*on timeline 1, but this process has seen timeline 2/,
    );
  });

  test("while it has no tables, but not for ever", async () => {
    await sql.query("alter table holdfast_1.format rename to absent");
    try {
      expect(await faultOf(clock)).toMatch(/^busy: .*run holdfast mirror migrate/);
    } finally {
      await sql.query("alter table holdfast_1.absent rename to format");
    }
  });
});

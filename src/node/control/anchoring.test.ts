/** Pending anchors of whole nodes: none is lost in any case. */
import { describe, expect, test } from "vitest";
import { anchoringMetrics } from "../../anchoring/metrics.ts";
import { encodeHex } from "../../bytes/hex.ts";
import { sha256 } from "../../crypto/hashes.ts";
import type { MetricDefinition } from "../../runtime/metrics.ts";
import { DiskError } from "../../storage/disk/disk-error.ts";
import { SeededRandom } from "../../testing/seeded-random.ts";
import { Machine, MINUTE } from "../testing/anchoring-machine.ts";

const hashesOf = (count: number, from = 0, length = 32): Uint8Array[] =>
  Array.from({ length: count }, (_, i) =>
    sha256(Uint8Array.of((from + i) & 255, (from + i) >> 8)).slice(0, length),
  );

describe("hashes in batches", () => {
  test("are refused if the disk fails for good, and the node ends", async () => {
    const machine = new Machine({ anchoring: { mode: "batch" } });
    await machine.start();
    const { finished } = machine.node;
    const fault = new DiskError("the disk did not confirm a commit", { lasting: true });
    Object.assign(machine.anchors.faults, { commits: 100, error: () => fault });
    const ended = expect(finished).rejects.toBe(fault);
    expect(await machine.take(hashesOf(1)[0])).toBe(false);
    await ended;
  });

  test("wait for a block and are broadcast in transactions of a hundred", async () => {
    const machine = new Machine({ anchoring: { mode: "batch" } });
    await machine.start();
    const hashes = hashesOf(130);
    const taken = await Promise.all(hashes.map((hash) => machine.take(hash)));
    expect(taken).toEqual(hashes.map(() => true));
    await machine.settle();
    // A full transaction does not wait.
    expect(machine.node.pool.size).toBe(1);
    expect(await machine.waiting()).toBe(30);
    expect(await machine.node.control.anchoring.queued(hashes[129])).toMatchObject({
      transactionId: undefined,
    });
    await machine.pass(3);
    expect(await machine.waiting()).toBe(0);
    expect(hashes.every((hash) => machine.proves(hash))).toBe(true);
    // Until they are final.
    expect(await machine.sent()).toBe(2);
    await machine.pass(10);
    expect(await machine.sent()).toBe(0);
    await machine.stop();
  });

  test("are queued once, however often they come", async () => {
    const machine = new Machine({ anchoring: { mode: "batch" } });
    await machine.start();
    const [hash] = hashesOf(1);
    expect(await Promise.all([machine.take(hash), machine.take(hash), machine.take(hash)])).toEqual([
      true,
      true,
      true,
    ]);
    expect(await machine.waiting()).toBe(1);
    await machine.pass(3);
    await machine.take(hash);
    expect(await machine.waiting()).toBe(0);
    await machine.stop();
  });

  test("are refused if the queue is full", async () => {
    const machine = new Machine({ anchoring: { mode: "batch", queueLimit: 5 } });
    await machine.start();
    const outcomes = await Promise.all(hashesOf(6).map((hash) => machine.node.control.anchoring.add(hash)));
    expect(outcomes.map(({ ok }) => ok)).toEqual([true, true, true, true, true, false]);
    expect(outcomes[5]).toMatchObject({ error: { kind: "anchors-full" } });
    await machine.pass(3);
    expect(await machine.take(hashesOf(6)[5])).toBe(true);
    await machine.stop();
  });

  test("are refused if the disk cannot be written, and may come again", async () => {
    const machine = new Machine({ anchoring: { mode: "batch" } });
    await machine.start();
    machine.anchors.faults.commits = 100;
    const hashes = hashesOf(3);
    for (const hash of hashes)
      expect(await machine.node.control.anchoring.add(hash)).toMatchObject({
        error: { kind: "disk-fault" },
      });
    expect(await machine.waiting()).toBe(0);
    machine.anchors.faults.commits = 0;
    expect(await machine.take(hashes[0])).toBe(true);
    await machine.pass(3);
    expect(hashes.map((hash) => machine.proves(hash))).toEqual([true, false, false]);
    await machine.stop();
  });

  test("wait while the account has no tokens", async () => {
    const machine = new Machine({ anchoring: { mode: "batch" } }, 0);
    await machine.start();
    const hashes = hashesOf(3);
    for (const hash of hashes) expect(await machine.take(hash)).toBe(true);
    await machine.pass(5);
    expect(await machine.waiting()).toBe(3);
    const { problem } = (await machine.node.control.anchoring.info(0)) ?? {};
    expect(problem?.text).toMatch(/^the transaction is refused: State check failed/);
    const said = machine.log.lines.filter(({ message }) => message.includes("cannot be broadcast"));
    expect(said.map(({ message }) => message)).toEqual([
      expect.stringContaining("Pending anchors cannot be broadcast"),
    ]);
    await machine.stop();
    // Another account has tokens.
    await machine.start({ anchoring: { hashAccount: undefined } });
    await machine.pass(3);
    expect((await machine.node.control.anchoring.info(0))?.problem).toBeUndefined();
    expect(hashes.every((hash) => machine.proves(hash))).toBe(true);
    await machine.stop();
  });

  test("are kept while broadcasting fails, and retried with the next block only", async () => {
    const machine = new Machine({ anchoring: { mode: "batch" } }, 0);
    await machine.start();
    for (const hash of hashesOf(120)) await machine.take(hash);
    await machine.settle();
    expect((await machine.node.control.anchoring.info(0))?.problem).toBeDefined();
    const { writeAsync } = machine.anchors;
    let commits = 0;
    machine.anchors.writeAsync = function (writing) {
      commits++;
      return writeAsync.call(this, writing) as never;
    };
    for (const hash of hashesOf(20, 500)) {
      await machine.take(hash);
      await machine.settle();
    }
    // One for each hash; another transaction would need two more.
    expect(commits).toBe(20);
    expect(await machine.waiting()).toBe(140);
    await machine.stop();
  });

  test("are broadcast again after they left block and pool", async () => {
    const machine = new Machine({ anchoring: { mode: "batch" } });
    await machine.start();
    const hashes = hashesOf(3);
    for (const hash of hashes) await machine.take(hash);
    await machine.pass(3);
    expect(hashes.every((hash) => machine.proves(hash))).toBe(true);
    await machine.node.control.chain.rollback(1, false);
    expect(hashes.some((hash) => machine.proves(hash))).toBe(false);
    await machine.pass(3);
    expect(hashes.every((hash) => machine.proves(hash))).toBe(true);
    await machine.stop();
  });

  test("are broadcast even if batching was disabled meanwhile", async () => {
    const machine = new Machine({ anchoring: { mode: "merkle", treeMs: 60 * MINUTE } });
    await machine.start();
    const hashes = hashesOf(3);
    for (const hash of hashes) await machine.take(hash);
    await machine.stop();
    await machine.start({ anchoring: { mode: "off" } });
    await machine.pass(3);
    expect(hashes.every((hash) => machine.proves(hash))).toBe(true);
    await machine.stop();
  });
});

describe("hashes in trees", () => {
  const merkle = {
    anchoring: { mode: "merkle", treeMs: 10 * MINUTE, treeLeaves: 1_000 },
  } as const;

  test("share one anchor after the interval", async () => {
    const machine = new Machine(merkle);
    await machine.start();
    const hashes = hashesOf(300);
    await Promise.all(hashes.map((hash) => machine.take(hash)));
    await machine.pass(9);
    expect(machine.proves(hashes[0])).toBe(false);
    await machine.pass(3);
    expect(await machine.sent()).toBe(1);
    expect(hashes.filter((hash) => !machine.proves(hash)).map(encodeHex)).toEqual([]);
    expect(machine.proves(sha256(hashes[0]))).toBe(false);
    await machine.take(hashes[5]);
    expect(await machine.waiting()).toBe(0);
    await machine.stop();
  });

  test("do not wait if there are enough; other jobs are broadcast as they are", async () => {
    const machine = new Machine({ anchoring: { ...merkle.anchoring, treeLeaves: 10 } });
    await machine.start();
    const hashes = [...hashesOf(10), ...hashesOf(3, 50, 20)];
    for (const hash of hashes) await machine.take(hash);
    await machine.pass(2);
    expect(hashes.every((hash) => machine.proves(hash))).toBe(true);
    expect(machine.read((chain) => chain.anchors.first(hashes[0]))).toBeUndefined();
    expect(machine.read((chain) => chain.anchors.first(hashes[11]))).toBeDefined();
    await machine.stop();
  });

  test("survive a kill at any step of building the tree", async () => {
    const hashes = hashesOf(2_100);
    for (let commits = 0; commits < 4; commits++) {
      const machine = new Machine({ anchoring: { ...merkle.anchoring, treeLeaves: 2_100 } });
      await machine.start();
      const { writeAsync } = machine.anchors;
      await Promise.all(hashes.slice(0, 2_099).map((hash) => machine.take(hash)));
      // The disk fails after this many commits.
      let left = commits + 1;
      machine.anchors.writeAsync = async function (writing) {
        if (left-- === 0) this.faults.commits = 100;
        return writeAsync.call(this, writing) as never;
      };
      await machine.take(hashes[2_099]);
      await machine.settle();
      await machine.stop();
      machine.anchors.writeAsync = writeAsync;
      machine.anchors.faults.commits = 0;
      await machine.start();
      await machine.pass(12);
      // A path needs only the hashes of a group and of the groups.
      const some = hashes.filter((_, i) => i % 50 === 0 || i > 2_090);
      expect(some.filter((hash) => !machine.proves(hash)).length).toBe(0);
      expect(await machine.waiting()).toBe(0);
      await machine.stop();
    }
  });
});

test.each(Array.from({ length: 4 }, (_, i) => i + 1))(
  "what was taken is anchored, whatever happens meanwhile (seed %i)",
  async (seed) => {
    const random = new SeededRandom(seed);
    const mode = random.pick(["batch", "merkle"] as const);
    const settings = { anchorBatch: mode, anchorTreeIntervalMs: 2 * MINUTE, anchorTreeLeaves: 20 };
    const machine = new Machine({ ...settings, pool: { maxAgeMs: 5 * MINUTE } }, random.below(2) * 200);
    await machine.start();
    const taken: Uint8Array[] = [];
    let next = 0;
    for (let step = 0; step < 40; step++) {
      switch (random.below(7)) {
        case 0:
        case 1:
        case 2: {
          const some = hashesOf(1 + random.below(30), next, random.pick([32, 32, 20]));
          next += some.length;
          const accepted = await Promise.all(some.map((hash) => machine.take(hash)));
          taken.push(...some.filter((_, i) => accepted[i]));
          break;
        }
        case 3: {
          const { height } = machine.node.chain.tip;
          await machine.node.control.chain.rollback(Math.max(1, height - random.below(5)), random.chance(50));
          break;
        }
        case 4:
          await machine.stop();
          machine.anchors.faults.commits = 0;
          await machine.start({ anchoring: { mode: random.pick(["batch", "merkle"]) } });
          break;
        case 5:
          machine.anchors.faults.commits = random.pick([0, 0, 30, 100]);
          break;
        default:
          await machine.pass(1 + random.below(3));
      }
    }
    machine.anchors.faults.commits = 0;
    // An account with enough tokens.
    await machine.stop();
    await machine.start({ anchoring: { hashAccount: undefined } });
    // Blocks arrive at random times.
    for (let i = 0; i < 20 && (await machine.waiting()) + (await machine.sent()) > 0; i++)
      await machine.pass(10);
    expect(taken.length).toBeGreaterThan(50);
    expect(taken.filter((hash) => !machine.proves(hash)).map(encodeHex)).toEqual([]);
    expect(await machine.waiting()).toBe(0);
    expect(await machine.sent()).toBe(0);
    expect(machine.log.lines.filter(({ level }) => level === "error")).toEqual([]);
    await machine.stop();
  },
);

describe("the metrics of pending anchors", () => {
  /** Returns the values of a metric by their labels. */
  const valuesOf = ({ metrics }: Machine, { name }: MetricDefinition): Record<string, number> => {
    const samples = metrics.samples().find((metric) => metric.name === name)?.values ?? [];
    return Object.fromEntries(samples.map(({ labels, value }) => [Object.values(labels).join(" "), value]));
  };

  test("follow a hash from the queue to its final block", async () => {
    const machine = new Machine({ anchoring: { mode: "batch" } });
    await machine.start();
    expect(valuesOf(machine, anchoringMetrics.oldest)).toEqual({ "": 0 });
    for (const hash of hashesOf(3)) await machine.take(hash);
    await machine.settle();
    machine.clock.advance(2_000);
    expect(valuesOf(machine, anchoringMetrics.pending)).toEqual({ waiting: 3, sent: 0 });
    expect(valuesOf(machine, anchoringMetrics.oldest)).toEqual({ "": 2 });
    await machine.pass(3);
    expect(valuesOf(machine, anchoringMetrics.pending)).toEqual({ waiting: 0, sent: 3 });
    expect(valuesOf(machine, anchoringMetrics.oldest)).toEqual({ "": 0 });
    await machine.pass(10);
    expect(valuesOf(machine, anchoringMetrics.pending)).toEqual({ waiting: 0, sent: 0 });
    expect(valuesOf(machine, anchoringMetrics.batches)).toEqual({
      accepted: 1,
      postponed: 0,
      refused: 0,
      final: 1,
    });
    await machine.stop();
    expect(valuesOf(machine, anchoringMetrics.pending)).toEqual({});
  });

  test("show that the account cannot pay", async () => {
    const machine = new Machine({ anchoring: { mode: "batch" } }, 0);
    await machine.start();
    await machine.take(hashesOf(1)[0]);
    await machine.pass(3);
    expect(valuesOf(machine, anchoringMetrics.failing)).toEqual({ "": 1 });
    expect(valuesOf(machine, anchoringMetrics.batches)).toMatchObject({ accepted: 0, final: 0 });
    expect(valuesOf(machine, anchoringMetrics.batches).refused).toBeGreaterThan(0);
    await machine.stop();
  });
});

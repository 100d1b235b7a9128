import { describe, expect, test } from "vitest";
import type { NodeHealth } from "../../../control/index.ts";
import { dev } from "../../../profiles/index.ts";
import { UnavailableError } from "../../../runtime/rpc.ts";
import { VirtualClock } from "../../../testing/virtual-clock.ts";
import { fakeControl, WELL } from "../../testing/control.ts";
import { NOW, testServer } from "../../testing/server.ts";
import { emptyBlock, type SnapshotOverrides } from "../../testing/snapshot.ts";

const sync = {
  peers: 3,
  targetHeight: undefined,
  claimedHeight: undefined,
  blocksPerSecond: 0,
  transactionsPerSecond: 0,
  secondsLeft: undefined,
  deepBranch: undefined,
};

interface Facts {
  readonly health?: () => Promise<NodeHealth>;
  readonly chain?: SnapshotOverrides;
  /** Of the newest block, ms. */
  readonly age?: number;
}

async function probed({ health = async () => WELL, chain = {}, age = 1_000 }: Facts = {}) {
  const clock = new VirtualClock(NOW);
  const server = await testServer({
    clock,
    control: fakeControl([], dev.chainId, { node: { health } }),
    chain: {
      height: () => 100,
      blocks: { header: (height) => emptyBlock(height, { timestamp: BigInt(NOW - age) }) },
      ...chain,
    },
  });
  const ask = async (url: string) => {
    const { statusCode: status, headers, body } = await server.inject({ url });
    return { status, headers, body: JSON.parse(body) };
  };
  return { server, clock, ask, close: () => server.close() };
}

/** The status and the codes of both probes. */
async function verdicts(facts: Facts = {}) {
  const { ask, close } = await probed(facts);
  const read = async (url: string) => {
    const { status, body } = await ask(url);
    expect(body.ok).toBe(status === 200);
    return [status, ...body.reasons.map(({ code }: { code: string }) => code)];
  };
  const both = { live: await read("/health/live"), ready: await read("/health/ready") };
  await close();
  return both;
}

const withHealth = (changes: Partial<NodeHealth>): Facts => ({
  health: async () => ({ ...WELL, ...changes }),
});
const late = 3_600_000;

const following = (lagMs: number | undefined): Facts =>
  withHealth({
    following: {
      source: undefined,
      lagUnits: 3,
      lagMs,
      maxLagMs: 10_000,
      problem: "The source a is not reachable",
      digestFaults: 0,
    },
  });

test("a follower that is not ready says for how long, what it lacks, and why", async () => {
  const { ask, close } = await probed(following(61_500));
  const { status, body } = await ask("/health/ready");
  await close();
  expect(status).toBe(503);
  expect(body.reasons[0].message).toBe(
    "The node has not had its source's newest block for 61 s. It lacks at least 3 units. " +
      "The source a is not reachable.",
  );
  expect(body.following).toMatchObject({ lagUnits: 3, digestFaults: 0 });
});

describe("the probes of", () => {
  test.each<[string, Facts, { live: (string | number)[]; ready: (string | number)[] }]>([
    ["a node in sync", withHealth({ knowsPeers: true, sync }), { live: [200], ready: [200] }],
    ["a follower at its limit", following(10_000), { live: [200], ready: [200] }],
    ["a follower above its limit", following(10_001), { live: [200], ready: [503, "lag"] }],
    ["a follower that was never current", following(undefined), { live: [200], ready: [503, "lag"] }],
    [
      "a new node without peers",
      { age: late, chain: { height: () => 1 } },
      { live: [200], ready: [200, "late"] },
    ],
    [
      "a new node of a network with peers",
      { ...withHealth({ knowsPeers: true, sync }), age: late, chain: { height: () => 1 } },
      { live: [200], ready: [503, "late"] },
    ],
    ["a node with an old block", { age: late }, { live: [200], ready: [503, "late"] }],
    [
      "a node without its peers",
      withHealth({ knowsPeers: true, sync: { ...sync, peers: 0 } }),
      { live: [200], ready: [503, "alone"] },
    ],
    [
      "a node on a full disk",
      withHealth({ diskSpace: { state: "paused", freeBytes: 1 } }),
      { live: [200], ready: [503, "disk"] },
    ],
    [
      "a node with little disk space",
      withHealth({ diskSpace: { state: "low", freeBytes: 1 } }),
      { live: [200], ready: [200] },
    ],
    [
      "a node with a wrong clock",
      withHealth({ clockErrorMs: 2_000_000 }),
      { live: [200], ready: [503, "clock"] },
    ],
    [
      "a node that catches up",
      withHealth({ knowsPeers: true, sync: { ...sync, targetHeight: 5_000 } }),
      { live: [200], ready: [503, "behind"] },
    ],
    [
      "a node on another chain than its peers",
      withHealth({ sync: { ...sync, deepBranch: { commonHeight: 50, depth: 103, maxRollback: 100 } } }),
      { live: [200], ready: [503, "branch"] },
    ],
    [
      "a node that builds an index",
      {
        chain: {
          indexes: { progress: () => [{ name: "anchors", state: "building", isEnabled: true, height: 40 }] },
        },
      },
      { live: [200], ready: [503, "index"] },
    ],
    [
      "a node that cannot anchor",
      withHealth({ anchors: { waiting: 7, problem: { text: "no tokens", since: 5 } } }),
      { live: [200], ready: [200, "anchors"] },
    ],
    [
      "a node without an approved feature",
      { chain: { network: { approvedFeatures: () => [99] } } },
      { live: [200], ready: [200, "feature"] },
    ],
    [
      "a stopping node",
      withHealth({ isStopping: true }),
      { live: [503, "stopping"], ready: [503, "stopping"] },
    ],
    [
      "a stopped node",
      { health: () => Promise.reject(new UnavailableError("closing")) },
      { live: [503, "stopping"], ready: [503, "stopping"] },
    ],
  ])("%s", async (_, facts, expected) => {
    expect(await verdicts(facts)).toEqual(expected);
  });
});

test("answers probes without a key, for HEAD too, and never from a cache", async () => {
  const { server, ask, close } = await probed();
  const { status, headers, body } = await ask("/health/ready");
  expect([status, headers["cache-control"], headers.etag]).toEqual([200, "no-store", undefined]);
  expect(body).toEqual({ ok: true, reasons: [] });
  const head = await server.inject({ method: "HEAD", url: "/health/live" });
  expect(head.statusCode).toBe(200);
  await close();
});

test("answers probes of a node that hangs within 0.8 s, and is not live after 30 s", async () => {
  const calls: ((health: NodeHealth) => void)[] = [];
  const { clock, ask, close } = await probed({
    health: () => new Promise((resolve) => calls.push(resolve)),
  });
  /** Sends probes together, and advances the clock until they are answered. */
  const probe = async () => {
    const probes = [ask("/health/live"), ask("/health/ready"), ask("/health/live")];
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(800);
    const [live, ready] = await Promise.all(probes);
    return [live.status, ready.status, live.body.reasons];
  };
  const silent = (seconds: string) => [
    { code: "unresponsive", message: `The node's main thread has not answered for ${seconds} s.` },
  ];
  expect(await probe()).toEqual([200, 503, silent("0.8")]);
  clock.advance(28_000);
  expect(await probe()).toEqual([200, 503, silent("29.6")]);
  expect(await probe()).toEqual([503, 503, silent("30.4")]);
  expect(calls).toHaveLength(1);
  calls[0](WELL);
  await Promise.resolve();
  const again = ask("/health/live");
  await new Promise((resolve) => setImmediate(resolve));
  calls[1](WELL);
  expect((await again).status).toBe(200);
  await close();
});

test("1,000 probes at once share one call to a node that hangs, and all are answered", async () => {
  let calls = 0;
  const { clock, server, close } = await probed({
    health: () => {
      calls++;
      return new Promise(() => {});
    },
  });
  const probes = Array.from({ length: 1_000 }, () => server.inject({ url: "/health/ready" }));
  for (let turns = 0; clock.pending < 1_000 && turns < 1_000; turns++)
    await new Promise((resolve) => setImmediate(resolve));
  clock.advance(800);
  const statuses = (await Promise.all(probes)).map(({ statusCode }) => statusCode);
  expect(statuses).toEqual(Array.from({ length: 1_000 }, () => 503));
  expect(calls).toBe(1);
  // No probe leaves a timer; the server has one of its own.
  expect(clock.pending).toBeLessThan(10);
  await close();
});

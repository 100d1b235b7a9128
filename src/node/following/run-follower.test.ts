import { getEventListeners } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { UNIT_STREAM } from "../../api/schemas/common.ts";
import { encodeUtf8 } from "../../bytes/utf8.ts";
import { persistUnits } from "../../chain/reading/common-record.ts";
import { returnBlocks } from "../../chain/testing/return-blocks.ts";
import { SettingsError } from "../../config/errors.ts";
import type { Settings } from "../../config/settings.ts";
import { secureHash } from "../../crypto/hashes.ts";
import type { FollowedPosition, SourceDescription, SourceFrame, UnitSource } from "../../interfaces.ts";
import { type Node, startNode } from "../../node.ts";
import { dev } from "../../profiles/index.ts";
import { type Metrics, MetricsRegistry, metricsText } from "../../runtime/metrics.ts";
import { DiskError } from "../../storage/disk/disk-error.ts";
import { memoryStore } from "../../storage/memory-store.ts";
import type { Store } from "../../storage/store.ts";
import { tables } from "../../storage/tables.ts";
import { FailingStore } from "../../storage/testing/failing-store.ts";
import { RecordingLog, rootKeyPair } from "../../testing/dev-node.ts";
import { elapse } from "../../testing/elapse.ts";
import { SeededRandom } from "../../testing/seeded-random.ts";
import { type SettingsChanges, settingsOf } from "../../testing/settings.ts";
import { simulatedEnvironment } from "../../testing/simulated-environment.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { HttpUnitSource } from "../../unit-sources/http-unit-source.ts";
import { STREAM_VERSION } from "../../units/description.ts";
import { encodeFrame } from "../../units/frames.ts";
import { UnitSourceError } from "../../units/source-error.ts";
import { fixedWallet } from "../../wallet/fixed-wallet.ts";
import { startApiInline } from "../testing/api-inline.ts";
import { caughtUp, FollowerMachine, sourceDescription, sourceOf } from "../testing/follower-machine.ts";
import { FollowFaultError } from "./follow-fault-error.ts";
import { followingMetrics } from "./metrics.ts";
import { runFollower } from "./run-follower.ts";

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const newClock = () => new VirtualClock(Number(dev.genesis.blockTimestamp) + 60_000);

async function forgingNode(clock = newClock(), seconds = 120, api?: SettingsChanges["api"]): Promise<Node> {
  const settings = settingsOf(dev, { api });
  const wallet = fixedWallet([rootKeyPair], dev.chainId);
  const http = api && startApiInline();
  const node = await startNode(simulatedEnvironment({ clock, store: memoryStore(), wallet, http }), settings);
  closing.push(node.stop);
  await elapse(clock, 1_000 * seconds);
  return node;
}

function followerSettings(changes: Partial<Settings> = {}): Settings {
  return settingsOf(dev, { following: { sources: ["http://node"] }, ...changes });
}

async function follow(
  sources: readonly UnitSource[],
  clock: VirtualClock,
  settings = followerSettings(),
  metrics?: Metrics,
) {
  const log = new RecordingLog();
  const machine = new FollowerMachine({ sources, clock, log, metrics });
  const running = await runFollower(machine, settings, new AbortController().signal);
  closing.push(() => running.stop());
  return { machine, running, log, messages: () => log.lines.map(({ message }) => message) };
}

/** A source that a test can make unreachable. */
function switchable(source: UnitSource): UnitSource & { isAway: boolean } {
  return {
    name: source.name,
    isAway: false,
    async *open(after, signal) {
      const unreachable = () => new UnitSourceError("unreachable", `${source.name} is away`);
      if (this.isAway) throw unreachable();
      for await (const frame of source.open(after, signal)) {
        if (this.isAway) throw unreachable();
        yield frame;
      }
    },
  };
}

/** Changes the frames of a source. */
function changed(source: UnitSource, change: (frame: SourceFrame) => SourceFrame): UnitSource {
  return {
    name: source.name,
    async *open(after, signal) {
      for await (const frame of source.open(after, signal)) yield change(frame);
    },
  };
}

const withDescription = (source: UnitSource, description: Partial<SourceDescription>): UnitSource =>
  changed(source, (frame) =>
    frame.kind === "source" ? { ...frame, description: { ...frame.description, ...description } } : frame,
  );

/**
 * Alters the digests of units from a height on. `isOnlyForStore`: not in streams from the first block, which fill a new
 * store; `isHeld`: these wait.
 */
function alteringDigests(source: UnitSource, from: number) {
  return {
    name: source.name,
    from,
    isOnlyForStore: false,
    isHeld: false,
    async *open(after: FollowedPosition, signal: AbortSignal): AsyncGenerator<SourceFrame> {
      const isFilling = this.isOnlyForStore && after.height <= 1;
      for await (const frame of source.open(after, signal)) {
        while (isFilling && this.isHeld && frame.kind === "unit" && !signal.aborted) await turn();
        const isAltered = !isFilling;
        if (!isAltered || frame.kind !== "unit" || frame.record.height < this.from) yield frame;
        else yield { ...frame, record: { ...frame.record, digest: new Uint8Array(32) } };
      }
    },
  };
}

describe("a follower", () => {
  it("fills itself and keeps up with key blocks and micro blocks", async () => {
    const clock = newClock();
    const node = await forgingNode(clock);
    const { running } = await follow([sourceOf(node)], clock);
    await caughtUp(running.node, node);
    const height = node.chain.tip.height;
    await elapse(clock, 120_000);
    expect(node.chain.tip.height).toBeGreaterThan(height);
    await caughtUp(running.node, node);
    expect(running.node.info).toMatchObject({ source: "node", lagUnits: 0, digestFaults: 0 });
  });

  it("continues after its source was unreachable, and reports its lag", async () => {
    const clock = newClock();
    const node = await forgingNode(clock);
    const source = switchable(sourceOf(node));
    const { running } = await follow([source], clock);
    await caughtUp(running.node, node);
    source.isAway = true;
    await elapse(clock, 600_000);
    const { lagMs, source: connected, problem } = running.node.info;
    expect([connected, problem]).toEqual([undefined, "node is away"]);
    expect(lagMs).toBeGreaterThan(580_000);
    source.isAway = false;
    await elapse(clock, 30_000);
    await caughtUp(running.node, node);
    expect(running.node.info.lagMs).toBeLessThan(2_000);
  });

  it("continues after its source was unreachable for an hour", async () => {
    const clock = newClock();
    const node = await forgingNode(clock);
    const source = switchable(sourceOf(node));
    const own = newClock();
    const { running, messages } = await follow([source], own);
    await caughtUp(running.node, node);
    source.isAway = true;
    // Ends the open stream.
    await elapse(clock, 120_000);
    await elapse(own, 3_600_000);
    expect(running.node.info).toMatchObject({ source: undefined, problem: "node is away" });
    expect(running.node.info.lagMs).toBeGreaterThan(3_500_000);
    // The reason is logged once.
    expect(messages().filter((one) => one === "Cannot follow the source")).toHaveLength(1);
    source.isAway = false;
    await elapse(own, 10_000);
    await caughtUp(running.node, node);
  });

  it("answers while its disk is full, and continues when there is space", async () => {
    const clock = newClock();
    const node = await forgingNode(clock);
    const machine = new FollowerMachine({ sources: [sourceOf(node)], clock, log: new RecordingLog() });
    const store = new FailingStore(memoryStore(), new SeededRandom(1));
    machine.store = store;
    const running = await runFollower(machine, followerSettings(), new AbortController().signal);
    closing.push(() => running.stop());
    await caughtUp(running.node, node);
    const { height } = running.node.chain.tip;
    store.faults.commits = 100;
    await elapse(clock, 180_000);
    expect(node.chain.tip.height).toBeGreaterThan(height);
    expect(running.node.chain.tip.height).toBe(height);
    expect(running.node.chain.read((reader) => reader.get(tables.tip, undefined))?.height).toBe(height);
    expect(running.node.info.problem).toMatch(/no space is left on the disk/);
    store.faults.commits = 0;
    await elapse(clock, 20_000);
    await caughtUp(running.node, node);
    expect(machine.replaced).toBe(0);
  });

  it("continues in a store that another node wrote, such as a restored snapshot", async () => {
    const clock = newClock();
    const node = await forgingNode(clock);
    const { machine, running } = await follow([sourceOf(node)], clock);
    await caughtUp(running.node, node);
    const { height } = running.node.chain.tip;
    await running.stop();
    // A restored store does not say which source it followed.
    machine.store?.write((batch) => batch.remove(tables.meta, "source"));
    await elapse(clock, 120_000);
    expect(node.chain.tip.height).toBeGreaterThan(height);
    const asked: number[] = [];
    const inner = sourceOf(node);
    const source: UnitSource = {
      name: inner.name,
      open: (after, signal) => {
        asked.push(after.height);
        return inner.open(after, signal);
      },
    };
    const system = Object.assign(machine, { sources: [source] });
    const again = await runFollower(system, followerSettings(), new AbortController().signal);
    closing.push(() => again.stop());
    await caughtUp(again.node, node);
    // The first stream only describes the source.
    expect(asked).toEqual([0, height]);
  });

  it("changes to another source while one is unreachable", async () => {
    const clock = newClock();
    const node = await forgingNode(clock);
    const first = switchable(sourceOf(node, { name: "first" }));
    const { running } = await follow([first, sourceOf(node, { name: "second" })], clock);
    await caughtUp(running.node, node);
    expect(running.node.info.source).toBe("first");
    first.isAway = true;
    await elapse(clock, 120_000);
    await caughtUp(running.node, node);
    expect(running.node.info.source).toBe("second");
  });

  it("reports source, lag, units and faults as metrics", async () => {
    const clock = newClock();
    const node = await forgingNode(clock);
    const metrics = new MetricsRegistry();
    metrics.declare(Object.values(followingMetrics));
    const first = switchable(sourceOf(node, { name: "first" }));
    const second = switchable(sourceOf(node, { name: "second" }));
    const { running } = await follow([first, second], clock, followerSettings(), metrics);
    await caughtUp(running.node, node);
    const metric = async (name: string): Promise<number> => {
      const text = await metricsText(metrics.samples());
      return Number(new RegExp(`^holdfast_follow_${name} (\\S+)$`, "m").exec(text)?.[1]);
    };
    const units = await metric("units_total");
    expect(units).toBeGreaterThanOrEqual(node.chain.tip.height - 1);
    expect(await metric("connected")).toBe(1);
    expect(await metric("lag_units")).toBe(0);
    expect(await metric("source_changes_total")).toBe(0);

    first.isAway = true;
    await elapse(clock, 120_000);
    await caughtUp(running.node, node);
    expect(await metric("source_changes_total")).toBe(1);
    expect(await metric("units_total")).toBeGreaterThan(units);

    second.isAway = true;
    await elapse(clock, 600_000);
    expect(await metric("connected")).toBe(0);
    expect(await metric("lag_seconds")).toBeGreaterThanOrEqual(590);
    expect(await metric("undone_total")).toBe(0);
    second.isAway = false;
    const height = running.node.chain.tip.height - 2;
    await node.control.chain.rollback(height, false);
    await elapse(clock, 60_000);
    await caughtUp(running.node, node);
    expect(await metric("undone_total")).toBeGreaterThanOrEqual(2);
    expect(await metric("digest_faults_total")).toBe(0);
    expect(await metric("refused_total")).toBe(0);
  });

  it.each([
    ["ahead", 3_600_000],
    ["back", -3_600_000],
  ])("follows while its clock jumps %s by an hour", async (_, jumpMs) => {
    const clock = newClock();
    const node = await forgingNode(clock);
    const own = newClock();
    const { running } = await follow([sourceOf(node)], own);
    await caughtUp(running.node, node);
    own.set(own.now() + jumpMs);
    await elapse(clock, 60_000);
    await elapse(own, 60_000);
    await caughtUp(running.node, node);
    expect(running.node.info).toMatchObject({ source: "node", lagUnits: 0, digestFaults: 0 });
    expect(running.node.info.lagMs).toBeGreaterThanOrEqual(0);
    expect(running.node.info.lagMs).toBeLessThanOrEqual(60_000);
  });

  it("starts with the source that it followed before while no source answers", async () => {
    const clock = newClock();
    const node = await forgingNode(clock);
    const description = sourceDescription(node);
    const settings = { ...description.settings, "index-anchors": "trust" };
    const source = switchable(sourceOf(node, { description: { ...description, settings } }));
    const { machine, running } = await follow([source], clock);
    await caughtUp(running.node, node);
    const { id } = running.node.chain.tip;
    await running.stop();
    source.isAway = true;
    const adopted: string[] = [];
    const { open } = machine;
    const restarted = Object.assign(machine, {
      open: (own: Settings) => {
        adopted.push(own.index.anchors);
        return open(own);
      },
    });
    const again = await runFollower(restarted, followerSettings(), new AbortController().signal);
    closing.push(() => again.stop());
    expect(adopted).toEqual(["trust"]);
    expect(again.node.chain.tip.id).toEqual(id);
    await elapse(clock, 60_000);
    expect(again.node.info).toMatchObject({ source: undefined, lagMs: undefined, problem: "node is away" });
    expect(node.chain.tip.id).not.toEqual(id);
    source.isAway = false;
    await elapse(clock, 30_000);
    await caughtUp(again.node, node);
    expect(machine.replaced).toBe(0);
  });

  it("waits for a source if it has followed none", async () => {
    const clock = newClock();
    const node = await forgingNode(clock);
    const source = switchable(sourceOf(node));
    source.isAway = true;
    const silent: UnitSource = { name: "silent", open: async function* () {} };
    const log = new RecordingLog();
    const machine = new FollowerMachine({ sources: [source, silent], clock, log });
    const { signal } = new AbortController();
    const starting = runFollower(machine, followerSettings(), signal);
    await elapse(clock, 60_000);
    expect(machine.store).toBeUndefined();
    expect(log.lines).toMatchObject([
      {
        message: "No source answers: trying again every 5 s",
        facts: { reason: "node is away; silent ended the stream without a description" },
      },
    ]);
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    source.isAway = false;
    await elapse(clock, 10_000);
    const running = await starting;
    closing.push(() => running.stop());
    await caughtUp(running.node, node);
  });

  it("undoes what its source has rolled back", async () => {
    const clock = newClock();
    const node = await forgingNode(clock, 300);
    const { running } = await follow([sourceOf(node)], clock);
    await caughtUp(running.node, node);
    const { height } = node.chain.tip;
    await node.control.chain.rollback(height - 2, false);
    await elapse(clock, 100);
    await caughtUp(running.node, node);
  });

  it("applies a persist unit that came below its newest block while its source was unreachable", async () => {
    const clock = newClock();
    const node = await forgingNode(clock, 300);
    const source = switchable(sourceOf(node));
    const { running, machine } = await follow([source], clock);
    await caughtUp(running.node, node);
    source.isAway = true;
    await elapse(clock, 20_000);
    const { store } = node.environment;
    returnBlocks(node.chain, store, dev, running.node.chain.tip.height - 3);
    source.isAway = false;
    await elapse(clock, 30_000);
    await caughtUp(running.node, node);
    expect(node.chain.read(persistUnits).heights).toHaveLength(1);
    const rows = (of: Pick<Store, "read"> | undefined) =>
      of?.read((reader) => [...reader.range(tables.unitDigests)]);
    expect(rows(machine.store)).toEqual(rows(store));
  });

  it("does not follow another store with a lower score", async () => {
    const clock = newClock();
    const node = await forgingNode(clock, 300);
    const behind = await forgingNode(newClock(), 60);
    const first = switchable(sourceOf(node, { name: "first" }));
    const { running } = await follow([first, sourceOf(behind, { name: "behind" })], clock);
    await caughtUp(running.node, node);
    first.isAway = true;
    const { height } = running.node.chain.tip;
    await elapse(clock, 30_000);
    expect(running.node.chain.tip.height).toBe(height);
    expect(running.node.info.source).toBeUndefined();
  });

  it("keeps its store if another source's chain has a lower score and branches off below the undo journal", async () => {
    const clock = newClock();
    const node = await forgingNode(clock, 300);
    const behind = await forgingNode(newClock(), 60);
    const first = switchable(sourceOf(node, { name: "first" }));
    const log = new RecordingLog();
    const sources = [first, sourceOf(behind, { name: "behind" })];
    const machine = new FollowerMachine({ sources, clock, log, rollbackDepth: 1 });
    const running = await runFollower(machine, followerSettings(), new AbortController().signal);
    closing.push(() => running.stop());
    await caughtUp(running.node, node);
    first.isAway = true;
    const { height } = running.node.chain.tip;
    await elapse(clock, 60_000);
    expect(machine.replaced).toBe(0);
    expect(running.node.chain.tip.height).toBe(height);
    first.isAway = false;
    await elapse(clock, 30_000);
    await caughtUp(running.node, node);
  });

  it("replaces its store only by one that has at least its score, or is of the same source", async () => {
    const clock = newClock();
    const node = await forgingNode(clock, 300);
    const behind = await forgingNode(newClock(), 60);
    const altering = alteringDigests(sourceOf(node, { name: "first" }), Number.POSITIVE_INFINITY);
    const first = switchable(altering);
    const { machine, running } = await follow([first, sourceOf(behind, { name: "behind" })], clock);
    await caughtUp(running.node, node);
    const old = running.node;
    Object.assign(altering, { from: 2, isOnlyForStore: true, isHeld: true });
    await elapse(clock, 60_000);
    expect(old.info.digestFaults).toBe(1);
    // The source goes away while the new store is being filled.
    first.isAway = true;
    altering.isHeld = false;
    await elapse(clock, 60_000);
    expect(machine.replaced).toBe(0);
    expect(running.node).toBe(old);
    first.isAway = false;
    altering.from = Number.POSITIVE_INFINITY;
    await elapse(clock, 30_000);
    expect(machine.replaced).toBe(1);
    await caughtUp(running.node, node);
  });

  it("changes to another source that has a better chain for a minute", async () => {
    const clock = newClock();
    const behind = await forgingNode(newClock(), 60);
    const better = await forgingNode(clock, 300);
    const second = switchable(sourceOf(better, { name: "second" }));
    second.isAway = true;
    const { running, messages } = await follow([sourceOf(behind, { name: "first" }), second], clock);
    await caughtUp(running.node, behind);
    second.isAway = false;
    await elapse(clock, 20_000);
    expect(running.node.info.source).toBe("first");
    await elapse(clock, 60_000);
    expect(messages()).toContain("Another source has a better chain");
    expect(running.node.info.source).toBe("second");
    await caughtUp(running.node, better);
  });

  it("changes to a better source while its own one reports that it is behind", async () => {
    const clock = newClock();
    const behind = await forgingNode(newClock(), 60);
    const better = await forgingNode(clock, 300);
    const own = sourceOf(behind, { name: "first" });
    const stale: UnitSource = {
      name: own.name,
      async *open(after, signal) {
        for await (const frame of own.open(after, signal)) {
          yield frame;
          if (frame.kind === "tip") yield { kind: "stale", reason: "it has had no mirror for 60 s" };
        }
      },
    };
    const second = switchable(sourceOf(better, { name: "second" }));
    second.isAway = true;
    const { running } = await follow([stale, second], clock);
    await caughtUp(running.node, behind);
    expect(running.node.info).toMatchObject({ source: "first", problem: "it has had no mirror for 60 s" });
    second.isAway = false;
    await elapse(clock, 80_000);
    expect(running.node.info.source).toBe("second");
    await caughtUp(running.node, better);
  });

  it("leaves a source that sends units or heartbeats before its newest unit", async () => {
    const clock = newClock();
    const node = await forgingNode(clock);
    const good = switchable(sourceOf(node, { name: "good" }));
    let opened = 0;
    let closed = 0;
    const endless: UnitSource = {
      name: "endless",
      async *open(_, signal) {
        opened++;
        try {
          yield { kind: "source", description: sourceDescription(node) };
          while (!signal.aborted) {
            yield { kind: "heartbeat" };
            await turn();
          }
        } finally {
          closed++;
        }
      },
    };
    const unannounced: UnitSource = {
      name: "unannounced",
      async *open(after, signal) {
        for await (const frame of sourceOf(node).open(after, signal)) if (frame.kind !== "tip") yield frame;
      },
    };
    const { running } = await follow([endless, unannounced, good], clock);
    await elapse(clock, 10_000);
    expect(running.node.info.source).toBe("good");
    await caughtUp(running.node, node);
    // Comparisons with the other sources end.
    await elapse(clock, 120_000);
    expect(opened).toBeGreaterThan(3);
    expect(closed).toBe(opened);
  });

  it("finds the common block of a better source that does not know its tip", async () => {
    const clock = newClock();
    const node = await forgingNode(clock, 60);
    const first = switchable(sourceOf(node, { name: "first" }));
    const otherClock = newClock();
    otherClock.advance(20_000);
    const other = await forgingNode(otherClock, 900);
    expect(other.chain.tip.score).toBeGreaterThan(node.chain.tip.score);
    const second = switchable(sourceOf(other, { name: "second" }));
    second.isAway = true;
    const { running, messages } = await follow([first, second], clock);
    await caughtUp(running.node, node);
    first.isAway = true;
    second.isAway = false;
    await elapse(clock, 10_000);
    await caughtUp(running.node, other);
    expect(messages()).toContain("The source is on another branch");
  });

  it.each<[string, Partial<SourceDescription>, RegExp]>([
    [
      "of another network",
      { network: { name: "X", chainId: 88, genesis: new Uint8Array(64) } },
      /another network: X/,
    ],
    [
      "that sends an invalid setting",
      { settings: { "index-anchors": "some" } },
      /invalid value of index-anchors/,
    ],
    [
      "that names a file",
      { settings: { "trust-network": '"/etc/passwd"' } },
      /invalid value of trust-network/,
    ],
  ])("refuses a source %s before it creates a store", async (_, description, text) => {
    const clock = newClock();
    const node = await forgingNode(clock, 10);
    const machine = new FollowerMachine({
      sources: [withDescription(sourceOf(node), description)],
      clock,
      log: new RecordingLog(),
    });
    const starting = runFollower(machine, followerSettings(), new AbortController().signal);
    await expect(starting).rejects.toThrow(text);
    await expect(starting).rejects.toBeInstanceOf(SettingsError);
    expect(machine.store).toBeUndefined();
  });

  it.each<[string, string | undefined]>([
    ["without a key", undefined],
    ["with another key", "wrong"],
  ])("names the status if its source refuses it %s, before it creates a store", async (_, key) => {
    const clock = newClock();
    const apiKeyHash = secureHash(encodeUtf8("right"));
    const node = await forgingNode(clock, 10, { port: 0, apiKeyHash });
    const source = new HttpUnitSource({ url: String(node.url), key: () => key, clock });
    const machine = new FollowerMachine({ sources: [source], clock, log: new RecordingLog() });
    const starting = runFollower(machine, followerSettings(), new AbortController().signal);
    await expect(starting).rejects.toThrow(/--follow: .* answers with status 403/);
    await expect(starting).rejects.toBeInstanceOf(SettingsError);
    expect(machine.store).toBeUndefined();
  });

  it("names the version if its source sends a newer stream, before it creates a store", async () => {
    const clock = newClock();
    const description = { ...sourceDescription(await forgingNode(clock, 10)), version: STREAM_VERSION + 1 };
    const server = createServer((_, response) => {
      response.writeHead(200, { "content-type": UNIT_STREAM });
      response.write(encodeFrame({ kind: "source", description }));
    });
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    closing.push(async () => {
      server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    const source = new HttpUnitSource({ url: `http://127.0.0.1:${port}`, clock });
    const machine = new FollowerMachine({ sources: [source], clock, log: new RecordingLog() });
    const starting = runFollower(machine, followerSettings(), new AbortController().signal);
    await expect(starting).rejects.toThrow(
      /The source http:.* sends version 2 of the stream of units, .* reads version 1: upgrade this program/,
    );
    await expect(starting).rejects.toBeInstanceOf(SettingsError);
    expect(machine.store).toBeUndefined();
  });

  it("adopts the settings of its source, and refuses contradictions to its own", async () => {
    const clock = newClock();
    const node = await forgingNode(clock, 10);
    const settings = {
      ...sourceDescription(node).settings,
      "index-anchors": "trust",
      "rollback-depth": "500",
    };
    const source = withDescription(sourceOf(node), { settings });
    const { running } = await follow([source], clock);
    await caughtUp(running.node, node);
    const machine = new FollowerMachine({ sources: [source], clock, log: new RecordingLog() });
    const own = followerSettings({
      given: new Map([["index.anchors", "--index-anchors"]]),
      shown: { "index-anchors": "all" },
    });
    await expect(runFollower(machine, own, new AbortController().signal)).rejects.toThrow(
      /its setting index-anchors is trust, but --index-anchors is "all"/,
    );
  });

  it("never shows a unit with altered bytes, and applies the correct unit later", async () => {
    const clock = newClock();
    const node = await forgingNode(clock);
    const altered = 5;
    let isAltered = true;
    const source = changed(sourceOf(node), (frame) => {
      if (!isAltered || frame.kind !== "unit" || frame.record.height !== altered) return frame;
      const bytes = frame.record.bytes.slice();
      if (bytes.length > 0) bytes[bytes.length - 1] ^= 1;
      return { ...frame, record: { ...frame.record, bytes } };
    });
    const { machine, running, messages } = await follow([source], clock);
    for (let i = 0; i < 50; i++) {
      await elapse(clock, 1_000);
      await turn();
      expect(running.node.chain.tip.height).toBeLessThan(altered);
    }
    expect(messages()).toContain("A unit was refused");
    expect(running.node.info.problem).toMatch(/^node: its bytes have another id/);
    isAltered = false;
    await elapse(clock, 20_000);
    await caughtUp(running.node, node);
    expect(machine.replaced).toBe(0);
  });

  it("ends if the digest of a unit differs in its store and in a new one", async () => {
    const clock = newClock();
    const node = await forgingNode(clock);
    const { machine, running, messages } = await follow([alteringDigests(sourceOf(node), 5)], clock);
    const ended = expect(running.finished).rejects.toBeInstanceOf(FollowFaultError);
    for (let i = 0; i < 20; i++) {
      await elapse(clock, 1_000);
      await turn();
      expect(running.node.chain.tip.height).toBeLessThan(5);
    }
    await ended;
    closing.pop();
    expect(machine.replaced).toBe(0);
    expect(messages().filter((one) => one === "The digest of a unit differs from its source's")).toHaveLength(
      2,
    );
  });

  it("answers from its store after a digest fault, until a new store is filled", async () => {
    const clock = newClock();
    const node = await forgingNode(clock);
    const source = alteringDigests(sourceOf(node), Number.POSITIVE_INFINITY);
    const { machine, running, messages } = await follow([source], clock);
    await caughtUp(running.node, node);
    const old = running.node;
    const { height } = old.chain.tip;
    // As if rows of this store had been damaged.
    source.from = 2;
    source.isOnlyForStore = true;
    source.isHeld = true;
    await elapse(clock, 120_000);
    expect(running.node).toBe(old);
    expect(old.chain.tip.height).toBe(height);
    expect(old.chain.read((reader) => reader.get(tables.headers, height))).toBeDefined();
    expect(old.info).toMatchObject({ digestFaults: 1, source: undefined });
    expect(old.info.problem).toMatch(/differ from those of the source/);
    Object.assign(source, { from: Number.POSITIVE_INFINITY, isHeld: false });
    await elapse(clock, 20_000);
    expect(machine.replaced).toBe(1);
    await caughtUp(running.node, node);
    expect(messages()).toContain("The new store has the source's newest block: restarting with it");
  });

  it("answers from its store while the disk has no space for a new one", async () => {
    const clock = newClock();
    const node = await forgingNode(clock);
    const source = alteringDigests(sourceOf(node), Number.POSITIVE_INFINITY);
    const log = new RecordingLog();
    const machine = new FollowerMachine({ sources: [source], clock, log });
    let isFull = true;
    const system = {
      ...machine,
      open: async (settings: Settings) => {
        if (isFull && settings.dataDir !== followerSettings().dataDir)
          throw new DiskError("the disk is full");
        return machine.open(settings);
      },
    };
    const running = await runFollower(system, followerSettings(), new AbortController().signal);
    closing.push(() => running.stop());
    await caughtUp(running.node, node);
    const old = running.node;
    const { height } = old.chain.tip;
    Object.assign(source, { from: 2, isOnlyForStore: true });
    await elapse(clock, 180_000);
    expect(old.info.digestFaults).toBe(1);
    expect(running.node).toBe(old);
    expect(old.chain.read((reader) => reader.get(tables.headers, height))).toBeDefined();
    isFull = false;
    source.from = Number.POSITIVE_INFINITY;
    await elapse(clock, 80_000);
    expect(machine.replaced).toBe(1);
    await caughtUp(running.node, node);
  });

  it("can be stopped while it fills a new store", async () => {
    const clock = newClock();
    const node = await forgingNode(clock);
    const source = alteringDigests(sourceOf(node), Number.POSITIVE_INFINITY);
    const { machine, running } = await follow([source], clock);
    await caughtUp(running.node, node);
    Object.assign(source, { from: 2, isOnlyForStore: true, isHeld: true });
    await elapse(clock, 60_000);
    expect(running.node.info.digestFaults).toBe(1);
    await running.stop();
    expect(machine.replaced).toBe(0);
  });

  it("fills a new store if a better chain branches off below its undo journal", async () => {
    const clock = newClock();
    const node = await forgingNode(clock, 60);
    const first = switchable(sourceOf(node, { name: "first" }));
    const otherClock = newClock();
    otherClock.advance(20_000);
    const other = await forgingNode(otherClock, 900);
    const second = switchable(sourceOf(other, { name: "second" }));
    second.isAway = true;
    const machine = new FollowerMachine({
      sources: [first, second],
      clock,
      log: new RecordingLog(),
      rollbackDepth: 1,
    });
    const running = await runFollower(machine, followerSettings(), new AbortController().signal);
    closing.push(() => running.stop());
    await caughtUp(running.node, node);
    first.isAway = true;
    second.isAway = false;
    for (let i = 0; i < 100 && machine.replaced === 0; i++) await elapse(clock, 1_000);
    await elapse(clock, 10_000);
    expect(machine.replaced).toBe(1);
    await caughtUp(running.node, other);
  });
});

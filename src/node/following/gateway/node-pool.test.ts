import { describe, expect, test } from "vitest";
import { controlOnConnection, serveControlOnConnection } from "../../../api/ports/remote-control.ts";
import { type ControlAnswers, fakeControl, WELL } from "../../../api/testing/control.ts";
import { memoryLog } from "../../../api/testing/server.ts";
import type { NodeControl } from "../../../control/index.ts";
import { failed, ok } from "../../../errors/result.ts";
import { dev } from "../../../profiles/index.ts";
import { RemoteControlError } from "../../../runtime/remote/remote-rpc.ts";
import { pairedFrames } from "../../../runtime/remote/testing/paired-frames.ts";
import { UnavailableError, UnreachableError } from "../../../runtime/rpc.ts";
import { VirtualClock } from "../../../testing/virtual-clock.ts";
import { remoteHandlers } from "./gateway-control.ts";
import { type ConnectNode, NodeLink } from "./node-link.ts";
import { NodePool } from "./node-pool.ts";

const settle = async (): Promise<void> => {
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
};

const TRANSACTION = { form: "json", bytes: new Uint8Array(1) } as const;
const HASH = new Uint8Array(32);
const never = (): Promise<never> => new Promise(() => {});

/** A node that a test can stop, in this process. */
class FakeNode {
  readonly name: string;
  readonly calls: string[] = [];
  readonly answers: { [topic in keyof NodeControl]?: Partial<NodeControl[topic]> };
  isAway = false;
  score: bigint;
  connectCount = 0;

  constructor(name: string, height = 5, answers: ControlAnswers = {}) {
    this.name = name;
    this.score = BigInt(height);
    this.answers = {
      node: { health: async () => WELL },
      chain: {
        progress: async () => ({
          cursor: { height: Number(this.score), sequence: 0, id: HASH },
          score: this.score,
        }),
      },
      ...answers,
    };
  }

  readonly connect: ConnectNode = async () => {
    this.connectCount++;
    if (this.isAway) throw new RemoteControlError("connection refused");
    const control = fakeControl([], dev.chainId, this.answers);
    let isClosed = false;
    const counted = Object.fromEntries(
      Object.entries(control as unknown as Record<string, object>).map(([topic, methods]) => [
        topic,
        Object.fromEntries(
          Object.entries(methods).map(([name, method]) => [
            name,
            (...args: unknown[]) => {
              if (isClosed || this.isAway) return Promise.reject(new UnavailableError("closing", !isClosed));
              if (topic !== "node" && name !== "progress") this.calls.push(`${topic}.${name}`);
              return method(...args);
            },
          ]),
        ),
      ]),
    );
    return {
      control: counted as unknown as NodeControl,
      close: () => {
        isClosed = true;
      },
    };
  };
}

async function gateway(...nodes: FakeNode[]) {
  const clock = new VirtualClock(1_000);
  const pool = new NodePool(
    nodes.map(({ name, connect }) => new NodeLink({ name, connect, clock })),
    clock,
  );
  pool.start();
  clock.advance(0);
  await settle();
  const handlers = remoteHandlers(pool);
  return { pool, clock, handlers };
}

const textOf = (error: unknown): string => {
  if (error instanceof UnreachableError) return error.message;
  throw error;
};

describe("a gateway asks", () => {
  test("the healthy node with the best chain", async () => {
    const [behind, furthest, stopping] = [
      new FakeNode("behind", 5),
      new FakeNode("furthest", 9),
      new FakeNode("stopping", 20, { node: { health: async () => ({ ...WELL, isStopping: true }) } }),
    ];
    const { handlers, pool } = await gateway(behind, furthest, stopping);
    expect(await handlers.pool.size?.()).toBe(0);
    expect([behind, furthest, stopping].map(({ calls }) => calls.length)).toEqual([0, 1, 0]);
    expect(pool.nodes.map(({ problem }) => problem)).toEqual([undefined, undefined, "it is stopping"]);
  });

  test("the same node while another one is only one block ahead", async () => {
    const [first, second] = [new FakeNode("a"), new FakeNode("b")];
    const { handlers, clock } = await gateway(first, second);
    const askAt = async (score: bigint): Promise<void> => {
      second.score = score;
      clock.advance(1_000);
      await settle();
      await handlers.pool.size?.();
    };
    await askAt(5n);
    await askAt(6n);
    expect([first, second].map(({ calls }) => calls.length)).toEqual([2, 0]);
    await askAt(7n);
    expect([first, second].map(({ calls }) => calls.length)).toEqual([2, 1]);
  });

  test("the next node if one is unreachable, and answers 503 with all reasons if no node answers", async () => {
    const [first, second] = [new FakeNode("a"), new FakeNode("b")];
    const { handlers, clock } = await gateway(first, second);
    first.isAway = true;
    expect(await handlers.pool.size?.()).toBe(0);
    second.isAway = true;
    clock.advance(1_000);
    await settle();
    expect(await handlers.pool.size?.().catch(textOf)).toBe(
      "no node answers (a: connection refused; b: connection refused)",
    );
  });

  test("all nodes within two seconds, also if none answers", async () => {
    const silent = { pool: { size: never } };
    const { handlers, clock } = await gateway(new FakeNode("a", 5, silent), new FakeNode("b", 5, silent));
    const asked = handlers.pool.size?.().catch(textOf);
    await settle();
    clock.advance(1_000);
    await settle();
    clock.advance(1_000);
    expect(await asked).toBe("no node answers (a: no answer within 1000 ms; b: no answer within 1000 ms)");
  });

  test("a node again after it came back", async () => {
    const node = new FakeNode("a");
    const { handlers, clock, pool } = await gateway(node);
    node.isAway = true;
    clock.advance(1_000);
    await settle();
    expect(pool.nodes[0].isHealthy).toBe(false);
    node.isAway = false;
    clock.advance(1_000);
    await settle();
    expect(pool.nodes[0]).toMatchObject({ isHealthy: true, height: 5 });
    expect(await handlers.pool.size?.()).toBe(0);
  });
});

describe("a broadcast", () => {
  test("goes to the next node until one has judged it", async () => {
    const full = new FakeNode("full", 9, { pool: { broadcast: async () => failed({ kind: "disk-fault" }) } });
    const good = new FakeNode("good", 5, { pool: { broadcast: async () => ok({ added: true }) } });
    const { handlers } = await gateway(full, good);
    expect(await handlers.pool.broadcast?.(TRANSACTION)).toEqual(ok({ added: true }));
  });

  test("does not go to another node after a refusal", async () => {
    const refusal = failed({ kind: "anchors-full" as const });
    const strict = new FakeNode("strict", 9, { pool: { broadcast: async () => refusal } });
    const other = new FakeNode("other", 5);
    const { handlers } = await gateway(strict, other);
    expect(await handlers.pool.broadcast?.(TRANSACTION, 5_000)).toEqual(refusal);
    expect(other.calls).toEqual([]);
  });

  test("returns the last answer if no node has judged it", async () => {
    const busy = new FakeNode("busy", 9, { pool: { broadcast: async () => failed({ kind: "busy" }) } });
    const away = new FakeNode("away");
    away.isAway = true;
    const { handlers } = await gateway(busy, away);
    expect(await handlers.pool.broadcast?.(TRANSACTION)).toEqual(failed({ kind: "busy" }));
  });
});

describe("a hash to anchor", () => {
  test("goes to another node only if the first certainly did not receive it", async () => {
    const [first, second] = [new FakeNode("a"), new FakeNode("b")];
    const { handlers, clock } = await gateway(first, second);
    first.isAway = true;
    clock.advance(1_000);
    await settle();
    await handlers.anchoring.add?.(HASH);
    expect([first, second].map(({ calls }) => calls)).toEqual([[], ["anchoring.add"]]);
  });

  test("does not go to another node after the connection broke during the call", async () => {
    const closing = { anchoring: { add: () => Promise.reject(new UnavailableError("closing")) } };
    const [first, second] = [new FakeNode("a", 9, closing), new FakeNode("b")];
    const { handlers } = await gateway(first, second);
    expect(await handlers.anchoring.add?.(HASH).catch(textOf)).toBe(
      "no node answers (a: the connection was closed)",
    );
    expect(second.calls).toEqual([]);
  });

  test("does not go to another node if the first one is slow", async () => {
    const late = { anchoring: { add: () => Promise.reject(new UnavailableError("late")) } };
    const [first, second] = [new FakeNode("a", 9, late), new FakeNode("b")];
    const { handlers } = await gateway(first, second);
    expect(await handlers.anchoring.add?.(HASH).catch(textOf)).toBe("no node answers (a: no answer in time)");
    expect(second.calls).toEqual([]);
  });
});

describe("news of the pool", () => {
  const newsFrom = (first: number): ControlAnswers & { readonly asked: (number | undefined)[] } => {
    const asked: (number | undefined)[] = [];
    const news: NodeControl["pool"]["news"] = async (after) => {
      asked.push(after);
      return { bytes: new Uint8Array(0), ends: [], missed: 0, next: (after ?? first) + 1 };
    };
    return { asked, pool: { news } };
  };

  test("continue at the same node, and begin anew at another one or after a new connection", async () => {
    const [one, two] = [newsFrom(100), newsFrom(7)];
    const [first, second] = [
      new FakeNode("a", 9, { pool: one.pool }),
      new FakeNode("b", 5, { pool: two.pool }),
    ];
    const { handlers, clock } = await gateway(first, second);
    const poll = async (after?: number) => (await handlers.pool.news?.(after))?.next;
    const next = await poll(await poll());
    expect(one.asked).toEqual([undefined, 101]);
    first.isAway = true;
    clock.advance(1_000);
    await settle();
    const other = await poll(next);
    expect(two.asked).toEqual([undefined]);
    first.isAway = false;
    first.score = 20n;
    clock.advance(1_000);
    await settle();
    await poll(other);
    expect(one.asked).toEqual([undefined, 101, undefined]);
  });
});

test("a call crosses two ports with its reason if no node answers", async () => {
  const { handlers } = await gateway();
  const [caller, served] = pairedFrames();
  const clock = new VirtualClock(0);
  const log = memoryLog();
  const control = fakeControl([], dev.chainId, {
    pool: { size: async () => (await handlers.pool.size?.()) ?? 0 },
  });
  serveControlOnConnection(served, { control, token: "t", clock, log });
  const remote = await controlOnConnection(caller, { token: "t", clock });
  await expect(remote.pool.size()).rejects.toThrow(new UnreachableError("no node answers ()"));
});

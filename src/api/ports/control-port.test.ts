import { MessageChannel, type MessagePort } from "node:worker_threads";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { ControlFailure, NodeHealth } from "../../control/index.ts";
import { UnavailableError } from "../../runtime/rpc.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import type { EncodedTransaction } from "../../transactions/index.ts";
import { serveOnPort } from "../server/serve-on-port.ts";
import { type ControlAnswers, fakeControl, WELL } from "../testing/control.ts";
import { memoryLog, testInfo } from "../testing/server.ts";
import { fakeReader, fakeSnapshot } from "../testing/snapshot.ts";
import { answerControl, controlOverPort } from "./control-port.ts";

const ports: MessagePort[] = [];
afterEach(() => {
  for (const port of ports.splice(0)) port.close();
});

/** A node with the given answers, called through a real message channel. */
function through(answers: ControlAnswers, limits = { maxCalls: 3, timeoutMs: 1_000 }) {
  const { port1, port2 } = new MessageChannel();
  ports.push(port1, port2);
  const clock = new VirtualClock(0);
  answerControl(port2, fakeControl([], 90, answers), clock);
  return { control: controlOverPort(port1, clock, limits), clock, port1, port2 };
}

function reasonOf(error: unknown): string | undefined {
  return error instanceof UnavailableError ? error.reason : undefined;
}

describe("control over a port", () => {
  it("passes arguments and results unchanged", async () => {
    const broadcast = vi.fn(
      async (_: EncodedTransaction) => ({ ok: true, value: { added: false } }) as const,
    );
    const sent: EncodedTransaction = { form: "json", bytes: new Uint8Array([1, 2, 3]) };
    const refused: ControlFailure = {
      kind: "no-transaction",
      error: {
        kind: "json",
        cause: null,
        validationErrors: new Map([["obj.fee", [{ msg: ["no"], args: [] }]]]),
      },
    };
    const rollback = vi.fn(async () => ({ ok: false, error: refused }) as const);
    const { control } = through({
      pool: { broadcast },
      chain: { rollback },
      forging: {
        miners: async () => [{ address: new Uint8Array([1]), miningBalance: 2n ** 60n, timestamp: 5 }],
        setFeeVote: async () => {},
      },
    });
    expect(await control.pool.broadcast(sent)).toEqual({ ok: true, value: { added: false } });
    expect(broadcast).toHaveBeenCalledWith(sent, 1_000);
    expect(await control.chain.rollback(5, true)).toEqual({ ok: false, error: refused });
    // Timed commands get a deadline.
    expect(rollback).toHaveBeenCalledWith(5, true, 1_000);
    expect((await control.forging.miners())[0].miningBalance).toBe(2n ** 60n);
    expect(await control.forging.setFeeVote("INCREASE")).toBeUndefined();
    expect(await control.pool.transaction(new Uint8Array(32))).toBeUndefined();
  });

  it("sends only the bytes of a view, not the rest of its buffer", async () => {
    const seen: number[] = [];
    const slab = new Uint8Array(1_000).fill(7);
    const { control } = through({
      wallet: {
        sign: async (_, message) => {
          seen.push(message.buffer.byteLength);
          return { ok: true, value: slab.subarray(10, 74) };
        },
      },
    });
    const answered = await control.wallet.sign(slab.subarray(0, 26), slab.subarray(3, 5));
    expect(seen).toEqual([2]);
    expect(answered).toEqual({ ok: true, value: new Uint8Array(64).fill(7) });
    expect(answered.ok && answered.value.buffer.byteLength).toBe(64);
    expect(slab).toEqual(new Uint8Array(1_000).fill(7));
  });

  it("transfers a page of the pool, and copies bytes that are still in use", async () => {
    const page = { bytes: new Uint8Array(5), ends: [5], next: undefined };
    const signature = new Uint8Array(64);
    const { control } = through({
      pool: { page: async () => page },
      wallet: { sign: async () => ({ ok: true, value: signature }) },
    });
    expect(await control.pool.page()).toEqual({ bytes: new Uint8Array(5), ends: [5], next: undefined });
    expect(page.bytes.buffer.byteLength).toBe(0);
    await control.wallet.sign(new Uint8Array(26), new Uint8Array(1));
    expect(signature.buffer.byteLength).toBe(64);
  });

  it("reports an answer that is not plain data", async () => {
    const { control } = through({ forging: { miners: async () => [new Date(0)] as unknown as [] } });
    await expect(control.forging.miners()).rejects.toThrow("Date is not plain data");
  });

  it("answers out of order", async () => {
    let first: (state: string) => void = () => {};
    const { control } = through({
      forging: {
        state: () =>
          new Promise((resolve) => {
            first = resolve;
          }),
      },
      pool: { size: async () => 7 },
    });
    const state = control.forging.state();
    expect(await control.pool.size()).toBe(7);
    first("disabled");
    expect(await state).toBe("disabled");
  });

  it("rejects when the node fails", async () => {
    const { control } = through({
      forging: {
        feeVote: async () => {
          throw new RangeError("out of paper");
        },
      },
    });
    await expect(control.forging.feeVote()).rejects.toThrow("out of paper");
  });

  it("bounds pending calls, even if their callers have given up", async () => {
    const answers: ((state: string) => void)[] = [];
    const { control, clock } = through({
      forging: { state: () => new Promise((resolve) => answers.push(resolve)) },
    });
    const waiting = [1, 2, 3].map(() => control.forging.state().catch(reasonOf));
    expect(await control.forging.state().catch(reasonOf)).toBe("busy");
    await vi.waitUntil(() => answers.length === 3, { interval: 1 });
    clock.advance(1_000);
    expect(await Promise.all(waiting)).toEqual(["late", "late", "late"]);
    expect(await control.pool.size().catch(reasonOf)).toBe("busy");
    answers[0]("disabled");
    await vi.waitUntil(async () => (await control.pool.size().catch(reasonOf)) === 0, { interval: 1 });
    expect(clock.pending).toBe(0);
  });

  it("shares one health call between callers, also while the node hangs", async () => {
    const answers: ((health: NodeHealth) => void)[] = [];
    const { control, clock } = through({
      node: { health: () => new Promise((resolve) => answers.push(resolve)) },
    });
    const ask = () => control.node.health().catch(reasonOf);
    const first = [ask(), ask(), ask()];
    expect(await ask()).toBe("busy");
    await vi.waitUntil(() => answers.length > 0, { interval: 1 });
    expect(answers).toHaveLength(1);
    clock.advance(1_000);
    expect(await Promise.all(first)).toEqual(["late", "late", "late"]);
    const second = [ask(), ask()];
    await control.pool.size();
    expect(answers).toHaveLength(1);
    answers[0](WELL);
    expect(await Promise.all(second)).toEqual([WELL, WELL]);
    const third = ask();
    await vi.waitUntil(() => answers.length === 2, { interval: 1 });
    answers[1]({ ...WELL, startedAt: 7 });
    expect(await third).toMatchObject({ startedAt: 7 });
    expect(clock.pending).toBe(0);
  });

  it("runs urgent calls first", async () => {
    const done: string[] = [];
    const { control } = through({
      forging: { state: async () => String(done.push("state")) },
      node: {
        stop: async () => {
          done.push("stop");
        },
      },
    });
    const waiting = [1, 2, 3].map(() => control.forging.state());
    await control.node.stop();
    await Promise.all(waiting);
    expect(done).toEqual(["stop", "state", "state", "state"]);
  });

  it("drops calls after their deadline", async () => {
    let worked = 0;
    const { control, clock } = through({
      forging: {
        state: async () => {
          worked++;
          clock.jump(clock.now() + 1_000);
          return "disabled";
        },
      },
    });
    const states = [1, 2, 3].map(() => control.forging.state().catch(reasonOf));
    expect(await Promise.all(states)).toEqual(["disabled", "late", "late"]);
    expect(worked).toBe(1);
    expect(await control.pool.size()).toBe(0);
    expect(clock.pending).toBe(0);
  });

  it("yields to other work every 50 ms", async () => {
    const done: string[] = [];
    const { control, clock } = through(
      {
        forging: {
          state: async () => {
            clock.jump(clock.now() + 20);
            done.push("question");
            if (done.length < 20) setImmediate(() => done.push("other"));
            return "disabled";
          },
        },
      },
      { maxCalls: 100, timeoutMs: 1_000 },
    );
    await Promise.all(Array.from({ length: 6 }, () => control.forging.state()));
    const three = ["question", "question", "question"];
    expect(done.slice(0, 9)).toEqual([...three, "other", "other", "other", ...three]);
  });

  it("ignores a late answer", async () => {
    let answer: (state: string) => void = () => {};
    const { control, clock } = through({
      forging: {
        state: () =>
          new Promise((resolve) => {
            answer = resolve;
          }),
      },
    });
    const state = control.forging.state().catch(reasonOf);
    await control.pool.size();
    clock.advance(1_000);
    expect(await state).toBe("late");
    answer("disabled");
    expect(await control.pool.size()).toBe(0);
  });

  it("rejects pending calls when the other side is gone", async () => {
    const { control, port2 } = through({ forging: { state: () => new Promise(() => {}) } });
    const waiting = control.forging.state().catch(reasonOf);
    port2.close();
    expect(await waiting).toBe("closing");
    expect(await control.forging.state().catch(reasonOf)).toBe("closing");
  });
});

describe("a server over a port", () => {
  it("listens, answers, sends 503 when the node is gone, and closes", async () => {
    const { port1, port2 } = new MessageChannel();
    const events = new MessageChannel();
    ports.push(port1, port2, events.port1);
    answerControl(port2, fakeControl([], 90, { pool: { size: async () => 3 } }), new VirtualClock(0));
    const options = {
      port: port1,
      events: events.port1,
      reader: fakeReader(fakeSnapshot()),
      info: testInfo(),
      clock: new VirtualClock(0),
      log: memoryLog(),
      host: "127.0.0.1",
    };
    const api = await serveOnPort({ ...options, apiPort: 0 });
    const url = `http://127.0.0.1:${api.apiPort}`;
    expect(await (await fetch(`${url}/transactions/unconfirmed/size`)).json()).toEqual({ size: 3 });
    await expect(serveOnPort({ ...options, apiPort: api.apiPort })).rejects.toMatchObject({
      code: "EADDRINUSE",
    });
    const closed = new Promise((resolve) => port1.on("close", resolve));
    port2.close();
    await closed;
    const gone = await fetch(`${url}/transactions/unconfirmed/size`);
    expect(gone.status).toBe(503);
    expect(await gone.json()).toEqual({ error: 503, message: "node is stopping" });
    expect((await fetch(`${url}/blocks/height`)).status).toBe(200);
    await api.close();
    await expect(fetch(`${url}/blocks/height`)).rejects.toThrow();
  });
});

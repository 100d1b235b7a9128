import { connect, type Socket } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import type { FastifyInstance, InjectOptions } from "fastify";
import { afterEach, describe, expect, it } from "vitest";
import type { ApiInfo } from "../../api/info.ts";
import { createServer } from "../../api/server/server.ts";
import { fakeControl } from "../../api/testing/control.ts";
import { API_KEY, memoryLog, testInfo } from "../../api/testing/server.ts";
import { fakeReader, fakeSnapshot } from "../../api/testing/snapshot.ts";
import { ipNetwork } from "../../bytes/ip.ts";
import type { Clock } from "../../interfaces.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { ConnectionLimit } from "../connections/connection-limit.ts";
import { DELAYED_ANSWERS_TIMER, KeyGuesses } from "./key-guesses.ts";

const sender = (address: string) => ({ address, isDirect: true });
/** A connection that no server counts. */
const socket = {} as Socket;

/** Guesses and the delay of each answer, ms; -1: ended at once because too many wait. */
function guesses(connections?: ConnectionLimit) {
  const clock = new VirtualClock(0);
  const all = new KeyGuesses(clock, connections);
  const answered = async (address: string): Promise<number> => {
    const since = clock.monotonic();
    const wait = all.countWrongKey(sender(address), socket);
    if (wait === undefined) return 0;
    const pending = clock.pending;
    const done = wait.then((waited) => (waited ? clock.monotonic() - since : -1));
    if (pending > 0) clock.step();
    return done;
  };
  return { clock, all, answered };
}

describe("wrong keys of one origin", () => {
  it("are answered at once ten times, then with increasing delay up to a second", async () => {
    const { answered } = guesses();
    const delays: number[] = [];
    for (let i = 0; i < 18; i++) delays.push(await answered("127.0.0.1"));
    expect(delays).toEqual([...Array(10).fill(0), 50, 100, 200, 400, 800, 1_000, 1_000, 1_000]);
    // All of loopback is one origin, and so is an IPv6 network.
    expect(await answered("127.9.9.9")).toBe(1_000);
    expect(await answered("192.0.2.1")).toBe(0);
  });

  it("are forgotten after ten minutes without one", async () => {
    const { answered, clock, all } = guesses();
    for (let i = 0; i < 12; i++) await answered("192.0.2.1");
    clock.advance(599_000);
    expect(await answered("192.0.2.1")).toBe(200);
    clock.advance(600_000);
    expect(await answered("198.51.100.1")).toBe(0);
    expect(all.size).toBe(1);
    expect(await answered("192.0.2.1")).toBe(0);
  });

  it("are delayed in bounded number, per origin and in all", async () => {
    const { all, clock } = guesses(new ConnectionLimit(160));
    const ask = (address: string, count: number) =>
      Array.from({ length: count }, () => all.countWrongKey(sender(address), socket));
    const settled: boolean[] = [];
    const wait = (some: readonly (Promise<boolean> | undefined)[]) => {
      for (const one of some) void one?.then((waited) => settled.push(waited));
    };
    wait(ask("127.0.0.1", 10 + 16 + 5));
    await turn();
    expect(clock.pending).toBe(16);
    expect(settled).toEqual(Array(5).fill(false));
    wait(ask("192.0.2.1", 10 + 4 + 3));
    await turn();
    expect(clock.pending).toBe(20);
    expect(settled.length).toBe(8);
    all.close();
    await turn();
    expect(clock.pending).toBe(0);
    expect(settled.filter((waited) => waited).length).toBe(20);
  });

  it("are counted in bounded memory, without evicting counts", async () => {
    const { all, answered } = guesses();
    for (let i = 0; i < 12; i++) await answered("192.0.2.1");
    for (let n = 0; n < 30_000; n++)
      void all.countWrongKey(sender(`10.${n >> 16}.${(n >> 8) & 0xff}.${n & 0xff}`), socket);
    expect(all.size).toBe(10_000 + 256);
    all.close();
    expect(await answered("192.0.2.1")).toBe(200);
  });
});

describe("a key route", () => {
  const closing: FastifyInstance[] = [];
  afterEach(async () => {
    for (const server of closing.splice(0)) await server.close();
  });

  async function serve(info: Partial<ApiInfo> = {}) {
    const clock = new VirtualClock(1_000);
    // Delayed answers; the server has other timers too.
    const late = { count: 0 };
    const after: Clock["after"] = (delayMs, task, name) => {
      if (name === DELAYED_ANSWERS_TIMER) late.count++;
      return clock.after(delayMs, task);
    };
    const own: Clock = {
      now: () => clock.now(),
      system: () => clock.now(),
      monotonic: () => clock.monotonic(),
      after,
    };
    const whole = testInfo(info);
    const server = await createServer({
      reader: fakeReader(fakeSnapshot()),
      control: fakeControl([], whole.network.chainId),
      events: { onCommit: () => () => {} },
      info: whole,
      clock: own,
      log: memoryLog(),
    });
    closing.push(server);
    let answers = 0;
    const ask = async (headers: Record<string, string>, more: Partial<InjectOptions> = {}) => {
      const request: InjectOptions = { url: "/debug/minerInfo", headers, ...more };
      const { statusCode, json, headers: got } = await server.inject(request);
      answers++;
      return { status: statusCode, body: json(), headers: got };
    };
    const settle = async () => {
      for (let i = 0; i < 20; i++) await turn();
    };
    return { server, clock, late, ask, settle, answers: () => answers };
  }
  const wrong = { "x-api-key": "wrong" };
  const right = { "x-api-key": API_KEY };

  it.each([
    ["in its own header", wrong],
    ["as a bearer", { authorization: "Bearer wrong" }],
  ])("answers a wrong key %s later, and a right one at once meanwhile", async (_, headers) => {
    const { ask, clock, late, settle, answers } = await serve();
    for (let i = 0; i < 10; i++) expect((await ask(headers)).status).toBe(403);
    const first = ask(headers);
    const other = ask(headers, { method: "POST", url: "/wallet/signText/x", payload: "a" });
    await settle();
    expect(answers()).toBe(10);
    expect(late.count).toBe(2);
    expect((await ask(right)).status).toBe(200);
    expect((await ask({ ...right, authorization: "Bearer wrong" })).status).toBe(200);
    clock.advance(100);
    expect(await first).toMatchObject({ status: 403, body: { error: 2 } });
    expect(await other).toMatchObject({ status: 403, body: { error: 2 } });
  });

  it("ignores requests without a key, and all requests if no key is configured", async () => {
    const { ask, late } = await serve();
    for (let i = 0; i < 30; i++) expect((await ask({})).status).toBe(403);
    const closed = await serve({ apiKeyHash: undefined });
    for (let i = 0; i < 30; i++) expect((await closed.ask(wrong)).status).toBe(403);
    expect(late.count).toBe(0);
    expect(closed.late.count).toBe(0);
  });

  it("ends connections with wrong keys when too many wait, and still accepts a right key", async () => {
    const { ask, settle, clock } = await serve();
    for (let i = 0; i < 10; i++) await ask(wrong);
    const waiting = Array.from({ length: 16 }, () => ask(wrong));
    await settle();
    const refused = await ask(wrong);
    expect(refused.status).toBe(429);
    expect(refused.headers).toMatchObject({ connection: "close", "retry-after": "1" });
    expect((await ask(right)).status).toBe(200);
    clock.advance(1_000);
    expect(new Set((await Promise.all(waiting)).map(({ status }) => status))).toEqual(new Set([403]));
  });

  it("counts the client behind a trusted proxy", async () => {
    const networks = [ipNetwork("127.0.0.1")].filter((one) => one !== undefined);
    const { ask, late } = await serve({ trustedProxies: networks });
    const from = (address: string) => ({ ...wrong, "x-forwarded-for": address });
    for (let i = 0; i < 10; i++) await ask(from("192.0.2.1"));
    for (let i = 0; i < 10; i++) await ask(from("192.0.2.2"));
    expect(late.count).toBe(0);
    void ask(from("192.0.2.1"));
    while (late.count === 0) await turn();
  });

  it("answers delayed requests when the server closes", async () => {
    const { ask, settle, server, late } = await serve();
    await server.listen({ host: "127.0.0.1", port: 0 });
    for (let i = 0; i < 10; i++) await ask(wrong);
    const { port } = server.server.address() as { port: number };
    const client = connect(port, "127.0.0.1");
    client.write("GET /debug/minerInfo HTTP/1.1\r\nHost: x\r\nX-API-Key: wrong\r\nConnection: close\r\n\r\n");
    while (late.count === 0) await settle();
    const text = new Promise<string>((resolve) => client.once("data", (bytes) => resolve(String(bytes))));
    await Promise.all([server.close(), text]);
    expect(await text).toMatch(/^HTTP\/1\.1 403 /);
    client.destroy();
  });
});

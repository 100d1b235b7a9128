/** Event streams over real connections: their events, slow clients, and limits. */
import { type ClientRequest, get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import { afterEach, expect, test } from "vitest";
import { encodeBase58 } from "../../bytes/base58.ts";
import { ipNetwork } from "../../bytes/ip.ts";
import { headerRow } from "../../chain/reading/rows.ts";
import { addressOf, addressText } from "../../crypto/addresses.ts";
import { ResponseBackpressure } from "../../http/responses/backpressure.ts";
import { PoolNewsBuffer } from "../../node/control/pool-news.ts";
import { dev } from "../../profiles/index.ts";
import { type MetricDefinition, MetricsRegistry } from "../../runtime/metrics.ts";
import { buildTransaction } from "../../testing/build-transaction.ts";
import { DevNode, keyPairOf, rootKeyPair } from "../../testing/dev-node.ts";
import { eventChain } from "../../testing/event-chain.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import type { ApiInfo } from "../info.ts";
import { apiMetrics } from "../metrics.ts";
import { createServer } from "../server/server.ts";
import { fakeControl } from "../testing/control.ts";
import { memoryLog, testInfo } from "../testing/server.ts";
import { MAX_STREAMS, MAX_STREAMS_PER_ORIGIN } from "./subscriptions.ts";

const trusted = ipNetwork("127.0.0.1");
const recipient = addressOf(keyPairOf("somebody").publicKey, dev.chainId);

const open: { readonly server: FastifyInstance; readonly clients: ClientRequest[] }[] = [];
afterEach(async () => {
  for (const { server, clients } of open.splice(0)) {
    for (const client of clients) client.destroy();
    await server.close();
  }
});

interface Reading {
  readonly answer: IncomingMessage;
  text: string;
  isOver: boolean;
}

interface Message {
  readonly event: string;
  readonly id: string;
  readonly data: Record<string, unknown>;
}

function messagesOf(text: string): Message[] {
  const parts = text.split("\n\n").filter((part) => part.startsWith("event: "));
  return parts.map((part) => {
    const lines = Object.fromEntries(part.split("\n").map((line) => line.split(/: (.*)/s).slice(0, 2)));
    return { event: lines.event, id: lines.id, data: JSON.parse(lines.data) };
  });
}

async function until(so: () => boolean): Promise<void> {
  while (!so()) await new Promise((resolve) => setImmediate(resolve));
}

/** A node that forges on a virtual clock, and a server over its chain with a manual clock. */
async function serving(facts: Partial<ApiInfo> = {}) {
  const node = new DevNode();
  node.forger.start();
  const clock = new VirtualClock(0);
  const backpressure = new ResponseBackpressure(clock);
  const news = new PoolNewsBuffer(node.pool, clock);
  const metrics = new MetricsRegistry();
  const server = await createServer({
    reader: eventChain(node.store),
    control: fakeControl([], dev.chainId, { pool: { news: (after) => news.poll(after) } }),
    events: node.chain,
    info: testInfo(facts),
    clock,
    log: memoryLog(),
    backpressure,
    metrics,
  });
  await server.listen({ host: "127.0.0.1", port: 0 });
  const { port } = server.server.address() as AddressInfo;
  const clients: ClientRequest[] = [];
  open.push({ server, clients });
  let sent = 0;
  const read = (path: string, headers: Record<string, string> = {}): Promise<Reading> =>
    new Promise((resolve, reject) => {
      const client = get({ host: "127.0.0.1", port, path, headers, agent: false }, (answer) => {
        const reading: Reading = { answer, text: "", isOver: false };
        answer.setEncoding("utf8");
        answer.on("data", (piece: string) => {
          reading.text += piece;
        });
        answer.on("close", () => {
          reading.isOver = true;
        });
        answer.on("error", () => {});
        resolve(reading);
      });
      client.on("error", reject);
      clients.push(client);
    });
  return {
    node,
    server,
    clock,
    backpressure,
    read,
    /** Returns the value of a metric without labels. */
    gauge: ({ name }: MetricDefinition): number | undefined =>
      metrics.samples().find((metric) => metric.name === name)?.values[0].value,
    pay: (count = 1): void => {
      for (let i = 0; i < count; i++) {
        const transaction = buildTransaction({
          type: 4,
          sender: rootKeyPair,
          fee: 100_000_000n,
          timestamp: BigInt(node.clock.now()),
          chainId: dev.chainId,
          members: { recipient, amount: BigInt(++sent), attachment: new Uint8Array(100) },
        });
        expect(node.pool.add(transaction)).toEqual({ ok: true, value: { added: true } });
      }
    },
    forge: (): void => {
      const { height } = node.chain.tip;
      while (node.chain.tip.height === height || node.pool.size > 0) node.clock.step();
    },
  };
}

test("sends new events, and to a client that reconnects the events in between", async () => {
  const { node, read, pay, forge } = await serving();
  const reading = await read("/events");
  expect(reading.answer.headers).toMatchObject({
    "content-type": "text/event-stream",
    "cache-control": "no-store",
    "x-accel-buffering": "no",
    "access-control-allow-origin": "*",
  });
  pay(3);
  forge();
  await until(() => reading.text.includes('"amount":3'));
  const told = messagesOf(reading.text);
  expect(told.map(({ event }) => event).filter((event) => event === "transaction")).toHaveLength(3);
  const middle = told.findIndex(({ event }) => event === "transaction") + 1;
  forge();
  const all = await read("/events?since=0");
  const again = await read(`/events?since=${told[middle].id}`);
  const header = await read("/events?since=0", { "last-event-id": told[middle].id });
  const tip = `event: block\nid: ${node.chain.tip.height}.`;
  await until(() => [reading, all, again, header].every(({ text }) => text.includes(tip)));
  const rest = messagesOf(reading.text).slice(middle + 1);
  expect(messagesOf(again.text)).toEqual(rest);
  expect(messagesOf(header.text)).toEqual(rest);
  const whole = messagesOf(all.text);
  expect(whole.slice(-rest.length)).toEqual(rest);
  expect(whole[0]).toMatchObject({ event: "block", data: { change: "committed", height: 1, sequence: 0 } });
});

test("sends what the filter names, and moves past what it excludes", async () => {
  const { clock, read, pay, forge } = await serving();
  const address = addressText(recipient);
  const other = addressText(addressOf(keyPairOf("other").publicKey, dev.chainId));
  const [mine, others, types, blocks] = await Promise.all(
    [
      `events=transaction&address=${address}`,
      `events=transaction&address=${other}`,
      "events=transaction&type=anchor,lease",
      "events=block",
    ].map((query) => read(`/events?${query}`)),
  );
  pay(2);
  forge();
  forge();
  await until(() => messagesOf(mine.text).length === 2 && messagesOf(blocks.text).length === 2);
  expect(messagesOf(others.text)).toEqual([]);
  // The next heartbeat has the id after excluded events.
  clock.advance(20_000);
  await until(() => /:\nid: 3\./.test(others.text) && /:\nid: 3\./.test(types.text));
  const [{ id, data }] = messagesOf(mine.text);
  expect(id).toMatch(/^2\.\d\.\w+\.\d$/);
  const told = data.transaction as { readonly id: string };
  const one = await read(`/events?since=0&events=transaction&id=${told.id}`);
  await until(() => messagesOf(one.text).length === 1);
});

test("sends reverted units, newest first, also to a client that reconnects", async () => {
  const { node, read, pay, forge } = await serving();
  const all = await read("/events");
  pay(3);
  forge();
  await until(() => messagesOf(all.text).filter(({ event }) => event === "transaction").length === 3);
  const told = messagesOf(all.text);
  const middle = told.findIndex(({ event }) => event === "transaction") + 1;
  const back = node.chain.read((reader) => headerRow(reader, 1).signature);
  node.chain.removeAfter(back, { returnTransactions: false });
  await until(() => messagesOf(all.text).length === 2 * told.length);
  const undone = (list: readonly Message[]) =>
    list.map(({ event, data }) => ({ event, data: { ...data, change: "reverted" } })).reverse();
  const without = (list: readonly Message[]) => list.map(({ event, data }) => ({ event, data }));
  expect(without(messagesOf(all.text).slice(told.length))).toEqual(undone(told));
  const again = await read(`/events?since=${told[middle].id}`);
  await until(() => messagesOf(again.text).length > middle);
  expect(without(messagesOf(again.text))).toEqual(undone(told.slice(0, middle + 1)));
});

test("rejects an invalid parameter and names it", async () => {
  const { server } = await serving();
  const wrong = [
    ["since=1", "since: must be the id of an event, or 0 for the whole chain"],
    ["events=blocks", "events: 'blocks' must be one of block, microblock, transaction, pool"],
    ["type=nothing", "type: 'nothing' is not a transaction type"],
    ["address=3Q", "address: '3Q' is not an address of this network"],
    ["id=0", "id: '0' is not a transaction id"],
    [`id=${"2,".repeat(100)}2`, "id: at most 100 values are allowed"],
  ] as const;
  for (const [query, message] of wrong) {
    const answer = await server.inject(`/events?${query}`);
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toEqual({ error: 400, message });
  }
  // A client that does not accept event streams gets none.
  const other = await server.inject({ url: "/events", headers: { accept: "application/json" } });
  expect(other.statusCode).toBe(404);
});

test("reports a forgotten position as a gap and continues from the tip", async () => {
  const { node, read, forge } = await serving();
  const since = `3.0.${encodeBase58(new Uint8Array(64).fill(1))}.1`;
  const reading = await read(`/events?since=${since}`);
  await until(() => messagesOf(reading.text).length === 1);
  expect(messagesOf(reading.text)[0]).toMatchObject({ event: "gap", data: { since } });
  forge();
  await until(() => messagesOf(reading.text).length > 1);
  expect(messagesOf(reading.text)[1]).toMatchObject({
    event: "block",
    data: { height: node.chain.tip.height },
  });
});

test("sends new pool transactions that match the filter, without ids", async () => {
  const { node, clock, read, pay } = await serving();
  node.forger.stop();
  expect(node.pool.onAdded).toBeUndefined();
  const all = await read("/events?events=pool");
  const anchors = await read("/events?events=pool&type=anchor");
  const none = await read("/events");
  await until(() => node.pool.onAdded !== undefined);
  pay(250);
  await until(() => {
    clock.advance(10);
    return messagesOf(all.text).length === 250;
  });
  const [first] = messagesOf(all.text);
  expect(first).toMatchObject({
    event: "pool",
    id: undefined,
    data: { transaction: { type: 4, amount: 1 } },
  });
  expect([anchors, none].flatMap(({ text }) => messagesOf(text))).toEqual([]);
  for (const { answer } of [all, anchors]) answer.destroy();
  // The node is not polled any more.
  await until(() => {
    clock.advance(10_000);
    return node.pool.onAdded === undefined;
  });
});

test("bounds the backlog of a client that reads nothing, and ends its stream", async () => {
  const { clock, backpressure, read, pay, forge } = await serving();
  const reading = await read("/events?events=transaction");
  reading.answer.pause();
  let most = 0;
  // More than the system buffers.
  for (let waiting = 0; waiting < 50; waiting = backpressure.bytes > 0 ? waiting + 1 : 0) {
    if (backpressure.bytes === 0) {
      pay(300);
      forge();
    }
    await new Promise((resolve) => setImmediate(resolve));
    most = Math.max(most, backpressure.bytes);
  }
  expect(most).toBeLessThan(256 * 1024);
  for (let i = 0; i < 6; i++) clock.advance(7_500);
  await until(() => backpressure.bytes === 0);
  reading.answer.resume();
  await until(() => reading.isOver);
});

test(`serves ${MAX_STREAMS} streams, refuses one more, and ends all when the server closes`, async () => {
  const { server, read, forge } = await serving();
  const readings = await Promise.all(Array.from({ length: MAX_STREAMS }, () => read("/events")));
  const late = await read("/events");
  expect(late.answer.statusCode).toBe(503);
  forge();
  await until(() => readings.every(({ text }) => text.includes("event: block")));
  await server.close();
  await until(() => readings.every(({ isOver }) => isOver));
});

test("no client behind a proxy takes all places", async () => {
  const { server, read } = await serving({ trustedProxies: trusted === undefined ? [] : [trusted] });
  const from = (address: string) => ({ "x-forwarded-for": address });
  const all = Array.from({ length: MAX_STREAMS_PER_ORIGIN }, () => read("/events", from("192.0.2.1")));
  const readings = await Promise.all(all);
  const status = async (headers: Record<string, string>) =>
    (await read("/events", headers)).answer.statusCode;
  expect(await status(from("192.0.2.1"))).toBe(503);
  expect(await status(from("192.0.2.2"))).toBe(200);
  readings[0].answer.destroy();
  await until(() => readings[0].isOver);
  // The server notices it a little later.
  let answered: number | undefined;
  while (answered !== 200) answered = await status(from("192.0.2.1"));
  // A refused client takes no place either.
  for (let i = 0; i < 5; i++) expect(await status({ ...from("192.0.2.3"), accept: "image/png" })).toBe(404);
  expect(await status(from("192.0.2.3"))).toBe(200);
  await server.close();
});

test("the metrics show the open streams, and how far the slowest one is behind the tip", async () => {
  const { node, read, forge, gauge } = await serving();
  expect([gauge(apiMetrics.eventStreams), gauge(apiMetrics.eventLag)]).toEqual([0, 0]);
  const reading = await read("/events");
  await until(() => reading.text !== "");
  const { height } = node.chain.tip;
  for (let i = 0; i < 3; i++) forge();
  // The events of the new blocks are sent in a later turn of the event loop.
  expect([gauge(apiMetrics.eventStreams), gauge(apiMetrics.eventLag)]).toEqual([
    1,
    node.chain.tip.height - height,
  ]);
  await until(() => gauge(apiMetrics.eventLag) === 0);
  await until(() => reading.text.includes("event: "));
  reading.answer.destroy();
  await until(() => gauge(apiMetrics.eventStreams) === 0);
});

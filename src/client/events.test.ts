import { expect, test } from "vitest";
import { VirtualClock } from "../testing/virtual-clock.ts";
import { type EventMessage, EventMessages } from "./event-messages.ts";
import { type ChainEvent, readEvents, type StreamFetch } from "./events.ts";

const unit = {
  change: "committed",
  height: 7,
  sequence: 0,
  signature: "2",
  timestamp: 1_700_000_000_000,
  generator: "3",
  transactionCount: 0,
};
const block = (id: string): string => `event: block\nid: ${id}\ndata: ${JSON.stringify(unit)}\n\n`;

/** Scripted answers, one per request: chunks and then the end, a status, or no connection. */
function node(answers: readonly (readonly string[] | number | "away")[]) {
  const asked: string[] = [];
  const fetch: StreamFetch = async (url) => {
    const answer = answers[asked.length];
    asked.push(url);
    if (answer === undefined || answer === "away") throw new TypeError("fetch failed");
    if (typeof answer === "number") return { status: answer, body: null, text: async () => "no" };
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const piece of answer) controller.enqueue(Buffer.from(piece));
        controller.close();
      },
    });
    return { status: 200, body, text: async () => "" };
  };
  const clock = new VirtualClock(0);
  /** Delays end at once and are recorded. */
  const waits: number[] = [];
  const after = (delayMs: number, task: () => void) => {
    if (delayMs < 45_000) {
      waits.push(delayMs);
      queueMicrotask(task);
      return () => {};
    }
    return clock.after(delayMs, task);
  };
  return { asked, fetch, after, waits, clock };
}

async function take(events: AsyncIterable<ChainEvent>, count: number): Promise<ChainEvent[]> {
  const taken: ChainEvent[] = [];
  for await (const event of events) if (taken.push(event) === count) break;
  return taken;
}

test("assembles messages from chunks that end anywhere", () => {
  const text = ":\n\nretry: 5\nid: a\n\nevent: x\r\ndata: 1\r\ndata:2\nid\n\ndata: ä\n\nevent: half\n";
  const bytes = Buffer.from(text);
  for (const size of [1, 2, 3, 7, bytes.length]) {
    const parts = new EventMessages();
    const messages: EventMessage[] = [];
    for (let at = 0; at < bytes.length; at += size)
      messages.push(...parts.add(bytes.subarray(at, at + size)));
    expect(messages).toEqual([
      { event: undefined, id: undefined, retry: undefined, data: "" },
      { event: undefined, id: "a", retry: 5, data: "" },
      { event: "x", id: "", retry: undefined, data: "1\n2" },
      { event: undefined, id: undefined, retry: undefined, data: "ä" },
    ]);
  }
});

test("rejects an endless message", () => {
  const parts = new EventMessages();
  const piece = Buffer.alloc(2 ** 20, "x");
  expect(() => {
    for (let i = 0; i < 17; i++) parts.add(piece);
  }).toThrow("exceeds 16777216 characters");
});

test("reconnects after the last id, with the requested delay and exponential backoff", async () => {
  const { asked, fetch, after, waits, clock } = node([
    ["retry: 100\nid: a\n\n", block("b"), "event: block\nid: c\nda"],
    "away",
    503,
    [":\nid: d\n\n"],
    [block("e")],
  ]);
  const events = readEvents({
    url: "http://node/",
    fetch,
    after,
    events: ["block"],
    type: ["anchor", "lease"],
  });
  const [first, second] = await take(events, 2);
  expect(first).toEqual({ event: "block", id: "b", data: { ...unit, timestamp: 1_700_000_000_000n } });
  expect(second.id).toBe("e");
  const query = "events=block&type=anchor%2Clease";
  expect(asked).toEqual(
    [query, `since=b&${query}`, `since=b&${query}`, `since=b&${query}`, `since=d&${query}`].map(
      (text) => `http://node/events?${text}`,
    ),
  );
  expect(waits).toEqual([100, 200, 400, 100]);
  // After leaving the loop no timer is pending.
  expect(clock.pending).toBe(0);
});

test("waits before reconnecting even if the node asks for no delay", async () => {
  const { fetch, after, waits } = node([["retry: 0\nid: a\n\n"], ["retry: 0\nid: a\n\n"], [block("b")]]);
  await take(readEvents({ url: "http://node/", fetch, after }), 1);
  expect(waits).toEqual([100, 100]);
});

test("ends with the node's message when the request is rejected", async () => {
  const { fetch, after } = node([400]);
  await expect(take(readEvents({ url: "http://node", fetch, after, since: "x" }), 1)).rejects.toThrow(
    "GET /events: 400 no",
  );
});

test("reconnects after an idle timeout", async () => {
  const clock = new VirtualClock(0);
  let asked = 0;
  const fetch: StreamFetch = (_url, { signal }) => {
    asked++;
    return new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("aborted"))));
  };
  const stop = new AbortController();
  const events = readEvents({
    url: "http://node",
    fetch,
    after: (delayMs, task) => clock.after(delayMs, task),
    signal: stop.signal,
  });
  const next = events.next();
  expect(asked).toBe(1);
  clock.advance(45_000);
  for (let i = 0; asked < 2 && i < 100; i++) {
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(1_000);
  }
  expect(asked).toBe(2);
  stop.abort();
  expect(await next).toEqual({ value: undefined, done: true });
});

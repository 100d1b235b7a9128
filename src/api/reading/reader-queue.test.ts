import { expect, test } from "vitest";
import { parseJson } from "../../bytes/json.ts";
import { ApiError, failure } from "../../http/errors.ts";
import { MAX_ANSWER_BYTES, mapLazily, printList, printMembers } from "../../http/responses/chunked-json.ts";
import { jsonTextReply, type Reply } from "../../http/responses/reply.ts";
import { findSlowScript, parseScriptText } from "../../script/index.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import type { ReaderRoute } from "../route.ts";
import { routes } from "../routes/all.ts";
import { bareServer, testInfo } from "../testing/server.ts";
import { fakeReader, fakeSnapshot } from "../testing/snapshot.ts";
import { unestimated } from "../testing/unestimated-script.ts";
import { answerRead, ReadDeadline } from "./answer-reads.ts";
import { replyOf } from "./read-jobs.ts";
import { type QueuedRead, ReaderQueue, type ReaderThread } from "./reader-queue.ts";

const route = { path: "/heavy" } as ReaderRoute;
const idOf = (path: string): number => routes.findIndex((one) => one.path === path);
/** Parts of requests that do not matter here. */
const plain = { accept: undefined, now: 0 };
const read = (name: string): QueuedRead => ({
  ...plain,
  route,
  params: { name },
  query: new URLSearchParams(),
});

/** A thread whose reads end when the test says so. */
class HeldThread implements ReaderThread {
  readonly begun: string[] = [];
  cancelled = 0;
  #end: (() => void) | undefined;

  read({ params }: QueuedRead): Promise<Reply> {
    this.begun.push(params.name);
    return new Promise((resolve) => {
      this.#end = () => resolve(jsonTextReply(params.name));
    });
  }

  /** Ends the running read and waits until the queue has started the next one. */
  async end(): Promise<void> {
    this.#end?.();
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
  }

  cancel(): void {
    this.cancelled++;
  }
}

function make(freeBytes = 2 * MAX_ANSWER_BYTES) {
  const thread = new HeldThread();
  const clock = new VirtualClock(0);
  const backpressure = { freeBytes, dropped: 0, dropSlowestClient: () => void backpressure.dropped++ };
  const reads = new ReaderQueue([thread], backpressure, clock);
  const ask = (name: string) => {
    let leave = (): void => {};
    const answer = reads
      .enqueue(read(name), (giveUp) => {
        leave = giveUp;
      })
      .then(
        ({ body }) => body,
        (error: unknown) => (error instanceof ApiError ? error.failure.status : error),
      );
    return { answer, leave: () => leave() };
  };
  return { thread, clock, backpressure, reads, ask };
}

test("runs one read at a time, first come first served", async () => {
  const { thread, ask } = make();
  const [a, b] = [ask("a"), ask("b")];
  expect(thread.begun).toEqual(["a"]);
  await thread.end();
  expect(await a.answer).toBe("a");
  expect(thread.begun).toEqual(["a", "b"]);
  await thread.end();
  expect(await b.answer).toBe("b");
});

test("answers a queued read from the cache if another request has produced the answer", async () => {
  const { thread, reads } = make();
  let known: Reply | undefined;
  const ask = () => reads.enqueue({ ...read("a"), findCached: () => known }, () => {});
  const answers = [ask(), ask(), ask()];
  known = jsonTextReply("known");
  await thread.end();
  expect((await Promise.all(answers)).map(({ body }) => body)).toEqual(["a", "known", "known"]);
  expect(thread.begun).toEqual(["a"]);
});

test("bounds the number of queued reads and their time in the queue", async () => {
  const { thread, clock, ask } = make();
  const first = ask("first");
  const waiting = Array.from({ length: 100 }, (_, i) => ask(String(i)));
  expect(await ask("one more").answer).toBe(503);
  clock.advance(20_000);
  expect(new Set(await Promise.all(waiting.map(({ answer }) => answer)))).toEqual(new Set([503]));
  await thread.end();
  expect(await first.answer).toBe("first");
  expect(thread.begun).toEqual(["first"]);
  expect(clock.pending).toBe(0);
});

test("cancels reads whose clients disconnected", async () => {
  const { thread, clock, ask } = make();
  const [a, b, c] = [ask("a"), ask("b"), ask("c")];
  b.leave();
  expect(thread.cancelled).toBe(0);
  a.leave();
  expect(thread.cancelled).toBe(1);
  await thread.end();
  expect(thread.begun).toEqual(["a", "c"]);
  await thread.end();
  await c.answer;
  c.leave();
  expect(thread.cancelled).toBe(1);
  expect(clock.pending).toBe(0);
});

test("pauses while unread answers fill the memory, and ends the worst connection", async () => {
  const { thread, clock, backpressure, ask } = make(0);
  const { answer } = ask("a");
  clock.advance(900);
  expect(backpressure.dropped).toBe(0);
  clock.advance(100);
  expect(backpressure.dropped).toBe(1);
  expect(thread.begun).toEqual([]);
  backpressure.freeBytes = MAX_ANSWER_BYTES;
  clock.advance(100);
  await thread.end();
  expect(await answer).toBe("a");
  expect(clock.pending).toBe(0);
});

test("refuses queued reads when the server closes", async () => {
  const { reads, clock, ask } = make();
  ask("a");
  const { answer } = ask("b");
  reads.close();
  expect(await answer).toBe(503);
  expect(clock.pending).toBe(0);
});

test("runs expensive reads in a thread, and sends Retry-After when it is busy", async () => {
  const asked: string[] = [];
  const thread: ReaderThread = {
    async read({ route: { path }, params, query }) {
      asked.push(`${path} ${params.address} ${query.get("type")}`);
      return jsonTextReply("[[]]");
    },
    cancel() {},
  };
  const blocked = new HeldThread();
  const serverWith = (one: ReaderThread) =>
    bareServer({ chain: { transactions: { ofAddress: () => [] } }, clock, readerThreads: [one] });
  const clock = new VirtualClock(0);
  const address = "3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt";
  const server = await serverWith(thread);
  const path = `/transactions/address/${address}`;
  expect((await server.inject(`${path}?type=transfer`)).body).toBe("[[]]");
  expect((await server.inject(`${path}?limit=10`)).body).toBe("[[]]");
  // Invalid requests do not get this far.
  expect((await server.inject(`${path}?type=none`)).statusCode).toBe(400);
  expect(asked).toEqual([`/transactions/address/:address ${address} transfer`]);
  await server.close();

  const busy = await serverWith(blocked);
  const waiting = Array.from({ length: 101 }, () => busy.inject(`/addresses/data/${address}`));
  const refused = busy.inject(`/addresses/data/${address}`);
  for (const one of waiting) void one.then(() => {});
  const { statusCode, headers } = await refused;
  expect(statusCode).toBe(503);
  expect(headers["retry-after"]).toBe("5");
  clock.advance(20_000);
  await blocked.end();
  await Promise.all(waiting);
  await busy.close();
});

test("compiles and estimates long scripts in a thread, also those of other requests", async () => {
  const asked: string[] = [];
  const answers: (() => Reply)[] = [];
  const thread: ReaderThread = {
    async read({ route: { path }, body }) {
      asked.push(`${path} ${body?.length}`);
      const answer = answers.shift();
      return answer === undefined ? jsonTextReply('{"complexity":1}') : answer();
    },
    cancel() {},
  };
  const server = await bareServer({ readerThreads: [thread] });
  const post = (url: string, payload: string) => server.inject({ method: "POST", url, payload });
  const long = `${"# a comment\n".repeat(40)}true`;
  expect((await post("/utils/script/compile", "true")).json()).toMatchObject({ complexity: 1 });
  expect(asked).toEqual([]);
  expect((await post("/utils/script/compile", long)).json()).toEqual({ complexity: 1 });
  // A script that is too long is refused at once.
  expect((await post("/utils/script/compile", "#".repeat(131_073))).statusCode).toBe(400);
  expect(asked.splice(0)).toEqual([`/utils/script/compile ${long.length}`]);

  const [first, second] = [unestimated(11), unestimated(12)];
  expect([findSlowScript(first), findSlowScript(second)]).not.toContain(undefined);
  const broadcast = (script: string) => post("/transactions/broadcast", JSON.stringify({ type: 13, script }));
  answers.push(
    () => jsonTextReply('{"complexity":229}'),
    () => {
      throw new ApiError(failure(400, 305, "Script is too complex: so a thread said"));
    },
  );
  await broadcast(first);
  await broadcast(second);
  expect(asked).toEqual([first, second].map(({ length }) => `/utils/script/estimate ${length}`));
  // Cached by now.
  expect(findSlowScript(first)).toBe(undefined);
  expect(findSlowScript(second)).toBe(undefined);
  expect(parseScriptText(first).complexity).toBe(229);
  expect(() => parseScriptText(second)).toThrow("so a thread said");
  await broadcast(first);
  expect(asked).toHaveLength(2);
  await server.close();
});

test("answers the same in a thread and inline, failures included", async () => {
  const api = {
    reader: fakeReader(fakeSnapshot({ height: () => 3, blocks: { header: () => undefined } })),
    info: testInfo(),
  };
  const order = {
    ...plain,
    route: idOf("/blocks/headers/seq/:from/:to"),
    params: { from: "1", to: "3" },
    query: "",
  };
  const answer = structuredClone(answerRead(order, api));
  expect(answer).toMatchObject({ kind: "reply", status: 200, chunks: [new TextEncoder().encode("[]")] });
  expect(replyOf(answer).status).toBe(200);
  const reversed = answerRead({ ...order, params: { from: "3", to: "1" } }, api);
  expect(() => replyOf(structuredClone(reversed))).toThrow("Too big sequences requested");
  const texts = {
    ...plain,
    route: idOf("/transactions/addresses/:address"),
    params: { address: "x" },
    query: "type=x",
  };
  expect(answerRead(texts, api)).toMatchObject({ kind: "text", status: 400 });
  expect(answerRead({ ...order, route: -1 }, api)).toMatchObject({ kind: "fault" });
});

test("passes the whole request to the thread, and decides by it what is expensive", async () => {
  const asked: { path: string; body: string }[] = [];
  const thread: ReaderThread = {
    async read({ route: { path }, body = new Uint8Array(0) }) {
      asked.push({ path, body: Buffer.from(body).toString() });
      return jsonTextReply("{}");
    },
    cancel() {},
  };
  const first = () => ({ transactionId: new Uint8Array(32), height: 1, position: 0 });
  const server = await bareServer({
    chain: { anchors: { first }, accounts: { balance: () => 1n } },
    readerThreads: [thread],
  });
  const hashes = (count: number): string =>
    JSON.stringify(Array.from({ length: count }, () => "00".repeat(32)));
  const post = (payload: string) => server.inject({ method: "POST", url: "/hash/verify", payload });
  expect((await post(hashes(60))).json()).toMatchObject({ verified: true });
  const address = "3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt";
  const balance = (confirmations: number, accept = "*/*") =>
    server.inject({ url: `/addresses/balance/${address}/${confirmations}`, headers: { accept } });
  expect((await balance(100)).json()).toMatchObject({ balance: 1 });
  expect(asked).toEqual([]);
  const long = hashes(15_000);
  expect((await post(long)).statusCode).toBe(200);
  expect((await post('{"00":{"sender":"x"}}')).statusCode).toBe(200);
  expect((await balance(101)).statusCode).toBe(200);
  // A client that does not accept JSON causes no read.
  expect((await balance(101, "text/html")).statusCode).toBe(404);
  expect(asked).toEqual([
    { path: "/hash/verify", body: long },
    { path: "/hash/verify", body: '{"00":{"sender":"x"}}' },
    { path: "/addresses/balance/:address/:confirmations", body: "" },
  ]);
  const order = {
    ...plain,
    route: idOf("/hash/verify"),
    params: {},
    query: "",
    body: Buffer.from(hashes(1)),
  };
  const api = { reader: fakeReader(fakeSnapshot({ anchors: { first } })), info: testInfo() };
  expect(answerRead(structuredClone(order), api)).toMatchObject({ kind: "reply", status: 200 });
  await server.close();
});

test("ends a read that takes too long or was cancelled", () => {
  const clock = new VirtualClock(0);
  let isCancelled = false;
  const watch = new ReadDeadline(clock, () => isCancelled);
  const rows = (count: number): void => {
    for (let i = 0; i < count; i++) watch.check();
  };
  watch.start();
  clock.jump(19_999);
  rows(1_000);
  clock.jump(20_000);
  expect(() => rows(64)).toThrow("answer takes too long");
  watch.start();
  rows(1_000);
  isCancelled = true;
  expect(() => rows(64)).toThrow("answer takes too long");
});

test("prints lists in chunks, up to the maximum length of an answer", () => {
  const text = (pieces: readonly Uint8Array[]): string => Buffer.concat(pieces).toString();
  expect(text(printList([]))).toBe("[]");
  expect(text(printList([1, "\ud800"], "[["))).toBe('[[1,"\ufffd"]]');
  expect(text(printMembers([]))).toBe("{}");
  expect(
    text(
      printMembers([
        ["a", 1n],
        ['"', null],
      ]),
    ),
  ).toBe('{"a":1,"\\"":null}');
  const long = printList(mapLazily(Array.from({ length: 300 }), () => "x".repeat(1_000)));
  expect(long.length).toBeGreaterThan(3);
  expect(long.every(({ length, buffer }) => length === buffer.byteLength)).toBe(true);
  expect(parseJson(text(long))).toHaveLength(300);
  const row = "x".repeat(2 ** 20);
  let printedRows = 0;
  const endless = function* () {
    for (;;) {
      printedRows++;
      yield row;
    }
  };
  expect(() => printList(endless())).toThrow("Too big sequences requested");
  expect(printedRows).toBe(64);
});

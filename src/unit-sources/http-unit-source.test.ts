/** The stream of units over real connections, between a server and the reader, with a proxy that disturbs them. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer as createHttpServer, type RequestListener, type Server } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import { afterEach, describe, expect, test } from "vitest";
import { createServer } from "../api/server/server.ts";
import { fakeControl } from "../api/testing/control.ts";
import { API_KEY, memoryLog, testInfo } from "../api/testing/server.ts";
import { chainStart } from "../chain/reading/changes.ts";
import { headerRow } from "../chain/reading/rows.ts";
import { chainReader } from "../chain/snapshot.ts";
import { returnBlocks } from "../chain/testing/return-blocks.ts";
import { defaultTrustNetwork } from "../indexes/trust/trust-network.ts";
import type { ChainCursor, SourceFrame, UnitRecord } from "../interfaces.ts";
import { dev } from "../profiles/index.ts";
import { DevNode } from "../testing/dev-node.ts";
import { type TcpProxy, tcpProxy } from "../testing/tcp-proxy.ts";
import { VirtualClock } from "../testing/virtual-clock.ts";
import { STREAM_VERSION } from "../units/description.ts";
import { encodeFrame, MAX_FRAME_BYTES } from "../units/frames.ts";
import { UnitSourceError } from "../units/source-error.ts";
import { HttpUnitSource } from "./http-unit-source.ts";
import { readerUnitSource } from "./testing/reader-unit-source.ts";

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

/** A node that forges on a virtual clock, with a server, a proxy and a reader. */
async function following() {
  const node = new DevNode();
  node.forger.start();
  const clock = new VirtualClock(0);
  const trust = { network: defaultTrustNetwork, root: undefined };
  const reader = chainReader(node.store, { profile: dev, rules: node.chain.rules, indexAll: true, trust });
  const server: FastifyInstance = await createServer({
    reader,
    control: fakeControl([], dev.chainId),
    events: node.chain,
    info: testInfo({ source: { store: node.store.id, trustRoot: undefined } }),
    clock,
    log: memoryLog(),
  });
  await server.listen({ host: "127.0.0.1", port: 0 });
  closers.push(() => server.close());
  const proxy: TcpProxy = await tcpProxy(portOf(server.server));
  closers.push(() => proxy.close());
  const source = (options: { key?: string | undefined } = { key: API_KEY }) =>
    new HttpUnitSource({ url: `http://127.0.0.1:${proxy.port}/`, key: () => options.key, clock });
  const records = (): readonly UnitRecord[] =>
    reader.read((chain) => chain.units.after(chainStart, { units: 1e6, bytes: 1e9 }).records);
  return {
    node,
    clock,
    reader,
    server,
    proxy,
    source,
    records,
    forge: (): void => {
      const { height } = node.chain.tip;
      while (node.chain.tip.height === height) node.clock.step();
    },
  };
}

const isAt = (a: ChainCursor, b: ChainCursor): boolean =>
  a.height === b.height && a.sequence === b.sequence && Buffer.compare(a.id, b.id) === 0;

/** Applies frames to a list of records, until the stream is complete. */
class Follower {
  readonly records: UnitRecord[] = [];
  readonly kinds: SourceFrame["kind"][] = [];

  get position(): ChainCursor {
    return this.records.at(-1) ?? chainStart;
  }

  apply(frame: SourceFrame): void {
    this.kinds.push(frame.kind);
    if (frame.kind === "unit") this.records.push(frame.record);
    if (frame.kind === "undo") while (!isAt(this.position, frame.to)) this.records.pop();
  }

  /** Reads until the stream is complete at a position. */
  async readTo(frames: AsyncIterator<SourceFrame>, position: ChainCursor): Promise<void> {
    for (;;) {
      const { value, done } = await frames.next();
      if (done === true) throw new Error("The stream ended");
      this.apply(value);
      if (value.kind === "tip" && isAt(value.cursor, position) && isAt(this.position, position)) return;
    }
  }
}

const newestOf = (records: readonly UnitRecord[]): ChainCursor => records.at(-1) ?? chainStart;

/** Returns the fault that ends a stream. */
async function faultOf(frames: AsyncIterable<SourceFrame>): Promise<string> {
  try {
    for await (const _ of frames);
    return "ended";
  } catch (error) {
    if (error instanceof UnitSourceError) return error.fault;
    throw error;
  }
}

const never = new AbortController().signal;

describe("a stream of units", () => {
  test("begins with the source's description, and delivers the chain and each commit", async () => {
    const { node, forge, records, source } = await following();
    forge();
    const frames = source().open(chainStart, never);
    const follower = new Follower();
    const first = await frames.next();
    expect(first.value).toMatchObject({
      kind: "source",
      description: {
        version: STREAM_VERSION,
        store: node.store.id,
        network: { name: dev.networkName, chainId: dev.chainId },
        trustRoot: undefined,
      },
    });
    await follower.readTo(frames, newestOf(records()));
    expect(follower.records).toEqual(records());
    for (let i = 0; i < 3; i++) {
      forge();
      await follower.readTo(frames, newestOf(records()));
    }
    expect(follower.records).toEqual(records());
    await frames.return();
  });

  test("reports forks, and commits that only persist the tip", async () => {
    const { node, forge, records, source } = await following();
    for (let i = 0; i < 4; i++) forge();
    const frames = source().open(chainStart, never);
    const follower = new Follower();
    await follower.readTo(frames, newestOf(records()));
    const parent = node.store.read((reader) => headerRow(reader, 2).signature);
    node.chain.removeAfter(parent, { returnTransactions: false });
    const shortened = records();
    expect(shortened.at(-1)).toMatchObject({ kind: "persist", height: 2 });
    await follower.readTo(frames, newestOf(shortened));
    expect(follower.kinds.filter((kind) => kind === "undo")).toHaveLength(1);
    expect(follower.records).toEqual(shortened);
    forge();
    await follower.readTo(frames, newestOf(records()));
    node.chain.persistTip();
    expect(newestOf(records()).sequence).toBe(0xffff);
    await follower.readTo(frames, newestOf(records()));
    expect(follower.records).toEqual(records());
    await frames.return();
  });

  test("begins below a persist unit that the follower lacks, although it has the newest unit", async () => {
    const { node, forge, records, source } = await following();
    for (let i = 0; i < 4; i++) forge();
    const frames = source().open(chainStart, never);
    const follower = new Follower();
    await follower.readTo(frames, newestOf(records()));
    const away = new Follower();
    away.records.push(...follower.records);
    returnBlocks(node.chain, node.store, dev, 2);
    expect(newestOf(records()).id).toEqual(follower.position.id);
    expect(records()).not.toEqual(follower.records);
    // The stream was open, but both changes were committed before it was served.
    await follower.readTo(frames, newestOf(records()));
    expect(follower.records).toEqual(records());
    await frames.return();
    const again = source().open({ ...away.position, persists: { from: 1, heights: [] } }, never);
    await away.readTo(again, newestOf(records()));
    expect(away.records).toEqual(records());
    await again.return();
    // A follower with the same persist units has nothing to undo.
    const same = source().open({ ...away.position, persists: { from: 1, heights: [2] } }, never);
    const kinds = [];
    for (let i = 0; i < 2; i++) kinds.push((await same.next()).value?.kind);
    expect(kinds).toEqual(["source", "tip"]);
    await same.return();
  });

  test("resumes at the position after a cut, without gap or repetition", async () => {
    const { forge, proxy, records, source } = await following();
    for (let i = 0; i < 3; i++) forge();
    const follower = new Follower();
    proxy.pieceBytes = 7;
    let cuts = 0;
    // Cuts frames at different bytes.
    for (proxy.cutAfter = 1_000; !isAt(follower.position, newestOf(records())); proxy.cutAfter += 97) {
      try {
        for await (const frame of source().open(follower.position, never)) {
          follower.apply(frame);
          if (isAt(follower.position, newestOf(records()))) break;
        }
      } catch (error) {
        if (!(error instanceof UnitSourceError)) throw error;
        expect(error.fault).toBe("unreachable");
        cuts++;
      }
    }
    expect(cuts).toBeGreaterThan(0);
    expect(follower.records).toEqual(records());
  });

  test("sends a heartbeat after 15 s of silence", async () => {
    const { clock, records, source } = await following();
    const frames = source().open(chainStart, never);
    const follower = new Follower();
    await follower.readTo(frames, newestOf(records()));
    const next = frames.next();
    for (let i = 0; i < 3; i++) clock.advance(5_000);
    expect((await next).value).toEqual({ kind: "heartbeat" });
    await frames.return();
  });

  test("is closed by the reader if nothing arrives for 45 s", async () => {
    const { clock, proxy, records, source } = await following();
    const frames = source().open(chainStart, never);
    await new Follower().readTo(frames, newestOf(records()));
    proxy.isStalled = true;
    const end = faultOf({ [Symbol.asyncIterator]: () => frames });
    clock.advance(44_999);
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(1);
    expect(await end).toBe("stalled");
  });

  test("ends without an error when the consumer aborts it", async () => {
    const { records, source } = await following();
    const abort = new AbortController();
    const frames = source().open(chainStart, abort.signal);
    await new Follower().readTo(frames, newestOf(records()));
    const next = frames.next();
    abort.abort();
    expect((await next).done).toBe(true);
    expect((await source().open(chainStart, abort.signal).next()).done).toBe(true);
  });

  test("is refused for a wrong key, an unknown position and a malformed one", async () => {
    const { server, source } = await following();
    const unknown = { height: 2, sequence: 0, id: new Uint8Array(64).fill(1) };
    expect(await faultOf(source({ key: "wrong" }).open(chainStart, never))).toBe("unauthorized");
    expect(await faultOf(source({ key: undefined }).open(chainStart, never))).toBe("unauthorized");
    expect(await faultOf(source().open(unknown, never))).toBe("unknown position");
    const headers = { "x-api-key": API_KEY };
    for (const text of ["", "1", "1.0", "1.0.2", "x.0.y", `1.0.${"2".repeat(65)}`]) {
      const answer = await server.inject({ url: `/units?after=${text}`, headers });
      expect([answer.statusCode, answer.json().message]).toEqual([
        400,
        "after: must be a position on the chain (height.sequence.id), or 0 for the whole chain",
      ]);
    }
    expect((await server.inject({ url: "/units", headers })).statusCode).toBe(400);
    for (const text of ["", "x", "1.", "5.4", "1.3.2", `1${".2".repeat(65)}`]) {
      const answer = await server.inject({ url: `/units?after=0&persisted=${text}`, headers });
      expect([answer.statusCode, answer.json().message]).toEqual([
        400,
        "persisted: must be 1 to 65 ascending heights, separated by dots",
      ]);
    }
  });

  test("has the same frames if it comes from a store in the same process", async () => {
    const { node, reader, forge, records } = await following();
    forge();
    const source = readerUnitSource({ reader, events: node.chain, description });
    const abort = new AbortController();
    const frames = source.open(chainStart, abort.signal)[Symbol.asyncIterator]();
    const follower = new Follower();
    await follower.readTo(frames, newestOf(records()));
    const next = frames.next();
    forge();
    follower.apply((await next).value);
    await follower.readTo(frames, newestOf(records()));
    expect(follower.records).toEqual(records());
    const last = frames.next();
    abort.abort();
    expect((await last).done).toBe(true);
  });
});

const description = {
  version: STREAM_VERSION,
  program: "other",
  network: { name: "n", chainId: 1, genesis: new Uint8Array(64) },
  store: "s",
  settings: {},
  trustRoot: undefined,
};

/** Creates a key and a certificate for 127.0.0.1, in PEM; undefined without OpenSSL. */
function certificate(): { readonly key: string; readonly cert: string } | undefined {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-certificate-"));
  try {
    const args =
      "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=source -addext subjectAltName=IP:127.0.0.1 -keyout key.pem -out cert.pem";
    if (spawnSync("openssl", args.split(" "), { cwd: folder }).status !== 0) return undefined;
    const read = (name: string): string => readFileSync(join(folder, name), "utf8");
    return { key: read("key.pem"), cert: read("cert.pem") };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const pair = certificate();

test.skipIf(pair === undefined)("verifies the certificate of an https source", async () => {
  const server = createHttpsServer({ ...pair }, (_, response) => {
    response.writeHead(200, { "content-type": "application/vnd.holdfast.units" });
    response.write(encodeFrame({ kind: "source", description }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  const clock = new VirtualClock(0);
  const from = (host: string, ca?: string) =>
    new HttpUnitSource({ url: `https://${host}:${port}`, ca, clock }).open(chainStart, never);
  const frames = from("127.0.0.1", pair?.cert);
  expect((await frames.next()).value).toEqual({ kind: "source", description });
  await frames.return();
  // An unknown authority, and another name.
  expect(await faultOf(from("127.0.0.1"))).toBe("unreachable");
  expect(await faultOf(from("localhost", pair?.cert))).toBe("unreachable");
});

describe("a hostile source", () => {
  async function hostile(answer: RequestListener): Promise<HttpUnitSource> {
    const server = createHttpServer(answer);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    closers.push(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    return new HttpUnitSource({ url: `http://127.0.0.1:${portOf(server)}`, clock: new VirtualClock(0) });
  }

  /** A source that sends these bytes and keeps the connection open. */
  const sending = (...parts: readonly Uint8Array[]): Promise<HttpUnitSource> =>
    hostile((_, response) => {
      response.writeHead(200, { "content-type": "application/vnd.holdfast.units" });
      for (const part of parts) response.write(part);
    });

  const source = encodeFrame({ kind: "source", description });
  const newer = encodeFrame({ kind: "source", description: { ...description, version: 2 } });
  const heartbeat = encodeFrame({ kind: "heartbeat" });
  const tooLong = new Uint8Array(4);
  new DataView(tooLong.buffer).setUint32(0, MAX_FRAME_BYTES + 1);

  test.each<[string, readonly Uint8Array[], string]>([
    ["without a description", [heartbeat], "malformed"],
    ["with two descriptions", [source, source], "malformed"],
    ["with a frame above the limit", [source, tooLong], "malformed"],
    ["with an unknown frame", [source, Uint8Array.of(0, 0, 0, 1, 99)], "malformed"],
    ["with an empty frame", [source, Uint8Array.of(0, 0, 0, 0)], "malformed"],
    ["of a newer version", [newer], "other version"],
  ])("%s is refused by name", async (_, parts, fault) => {
    expect(await faultOf((await sending(...parts)).open(chainStart, never))).toBe(fault);
  });

  test.each<[string, RequestListener, string, string]>([
    [
      "another page",
      (_, response) => response.writeHead(200, { "content-type": "text/html" }).end("<html>"),
      "malformed",
      "does not answer with a stream of units",
    ],
    [
      "an old node",
      (_, response) => response.writeHead(404).end('{"error":404,"message":"not found"}'),
      "refused",
      "answers with status 404 (not found)",
    ],
    [
      "a text for the log",
      (_, response) => response.writeHead(503).end('{"message":"\\u001b[2J"}'),
      "busy",
      "answers with status 503",
    ],
    [
      "an error of a proxy",
      (_, response) => response.writeHead(502, { "content-type": "text/html" }).end("<html>"),
      "unreachable",
      "answers with status 502",
    ],
    ["an endless error", (_, response) => response.writeHead(500).end("x".repeat(99_999)), "refused", "500"],
    [
      "a redirect",
      (_, response) => response.writeHead(302, { location: "http://127.0.0.1:1/" }).end(),
      "refused",
      "answers with status 302",
    ],
    ["a closed connection", (request) => request.socket.destroy(), "unreachable", "not reachable"],
  ])("that answers with %s is refused by name", async (_, answer, fault, text) => {
    const frames = (await hostile(answer)).open(chainStart, never);
    const error = await frames.next().then(
      () => undefined,
      (error: unknown) => error as UnitSourceError,
    );
    expect(error?.fault).toBe(fault);
    expect(error?.message).toContain(text);
    expect(error?.message).toContain("http://127.0.0.1:");
  });

  test("that does not answer is abandoned after 10 s", async () => {
    let isAsked = false;
    const server = createHttpServer(() => {
      isAsked = true;
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    closers.push(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    const clock = new VirtualClock(0);
    const silent = new HttpUnitSource({ url: `http://127.0.0.1:${portOf(server)}`, clock });
    const end = faultOf(silent.open(chainStart, never));
    while (!isAsked) await new Promise((resolve) => setImmediate(resolve));
    clock.advance(10_000);
    expect(await end).toBe("unreachable");
  });

  test("cannot be given by a URL with a key, or of another protocol", () => {
    const clock = new VirtualClock(0);
    for (const url of ["http://key@127.0.0.1/", "ftp://127.0.0.1/"])
      expect(() => new HttpUnitSource({ url, clock })).toThrow(UnitSourceError);
    expect(new HttpUnitSource({ url: "https://a.example/node/", clock }).name).toBe("https://a.example/node");
  });
});

/** Control of a node from another machine: in memory for the protocol, over TLS for the sockets. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect as connectTcp } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { afterEach, describe, expect, test } from "vitest";
import { encodeUtf8 } from "../../bytes/utf8.ts";
import { dev } from "../../profiles/index.ts";
import { encodePlain } from "../../runtime/remote/plain-codec.ts";
import {
  HANDSHAKE_TIMEOUT_MS,
  MAX_CALLS,
  MAX_FRAME_BYTES,
  MAX_TOKEN_BYTES,
} from "../../runtime/remote/remote-rpc.ts";
import { pairedFrames } from "../../runtime/remote/testing/paired-frames.ts";
import { MAX_CONNECTIONS_PER_ORIGIN } from "../../runtime/remote/tls-frames.ts";
import { UnavailableError } from "../../runtime/rpc.ts";
import { systemClock } from "../../runtime/system.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { type ControlAnswers, fakeControl } from "../testing/control.ts";
import { memoryLog } from "../testing/server.ts";
import {
  connectControl,
  controlOnConnection,
  listenForControl,
  remoteTopics,
  serveControlOnConnection,
} from "./remote-control.ts";

const TOKEN = "a token of 32 characters or more";

/** A served connection in memory, whose caller sends what the test says. */
function served(answers: ControlAnswers = {}) {
  const [caller, connection] = pairedFrames();
  const clock = new VirtualClock(1_000);
  const log = memoryLog();
  serveControlOnConnection(connection, {
    control: fakeControl([], dev.chainId, answers),
    token: TOKEN,
    clock,
    log,
  });
  const frames: string[] = [];
  let isClosed = false;
  caller.maxFrameBytes = MAX_FRAME_BYTES;
  caller.onFrame = (frame) => frames.push(Buffer.from(frame).toString());
  caller.onClose = () => {
    isClosed = true;
  };
  return { caller, clock, log, frames, isClosed: () => isClosed };
}

async function through(answers: ControlAnswers = {}, limits = { maxCalls: 3, timeoutMs: 1_000 }) {
  const [caller, connection] = pairedFrames();
  // The machines have different monotonic clocks.
  const [clock, callerClock] = [new VirtualClock(1_000_000), new VirtualClock(5)];
  const log = memoryLog();
  const control = fakeControl([], dev.chainId, answers);
  serveControlOnConnection(connection, { control, token: TOKEN, clock, log });
  const remote = await controlOnConnection(caller, { token: TOKEN, clock: callerClock, limits });
  return { remote, clock, callerClock, log, connection };
}

const settle = async (): Promise<void> => {
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
};

describe("the methods for other machines", () => {
  test("are all queries of pool, peers and state, and the two commands that clients without a key may use", () => {
    const commands = Object.entries(remoteTopics).flatMap(([topic, methods]) =>
      Object.entries(methods)
        .filter(([, { mutates }]) => mutates)
        .map(([name]) => `${topic}.${name}`),
    );
    expect(commands).toEqual(["pool.broadcast", "anchoring.add"]);
    expect(Object.keys(remoteTopics.wallet)).toEqual([]);
  });

  test("do not include others, even if a caller asks for them", async () => {
    const { remote } = await through();
    await expect(remote.node.stop()).rejects.toThrow("not for callers on other machines");
    for (const [topic, name] of [
      ["node", "stop"],
      ["wallet", "sign"],
      ["chain", "rollback"],
      ["pool", "constructor"],
      ["__proto__", "size"],
      ["nothing", "size"],
    ]) {
      const { caller, log, isClosed } = served();
      caller.send(encodeUtf8(TOKEN));
      caller.send(encodePlain({ id: 1, topic, name, args: [], timeLeft: 1_000 }));
      await settle();
      expect([topic, isClosed()]).toEqual([topic, true]);
      expect(log.lines.join()).toContain("a method is unknown, or not for remote callers");
    }
  });
});

describe("a remote caller", () => {
  test("gets the node's answers, with bytes, large integers and missing values", async () => {
    const id = new Uint8Array([1, 2, 3]);
    const { remote } = await through({
      pool: {
        transaction: async (asked) => (asked.join() === id.join() ? new Uint8Array([7]) : undefined),
        broadcast: async () => ({ ok: false, error: { kind: "busy" } }),
      },
      forging: { miners: async () => [{ address: id, miningBalance: 2n ** 63n, timestamp: 5 }] },
    });
    expect(await remote.pool.transaction(id)).toEqual(new Uint8Array([7]));
    expect(await remote.pool.transaction(new Uint8Array(1))).toBe(undefined);
    expect(await remote.forging.miners()).toEqual([{ address: id, miningBalance: 2n ** 63n, timestamp: 5 }]);
    expect(await remote.pool.broadcast({ form: "json", bytes: id })).toEqual({
      ok: false,
      error: { kind: "busy" },
    });
  });

  test("sends the time that is left, which the node adds to its own clock", async () => {
    const deadlines: (number | undefined)[] = [];
    const { remote, clock } = await through({
      pool: {
        broadcast: async (_transaction: unknown, deadline?: number) => {
          deadlines.push(deadline);
          return { ok: true, value: { added: true } };
        },
      } as ControlAnswers["pool"],
    });
    await remote.pool.broadcast({ form: "json", bytes: new Uint8Array(0) });
    expect(deadlines).toEqual([clock.monotonic() + 1_000]);
  });

  test("gets no answer after its timeout, and none after the connection closed", async () => {
    const { remote, callerClock, connection } = await through({
      pool: { size: () => new Promise(() => {}) },
    });
    const reason = (error: unknown) => (error instanceof UnavailableError ? error.reason : error);
    const late = remote.pool.size().catch(reason);
    await settle();
    callerClock.advance(1_000);
    expect(await late).toBe("late");
    const open = remote.pool.size().catch(reason);
    await settle();
    connection.close();
    expect(await open).toBe("closing");
    expect(await remote.pool.size().catch(reason)).toBe("closing");
  });

  test("learns that the node failed, but not where", async () => {
    const { remote, log } = await through({
      pool: {
        size: async () => {
          throw new Error("secret place");
        },
      },
    });
    await expect(remote.pool.size()).rejects.toThrow("the node failed");
    expect(log.lines.join()).toContain("secret place");
  });

  test("gets a failure instead of an answer that is too large", async () => {
    const { remote } = await through({ pool: { transaction: async () => new Uint8Array(MAX_FRAME_BYTES) } });
    await expect(remote.pool.transaction(new Uint8Array(0))).rejects.toThrow("the answer is too large");
  });
});

describe("the node", () => {
  test.each([
    ["a wrong token", encodeUtf8(TOKEN.replace("a", "b"))],
    ["no token", new Uint8Array(0)],
    [
      "a request instead of a token",
      encodePlain({ id: 1, topic: "pool", name: "size", args: [], timeLeft: 1 }),
    ],
    ["more bytes than a token has", new Uint8Array(MAX_TOKEN_BYTES + 1)],
  ])("closes the connection after %s, and answers nothing", async (_, first) => {
    const { caller, frames, isClosed, log } = served();
    caller.send(first);
    caller.send(encodeUtf8(TOKEN));
    await settle();
    expect([isClosed(), frames]).toEqual([true, []]);
    expect(log.lines.join()).not.toContain(TOKEN);
  });

  test("closes a connection that sends no token in time", async () => {
    const { clock, isClosed } = served();
    clock.advance(HANDSHAKE_TIMEOUT_MS);
    await settle();
    expect(isClosed()).toBe(true);
  });

  test.each([
    ["bytes that are not plain data", encodeUtf8("{")],
    ["a request without an id", encodePlain({ topic: "pool", name: "size", args: [], timeLeft: 1 })],
    [
      "arguments that are not a list",
      encodePlain({ id: 1, topic: "pool", name: "size", args: 5, timeLeft: 1 }),
    ],
    ["too many arguments", encodePlain({ id: 1, topic: "pool", name: "size", args: [1], timeLeft: 1 })],
    ["a negative time", encodePlain({ id: 1, topic: "pool", name: "size", args: [], timeLeft: -1 })],
    ["no time", encodePlain({ id: 1, topic: "pool", name: "size", args: [] })],
    ["too much time", encodePlain({ id: 1, topic: "pool", name: "size", args: [], timeLeft: 1e9 })],
    ["a text", encodePlain("size")],
    ["a frame that is too large", new Uint8Array(MAX_FRAME_BYTES + 1)],
  ])("closes the connection after %s", async (_, frame) => {
    let calls = 0;
    const { caller, frames, isClosed } = served({
      pool: {
        size: async () => {
          calls++;
          return 1;
        },
      },
    });
    caller.send(encodeUtf8(TOKEN));
    caller.send(frame);
    await settle();
    expect([isClosed(), calls]).toEqual([true, 0]);
    expect(frames).toEqual(["holdfast-control 1"]);
  });

  test(`closes a connection with more than ${MAX_CALLS} calls in progress`, async () => {
    const { caller, isClosed } = served({ pool: { size: () => new Promise(() => {}) } });
    caller.send(encodeUtf8(TOKEN));
    const call = (id: number) =>
      caller.send(encodePlain({ id, topic: "pool", name: "size", args: [], timeLeft: 1_000 }));
    for (let id = 1; id <= MAX_CALLS; id++) call(id);
    await settle();
    expect(isClosed()).toBe(false);
    call(0);
    await settle();
    expect(isClosed()).toBe(true);
  });
});

test("a caller refuses another version", async () => {
  const [caller, other] = pairedFrames();
  other.onFrame = () => other.send(encodeUtf8("holdfast-control 2"));
  const clock = new VirtualClock(0);
  await expect(controlOnConnection(caller, { token: TOKEN, clock })).rejects.toThrow("another version");
});

const canMakeCertificates = spawnSync("openssl", ["version"]).status === 0;

describe.skipIf(!canMakeCertificates)("over TLS", () => {
  const closing: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  function certificateFor(name: string): { readonly certificate: string; readonly key: string } {
    const folder = mkdtempSync(join(tmpdir(), "holdfast-control-"));
    closing.push(() => rmSync(folder, { recursive: true }));
    const options = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=${name}`;
    const names = `-addext subjectAltName=DNS:${name} -keyout key.pem -out certificate.pem`;
    const { status, stderr } = spawnSync("openssl", `${options} ${names}`.split(" "), {
      cwd: folder,
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(stderr);
    const read = (file: string) => readFileSync(join(folder, file), "utf8");
    return { certificate: read("certificate.pem"), key: read("key.pem") };
  }

  async function listening(name = "localhost") {
    const files = certificateFor(name);
    const log = memoryLog();
    const server = await listenForControl({
      ...files,
      host: "127.0.0.1",
      port: 0,
      token: TOKEN,
      control: fakeControl([], dev.chainId, { pool: { size: async () => 42 } }),
      clock: systemClock,
      log,
    });
    closing.push(server.close);
    const caller = { host: "localhost", port: server.port, ca: files.certificate, clock: systemClock, log };
    return { ...files, port: server.port, caller, log };
  }

  test("a caller with the token is answered, and one with another token is not", async () => {
    const { caller } = await listening();
    const { control, close } = await connectControl({ ...caller, token: TOKEN });
    closing.push(close);
    expect(await control.pool.size()).toBe(42);
    await expect(connectControl({ ...caller, token: `${TOKEN}x` })).rejects.toThrow("check the token");
  });

  test("a caller refuses a certificate of another name or authority, before it sends the token", async () => {
    const { caller } = await listening("other.example.org");
    await expect(connectControl({ ...caller, token: TOKEN })).rejects.toThrow(/altnames/);
    const second = await listening();
    const ca = certificateFor("localhost").certificate;
    await expect(connectControl({ ...second.caller, ca, token: TOKEN })).rejects.toThrow(/certificate/);
  });

  test("plain TCP, and frames that announce too many bytes, end the connection", async () => {
    const { caller, port } = await listening();
    const plain = connectTcp(port, "127.0.0.1");
    plain.write("GET / HTTP/1.1\r\n\r\n");
    await new Promise((resolve) =>
      plain
        .on("error", () => {})
        .resume()
        .once("close", resolve),
    );
    const socket = connectTls({ ...caller });
    socket.write(Buffer.from([0x7f, 0xff, 0xff, 0xff]));
    await new Promise((resolve) =>
      socket
        .on("error", () => {})
        .resume()
        .once("close", resolve),
    );
  });

  test(`one address may have ${MAX_CONNECTIONS_PER_ORIGIN} connections`, async () => {
    const { caller } = await listening();
    const connect = () => connectControl({ ...caller, token: TOKEN });
    const open = await Promise.all(Array.from({ length: MAX_CONNECTIONS_PER_ORIGIN }, connect));
    closing.push(() => {
      for (const { close } of open) close();
    });
    await expect(connect()).rejects.toThrow("Cannot connect");
    expect(await open[0].control.pool.size()).toBe(42);
  });
});

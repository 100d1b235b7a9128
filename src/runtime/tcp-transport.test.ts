/** Real connections on this machine. */
import { connect, type Socket } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import type { Connection, Listening } from "../interfaces.ts";
import { RecordingLog } from "../testing/dev-node.ts";
import { LoopbackTransport } from "../testing/loopback-transport.ts";
import { createTcpTransport } from "./tcp-transport.ts";

const transport = new LoopbackTransport(createTcpTransport());
const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

const MIB = 1_048_576;

/** Waits for a condition that sockets bring about. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await turn();
}

async function listen(host = "127.0.0.1"): Promise<{ listening: Listening; came: Connection[] }> {
  const came: Connection[] = [];
  const listening = await transport.listen(host, 0, (connection) => came.push(connection));
  if (listening === undefined) throw new Error("nothing listens");
  open.push(listening.close);
  return { listening, came };
}

async function pair(): Promise<readonly [near: Connection, far: Connection, listening: Listening]> {
  const { listening, came } = await listen();
  const near = await transport.dial("127.0.0.1", listening.port, 10_000);
  await until(() => came.length > 0);
  open.push(() => near.close());
  return [near, came[0], listening];
}

/** A client without the transport. */
async function plain(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  open.push(() => socket.destroy());
  await new Promise((resolve) => socket.once("connect", resolve));
  return socket;
}

describe("a connection over TCP", () => {
  test("delivers bytes in order in both directions, and knows its endpoints", async () => {
    const [near, far, { port }] = await pair();
    expect(near).toMatchObject({ host: "127.0.0.1", port });
    expect(far.host).toBe("127.0.0.1");
    const seen: number[] = [];
    far.onData((bytes) => void seen.push(...bytes));
    const answers: number[] = [];
    near.onData((bytes) => void answers.push(...bytes));
    for (let i = 0; i < 100; i++) await near.write(Uint8Array.of(i, 255 - i));
    await far.write(Uint8Array.of(7));
    await until(() => seen.length === 200 && answers.length === 1);
    expect(seen).toEqual(Array.from({ length: 100 }, (_, i) => [i, 255 - i]).flat());
    expect(answers).toEqual([7]);
    expect(near.sent).toBe(200);
    expect(near.received).toBe(1);
    expect(far.received).toBe(200);
  });

  test("reads nothing while the reader is busy, which slows the sender", async () => {
    const [near, far] = await pair();
    let taken = 0;
    let release: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    far.onData((bytes) => {
      taken += bytes.length;
      return held;
    });
    let written = 0;
    const write = async () => {
      for (; written < 64; written++) await near.write(new Uint8Array(MIB));
    };
    const writing = write();
    // The systems of both sides buffer some; then nothing moves.
    let before = -1;
    while (before !== near.sent) {
      before = near.sent;
      for (let i = 0; i < 200; i++) await turn();
    }
    expect(written).toBeLessThan(64);
    expect(taken).toBeLessThanOrEqual(65_536);
    release();
    await writing;
    await until(() => taken === 64 * MIB);
  });

  test("tells both sides when it ends, and accepts nothing more", async () => {
    const [near, far] = await pair();
    let ended = 0;
    near.onClose(() => ended++);
    far.onData(() => {});
    far.onClose(() => ended++);
    near.close();
    near.close();
    await until(() => ended === 2);
    await expect(near.write(Uint8Array.of(1))).rejects.toThrow("The connection has ended");
    await expect(far.write(Uint8Array.of(1))).rejects.toThrow("The connection has ended");
    let late = false;
    far.onClose(() => {
      late = true;
    });
    expect(late).toBe(true);
  });

  test("rejects a write that nobody will read", async () => {
    const [near, far] = await pair();
    const writing = near.write(new Uint8Array(64 * MIB));
    far.close();
    // With unread bytes, the other side learns of the end when it writes.
    await expect(writing).rejects.toThrow();
  });

  test("ends when the peer half-closes it", async () => {
    const { listening, came } = await listen();
    const socket = await plain(listening.port);
    await until(() => came.length > 0);
    let ended = false;
    came[0].onClose(() => {
      ended = true;
    });
    came[0].onData(() => {});
    socket.end();
    await until(() => ended);
  });

  test("has the IPv4 form of a mapped address", async () => {
    // `::1` accepts no IPv4; the mapped loopback address does.
    const { listening, came } = await listen("::ffff:127.0.0.1");
    await plain(listening.port);
    await until(() => came.length > 0);
    expect(came[0].host).toBe("127.0.0.1");
  });
});

test("a port in use and a port without a listener are errors", async () => {
  const { listening } = await listen();
  await expect(transport.listen("127.0.0.1", listening.port, () => {})).rejects.toThrow(/EADDRINUSE/);
  await listening.close();
  await expect(transport.dial("127.0.0.1", listening.port, 10_000)).rejects.toThrow(/ECONNREFUSED/);
});

test("connections outlive the listening port", async () => {
  const [near, far, listening] = await pair();
  await listening.close();
  let seen = 0;
  far.onData((bytes) => {
    seen += bytes.length;
  });
  await near.write(Uint8Array.of(1, 2, 3));
  await until(() => seen === 3);
});

describe("a listener that fails", () => {
  const broken = (): never => {
    throw new TypeError("broken");
  };

  /** A transport that records its errors: those of ports as `port`. */
  async function watched(onConnection: (connection: Connection) => void) {
    const log = new RecordingLog();
    const portErrors: unknown[] = [];
    const one = new LoopbackTransport(
      createTcpTransport({ onPortError: (error) => portErrors.push(error), log }),
    );
    const listening = await one.listen("127.0.0.1", 0, onConnection);
    if (listening === undefined) throw new Error("nothing listens");
    open.push(listening.close);
    const socket = await plain(listening.port);
    let isClosed = false;
    socket.on("error", () => {});
    socket.once("close", () => {
      isClosed = true;
    });
    socket.resume();
    return { log, portErrors, socket, closed: () => until(() => isClosed) };
  }

  test.each<[string, (connection: Connection) => void, string]>([
    ["at a new connection", broken, "Cannot accept a connection"],
    ["at bytes", (far) => far.onData(broken), "Cannot handle the data of a connection"],
    ["later, at bytes", (far) => far.onData(async () => broken()), "Cannot handle the data of a connection"],
  ])("%s closes this connection, and is logged", async (_, onConnection, message) => {
    const { log, portErrors, socket, closed } = await watched(onConnection);
    socket.write("x");
    await closed();
    expect(portErrors).toEqual([]);
    expect(log.lines.map((line) => [line.level, line.message])).toEqual([["error", message]]);
  });

  test("at the end of a connection is logged", async () => {
    const { log, portErrors, closed } = await watched((far) => {
      far.onClose(broken);
      far.close();
    });
    await closed();
    expect(log.lines.map(({ message }) => message)).toEqual(["Cannot handle the end of a connection"]);
    expect(portErrors).toEqual([]);
  });
});

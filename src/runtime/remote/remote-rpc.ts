/**
 * Remote calls (`rpc.ts`) between machines. A caller's first frame is its token; the node parses no frame before a
 * correct token. Deadlines are sent as the time left, because clocks differ.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import { decodeUtf8, encodeUtf8 } from "../../bytes/utf8.ts";
import { BaseError } from "../../errors/base-error.ts";
import type { Clock, Log } from "../../interfaces.ts";
import { createRpcClient, type Port, type RpcCalls, type RpcLimits, serveRpc } from "../rpc.ts";
import type { TaskQueue } from "../time-sliced-queue.ts";
import { decodePlain, encodePlain, PlainDataError } from "./plain-codec.ts";

/** An ordered connection that carries frames: TLS or, in tests, memory. */
export interface FrameConnection {
  /** A larger frame closes the connection before memory is allocated for the frame. */
  maxFrameBytes: number;
  send(frame: Uint8Array): void;
  onFrame: (frame: Uint8Array) => void;
  onClose: () => void;
  close(): void;
}

export const MAX_TOKEN_BYTES = 256;
/** A broadcast has at most 1 MiB, a page of the pool a few MiB. */
export const MAX_FRAME_BYTES: number = 8 * 2 ** 20;
export const HANDSHAKE_TIMEOUT_MS = 5_000;
/** Maximum calls in progress on a connection. */
export const MAX_CALLS = 256;

const GREETING = "holdfast-control 1";

/** `control/define.ts` describes the members. */
export interface RemoteMethod {
  readonly deadline?: true;
  readonly urgent?: true;
  readonly maxRemoteArguments?: number;
}

type RemoteTopics = Readonly<Record<string, Readonly<Record<string, RemoteMethod>>>>;

export class RemoteControlError extends BaseError {}

function hashOf(token: Uint8Array): Buffer {
  return createHash("sha256").update(token).digest();
}

class FramePort implements Port {
  readonly #connection: FrameConnection;
  readonly #encode: (message: unknown) => Uint8Array;
  #onMessage: (message: unknown) => void = () => {};
  readonly #onClose: (() => void)[] = [];

  constructor(connection: FrameConnection, encode: (message: unknown) => Uint8Array) {
    this.#connection = connection;
    this.#encode = encode;
    connection.onClose = () => {
      for (const listener of this.#onClose) listener();
    };
  }

  postMessage(messages: unknown): void {
    // Safe cast: `rpc.ts` posts lists.
    for (const message of messages as readonly unknown[]) this.#connection.send(this.#encode(message));
  }

  on(event: "message" | "close", listener: (message: unknown) => void): this {
    if (event === "message") this.#onMessage = listener;
    else this.#onClose.push(() => listener(undefined));
    return this;
  }

  receive(message: unknown): void {
    this.#onMessage([message]);
  }
}

interface ServedCalls {
  readonly token: string;
  readonly topics: RemoteTopics;
  readonly calls: RpcCalls;
  readonly clock: Clock;
  readonly log: Log;
  readonly queue?: TaskQueue | undefined;
}

interface Request {
  readonly id: number;
  readonly topic: string;
  readonly name: string;
  readonly args: readonly unknown[];
  /** Until the deadline, ms. */
  readonly timeLeft: number;
}

const MAX_TIME_LEFT_MS = 60_000;

/** @throws PlainDataError for an invalid request, or a method that remote callers may not call */
function checkRequest(message: unknown, topics: RemoteTopics): Request {
  const { id, topic, name, args, timeLeft } = (message ?? {}) as Partial<Record<keyof Request, unknown>>;
  const isWellFormed =
    Number.isSafeInteger(id) && typeof topic === "string" && typeof name === "string" && Array.isArray(args);
  if (!isWellFormed) throw new PlainDataError("a request is malformed");
  if (typeof timeLeft !== "number" || !(timeLeft >= 0 && timeLeft <= MAX_TIME_LEFT_MS))
    throw new PlainDataError("a request has an invalid time limit");
  const methods = Object.hasOwn(topics, topic) ? topics[topic] : {};
  const { maxRemoteArguments } = Object.hasOwn(methods, name) ? methods[name] : {};
  if (maxRemoteArguments === undefined)
    throw new PlainDataError("a method is unknown, or not for remote callers");
  if (args.length > maxRemoteArguments) throw new PlainDataError("a request has too many arguments");
  // Safe cast: the form was checked above.
  return { id: id as number, topic, name, args, timeLeft };
}

/** Waits for the caller's token, then answers calls. */
export function serveRemoteCalls(connection: FrameConnection, served: ServedCalls): void {
  const { topics, calls, clock, queue, log } = served;
  const expected = hashOf(encodeUtf8(served.token));
  const refuse = (reason: string): void => {
    log.warn("Remote control: connection closed", { reason });
    connection.close();
  };
  const cancel = clock.after(HANDSHAKE_TIMEOUT_MS, () => connection.close());
  connection.maxFrameBytes = MAX_TOKEN_BYTES;
  connection.onClose = cancel;
  connection.onFrame = (token) => {
    cancel();
    if (!timingSafeEqual(hashOf(token), expected)) return refuse("wrong token");
    connection.maxFrameBytes = MAX_FRAME_BYTES;
    let callCount = 0;
    const port = new FramePort(connection, (message) => {
      callCount--;
      const { id, fault } = message as { readonly id: number; readonly fault?: string };
      if (fault !== undefined) {
        // Only this node's log gets the stack trace.
        log.error("A remote call failed", { error: fault });
        return encodePlain({ id, fault: "the node failed" });
      }
      const frame = encodePlain(message);
      return frame.length <= MAX_FRAME_BYTES ? frame : encodePlain({ id, fault: "the answer is too large" });
    });
    serveRpc(port, topics, calls, clock, queue);
    connection.onFrame = (frame) => {
      try {
        const { timeLeft, ...request } = checkRequest(decodePlain(frame), topics);
        if (++callCount > MAX_CALLS) return refuse("too many calls");
        port.receive({ ...request, deadline: clock.monotonic() + timeLeft });
      } catch (error) {
        if (!(error instanceof PlainDataError)) throw error;
        refuse(error.message);
      }
    };
    connection.send(encodeUtf8(GREETING));
  };
}

interface CallerOptions {
  readonly token: string;
  readonly topics: RemoteTopics;
  readonly clock: Clock;
  readonly limits: RpcLimits;
}

/**
 * Sends the token, and resolves when the other end accepts it.
 * @throws RemoteControlError for a wrong token, another version or no answer
 */
export function openRemoteCalls(
  connection: FrameConnection,
  { token, topics, clock, limits }: CallerOptions,
): Promise<RpcCalls> {
  return new Promise((resolve, reject) => {
    const fail = (reason: string): void => {
      cancel();
      reject(new RemoteControlError(`Remote control: ${reason}`));
      connection.close();
    };
    const cancel = clock.after(HANDSHAKE_TIMEOUT_MS, () => fail("no answer"));
    connection.maxFrameBytes = MAX_TOKEN_BYTES;
    connection.onClose = () => fail("the other end closed the connection; check the token");
    connection.onFrame = (greeting) => {
      if (decodeUtf8(greeting) !== GREETING) return fail("the other end speaks another version");
      cancel();
      connection.maxFrameBytes = MAX_FRAME_BYTES;
      const port = new FramePort(connection, (message) => {
        const { deadline, ...request } = message as { readonly deadline: number };
        return encodePlain({ ...request, timeLeft: Math.max(0, deadline - clock.monotonic()) });
      });
      connection.onFrame = (frame) => {
        try {
          port.receive(decodePlain(frame));
        } catch (error) {
          if (!(error instanceof PlainDataError)) throw error;
          connection.close();
        }
      };
      resolve(createRpcClient(port, topics, clock, limits));
    };
    connection.send(encodeUtf8(token));
  });
}

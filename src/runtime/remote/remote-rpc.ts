/**
 * Remote calls (`rpc.ts`) between machines. A caller's first frame is its token; nothing else is parsed before the
 * token is correct. Deadlines are sent as the time left.
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
  /** Larger frames close the connection before memory for them is allocated. */
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
/** Calls in progress on a connection. */
export const MAX_CALLS = 256;

const GREETING = "holdfast-control 1";

/** `remote`: maximum number of arguments; undefined: only the node's threads may call the method. */
export interface RemoteMethod {
  readonly deadline?: true;
  readonly urgent?: true;
  readonly remote?: number;
}

type RemoteTopics = Readonly<Record<string, Readonly<Record<string, RemoteMethod>>>>;

export class RemoteControlError extends BaseError {}

function hashOf(token: Uint8Array): Buffer {
  return createHash("sha256").update(token).digest();
}

/** Implements `Port` over frames. */
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
  readonly timeLeft: number;
}

/** Longest time limit of a request, ms. */
const MAX_TIME_LEFT_MS = 60_000;

/** @throws PlainDataError also if remote callers may not call the method */
function checkRequest(message: unknown, topics: RemoteTopics): Request {
  const { id, topic, name, args, timeLeft } = (message ?? {}) as Partial<Record<keyof Request, unknown>>;
  const hasForm =
    Number.isSafeInteger(id) && typeof topic === "string" && typeof name === "string" && Array.isArray(args);
  if (!hasForm) throw new PlainDataError("a request is malformed");
  if (typeof timeLeft !== "number" || !(timeLeft >= 0 && timeLeft <= MAX_TIME_LEFT_MS))
    throw new PlainDataError("a request has an invalid time limit");
  const methods = Object.hasOwn(topics, topic) ? topics[topic] : {};
  const { remote } = Object.hasOwn(methods, name) ? methods[name] : {};
  if (remote === undefined) throw new PlainDataError("a method is unknown, or not for remote callers");
  if (args.length > remote) throw new PlainDataError("a request has too many arguments");
  // Safe cast: the form was checked above.
  return { id: id as number, topic, name, args, timeLeft };
}

/** Answers calls on a connection with a correct token. */
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
        // The stack trace is for this node's log.
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
 * Sends the token, and resolves when it is accepted.
 * @throws RemoteControlError if the other end closes the connection, as for a wrong token, or speaks another version
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

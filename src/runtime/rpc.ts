/** Remote calls between threads. Messages are plain data (`remote/plain-message.ts`). */

import { BaseError } from "../errors/base-error.ts";
import type { Cancel, Clock } from "../interfaces.ts";
import { toPlainMessage } from "./remote/plain-message.ts";
import { localSum, type Sum } from "./threads/sum.ts";
import { createTaskQueue, type TaskQueue } from "./time-sliced-queue.ts";

export interface Port {
  postMessage(message: unknown, transferred: ArrayBuffer[]): void;
  on(event: "message", listener: (message: unknown) => void): unknown;
  on(event: "close", listener: () => void): unknown;
}

/** `control/define.ts` describes the members. */
interface RpcMethod {
  readonly deadline?: true;
  readonly urgent?: true;
  readonly shared?: true;
  readonly owned?: (answer: never) => Uint8Array;
}

type ByMethod<T> = Readonly<Record<string, Readonly<Record<string, T>>>>;

type RpcTopics = ByMethod<RpcMethod>;

export type RpcCall = (...args: readonly unknown[]) => Promise<unknown>;

export type RpcCalls = ByMethod<RpcCall>;

export function mapMethods<Method, T>(
  topics: ByMethod<Method>,
  make: (topic: string, name: string, method: Method) => T,
): Record<string, Record<string, T>> {
  const values: Record<string, Record<string, T>> = {};
  for (const [topic, methods] of Object.entries(topics)) {
    values[topic] = {};
    for (const [name, method] of Object.entries(methods)) values[topic][name] = make(topic, name, method);
  }
  return values;
}

interface RpcRequest {
  readonly id: number;
  readonly topic: string;
  readonly name: string;
  readonly args: readonly unknown[];
  /** Monotonic time, the same at both ends, ms. */
  readonly deadline: number;
}

type RpcResponse =
  | { readonly id: number; readonly value: unknown }
  /** The deadline passed before the call began. */
  | { readonly id: number; readonly late: true }
  /** The text is for clients. */
  | { readonly id: number; readonly unreachable: string }
  /** The text is for the log, not for clients. */
  | { readonly id: number; readonly fault: string };

/** Batches messages of one turn of the event loop, because each post wakes the other thread. */
class Outbox {
  readonly #port: Port;
  #messages: unknown[] = [];
  #transferred: ArrayBuffer[] = [];

  constructor(port: Port) {
    this.#port = port;
  }

  /** @throws TypeError if the message is not plain data */
  post(message: RpcRequest | RpcResponse, owned?: Uint8Array): void {
    const { plain, transferred } = toPlainMessage(message, owned);
    if (this.#messages.length === 0) setImmediate(() => this.#send());
    this.#messages.push(plain);
    this.#transferred.push(...transferred);
  }

  #send(): void {
    const messages = this.#messages;
    const transferred = this.#transferred;
    this.#messages = [];
    this.#transferred = [];
    this.#port.postMessage(messages, transferred);
  }
}

export class UnavailableError extends BaseError {
  readonly reason: "busy" | "late" | "closing";
  /** False if the other end certainly did not receive the call. */
  readonly mayBeReceived: boolean;

  constructor(reason: UnavailableError["reason"], mayBeReceived = true) {
    super(`the node is not available: ${reason}`);
    this.reason = reason;
    this.mayBeReceived = mayBeReceived;
  }
}

/** The machine that should answer was unreachable. The message is for clients. */
export class UnreachableError extends BaseError {}

export interface RpcLimits {
  /** Maximum calls in progress. */
  readonly maxCalls: number;
  readonly timeoutMs: number;
  /** Counts the calls of all clients that share `maxCalls`. */
  readonly calls?: Sum | undefined;
}

interface Caller {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly cancel: Cancel;
}

type Callers = Set<Caller>;

/**
 * Calls reject with `UnavailableError` if the other end is overloaded (`busy`), slow (`late`) or gone (`closing`). A
 * shared method has at most one request in progress, for which at most `maxCalls` callers wait.
 */
export function createRpcClient(port: Port, topics: RpcTopics, clock: Clock, limits: RpcLimits): RpcCalls {
  const pending = new Map<number, Callers>();
  const { calls = localSum() } = limits;
  const outbox = new Outbox(port);
  let lastId = 0;
  let isClosed = false;

  const settle = (id: number, settleOne: (caller: Caller) => void): void => {
    const callers = pending.get(id) ?? [];
    if (pending.delete(id)) calls.add(-1);
    for (const caller of callers) {
      caller.cancel();
      settleOne(caller);
    }
  };

  port.on("message", (messages) => {
    // Safe cast: only `serveRpc` writes to the port.
    for (const response of messages as readonly RpcResponse[]) {
      settle(response.id, ({ resolve, reject }) => {
        if ("late" in response) reject(new UnavailableError("late"));
        else if ("unreachable" in response) reject(new UnreachableError(response.unreachable));
        else if ("fault" in response) reject(new Error(response.fault));
        else resolve(response.value);
      });
    }
  });
  port.on("close", () => {
    isClosed = true;
    for (const id of [...pending.keys()]) settle(id, ({ reject }) => reject(new UnavailableError("closing")));
  });

  const wait = (callers: Callers): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const cancel = clock.after(limits.timeoutMs, () => {
        callers.delete(caller);
        reject(new UnavailableError("late"));
      });
      const caller: Caller = { resolve, reject, cancel };
      callers.add(caller);
    });

  return mapMethods<RpcMethod, RpcCall>(topics, (topic, name, { urgent, shared }) => {
    let lastRequest = 0;
    return (...args) => {
      if (isClosed) return Promise.reject(new UnavailableError("closing", false));
      const joined = shared === true ? pending.get(lastRequest) : undefined;
      if (
        joined === undefined
          ? urgent !== true && calls.total >= limits.maxCalls
          : joined.size >= limits.maxCalls
      )
        return Promise.reject(new UnavailableError("busy", false));
      if (joined !== undefined) return wait(joined);
      const id = ++lastId;
      outbox.post({ id, topic, name, args, deadline: clock.monotonic() + limits.timeoutMs });
      lastRequest = id;
      const callers: Callers = new Set();
      pending.set(id, callers);
      calls.add(1);
      return wait(callers);
    };
  });
}

/** Calls methods in time slices. Timers and signals of this thread wait for at most one slice. */
export function serveRpc(
  port: Port,
  topics: RpcTopics,
  calls: RpcCalls,
  clock: Pick<Clock, "monotonic">,
  queue: TaskQueue = createTaskQueue(clock),
): void {
  let isClosed = false;
  const outbox = new Outbox(port);
  const answer = async ({ id, topic, name, args, deadline }: RpcRequest): Promise<void> => {
    const method = topics[topic][name];
    try {
      const value = await calls[topic][name](...args, ...(method.deadline ? [deadline] : []));
      // Safe cast: `owned` accepts answers of this method.
      outbox.post({ id, value }, method.owned?.(value as never));
    } catch (error) {
      if (error instanceof UnreachableError) return outbox.post({ id, unreachable: error.message });
      outbox.post({ id, fault: error instanceof Error ? String(error.stack) : String(error) });
    }
  };
  const answerUnlessLate = (request: RpcRequest): void => {
    if (isClosed) return;
    if (clock.monotonic() < request.deadline) void answer(request);
    else outbox.post({ id: request.id, late: true });
  };
  port.on("message", (messages) => {
    // Safe cast: only `createRpcClient` writes to the port.
    for (const request of messages as readonly RpcRequest[]) {
      if (topics[request.topic][request.name].urgent === true) void answer(request);
      else queue.add(() => answerUnlessLate(request));
    }
  });
  port.on("close", () => {
    isClosed = true;
  });
}

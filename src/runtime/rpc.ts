/**
 * Calls across a message port: one thread asks, another one answers. Both ends are here. All that travels is plain data;
 * how its bytes travel is in `plain-message.ts`.
 */

import { BaseError } from "../errors/base-error.ts";
import type { Cancel, Clock } from "../interfaces.ts";
import { toPlainMessage } from "./plain-message.ts";
import { createTaskQueue, type TaskQueue } from "./time-sliced-queue.ts";

/** What is needed of a `MessagePort` of `node:worker_threads`. */
export interface Port {
  postMessage(message: unknown, transferred: ArrayBuffer[]): void;
  on(event: "message", listener: (message: unknown) => void): unknown;
  on(event: "close", listener: () => void): unknown;
}

/** What both ends must know of a method. */
interface RpcMethod {
  /** Whether it is told, behind its arguments, the deadline of the call. */
  readonly deadline?: true;
  /** Whether it has a lane of its own: it is called however much is under way, as soon as the question arrives. */
  readonly urgent?: true;
  /** The bytes of an answer that were made for it alone, so that they need not be copied. */
  readonly owned?: (answer: never) => Uint8Array;
}

/** Something for each method of each topic. */
type ByMethod<T> = Readonly<Record<string, Readonly<Record<string, T>>>>;

type RpcTopics = ByMethod<RpcMethod>;

/** A method, as it is called. */
export type RpcCall = (...args: readonly unknown[]) => Promise<unknown>;

/** The methods of all topics, as they are called. */
export type RpcCalls = ByMethod<RpcCall>;

/** Makes something of each method of each topic. */
export function forMethods<Method, T>(
  topics: ByMethod<Method>,
  make: (topic: string, name: string, method: Method) => T,
): Record<string, Record<string, T>> {
  const made: Record<string, Record<string, T>> = {};
  for (const [topic, methods] of Object.entries(topics)) {
    made[topic] = {};
    for (const [name, method] of Object.entries(methods)) made[topic][name] = make(topic, name, method);
  }
  return made;
}

interface RpcRequest {
  readonly id: number;
  readonly topic: string;
  readonly name: string;
  readonly args: readonly unknown[];
  /** When whoever asks gives up, ms by the monotonic clock of both ends: from then on nobody wants the answer. */
  readonly deadline: number;
}

type RpcResponse =
  | { readonly id: number; readonly value: unknown }
  /** Its turn came behind its deadline: it was not worked off. */
  | { readonly id: number; readonly late: true }
  /** A fault of the other end: text for the log, not for a client. */
  | { readonly id: number; readonly fault: string };

/** What is said in one turn of the event loop goes as one message: waking the other thread is what a message costs. */
class Outbox {
  readonly #port: Port;
  #messages: unknown[] = [];
  #transferred: ArrayBuffer[] = [];

  constructor(port: Port) {
    this.#port = port;
  }

  /** @throws TypeError when the message is no plain data */
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

/** No answer: the other end has too many questions already, did not answer in time, or is closing. */
export class UnavailableError extends BaseError {
  readonly reason: "busy" | "late" | "closing";

  constructor(reason: UnavailableError["reason"]) {
    super(`the node is not available: ${reason}`);
    this.reason = reason;
  }
}

/** Limits of the asking side. */
export interface RpcLimits {
  /** Calls under way at the same time, those that nobody waits for any more too; further ones are refused. */
  readonly calls: number;
  /** How long one may take, ms. */
  readonly timeoutMs: number;
}

interface Pending {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly cancel: Cancel;
}

/**
 * The asking side. Its calls reject with `UnavailableError` when the other end is overloaded, slow or gone. A call that
 * was given up counts until the other end says that it is done with it: the bound is one on its work.
 */
export function createRpcClient(port: Port, topics: RpcTopics, clock: Clock, limits: RpcLimits): RpcCalls {
  const pending = new Map<number, Pending>();
  const outbox = new Outbox(port);
  let lastId = 0;
  let closed = false;

  const take = (id: number): Pending | undefined => {
    const call = pending.get(id);
    pending.delete(id);
    call?.cancel();
    return call;
  };

  port.on("message", (messages) => {
    // Only the other end of this file writes to the port.
    for (const response of messages as readonly RpcResponse[]) {
      const call = take(response.id);
      if ("late" in response) call?.reject(new UnavailableError("late"));
      else if ("fault" in response) call?.reject(new Error(response.fault));
      else call?.resolve(response.value);
    }
  });
  port.on("close", () => {
    closed = true;
    for (const id of [...pending.keys()]) take(id)?.reject(new UnavailableError("closing"));
  });

  return forMethods<RpcMethod, RpcCall>(topics, (topic, name, { urgent }) => (...args) => {
    if (closed) return Promise.reject(new UnavailableError("closing"));
    if (pending.size >= limits.calls && urgent !== true) return Promise.reject(new UnavailableError("busy"));
    return new Promise((resolve, reject) => {
      const id = ++lastId;
      outbox.post({ id, topic, name, args, deadline: clock.monotonic() + limits.timeoutMs });
      const cancel = clock.after(limits.timeoutMs, () => reject(new UnavailableError("late")));
      pending.set(id, { resolve, reject, cancel });
    });
  });
}

/**
 * The answering side: calls whatever comes through the port, in slices of time, so that timers and signals of this
 * thread wait for one slice at most. A question whose turn comes too late is dropped.
 * @param clock the one that the asking side reads its deadlines from
 * @param queue where questions wait; one of its own by default
 */
export function serveRpc(
  port: Port,
  topics: RpcTopics,
  calls: RpcCalls,
  clock: Pick<Clock, "monotonic">,
  queue: TaskQueue = createTaskQueue(clock),
): void {
  let closed = false;
  const outbox = new Outbox(port);
  const answer = async ({ id, topic, name, args, deadline }: RpcRequest): Promise<void> => {
    const method = topics[topic][name];
    try {
      const value = await calls[topic][name](...args, ...(method.deadline ? [deadline] : []));
      // The value is what the method of this declaration answered.
      outbox.post({ id, value }, method.owned?.(value as never));
    } catch (error) {
      // Whatever went wrong is a fault of this end, and the log of the other end is to say so.
      outbox.post({ id, fault: error instanceof Error ? String(error.stack) : String(error) });
    }
  };
  const inTurn = (question: RpcRequest): void => {
    if (closed) return;
    if (clock.monotonic() < question.deadline) void answer(question);
    else outbox.post({ id: question.id, late: true });
  };
  port.on("message", (messages) => {
    // Only the other end of this file writes to the port.
    for (const question of messages as readonly RpcRequest[]) {
      if (topics[question.topic][question.name].urgent === true) void answer(question);
      else queue.add(() => inTurn(question));
    }
  });
  port.on("close", () => {
    closed = true;
  });
}

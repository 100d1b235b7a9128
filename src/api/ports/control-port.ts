/**
 * `NodeControl` across a message port: the HTTP thread asks, the node's thread answers. Both ends stand here. Everything
 * that travels is plain data; how its bytes travel stands in `plain-message.ts`.
 */
import type { Cancel, Clock, NodeControl, PoolPage } from "../../interfaces.ts";
import { Turns } from "../../runtime/time-sliced-queue.ts";
import { plainMessage } from "./plain-message.ts";

/** What is needed of a `MessagePort` of `node:worker_threads`. */
export interface ControlPort {
  postMessage(message: unknown, transferred: ArrayBuffer[]): void;
  on(event: "message", listener: (message: unknown) => void): unknown;
  on(event: "close", listener: () => void): unknown;
}

/** All that can be asked. */
const methods = [
  "broadcast",
  "unconfirmed",
  "unconfirmedSize",
  "poolNews",
  "unconfirmedById",
  "unconfirmedAnchor",
  "poolEffect",
  "walletAccounts",
  "anchorAccount",
  "queueAnchor",
  "queuedAnchor",
  "anchorQueue",
  "sign",
  "createAccount",
  "deleteAccount",
  "minerInfo",
  "minerState",
  "feeVote",
  "setFeeVote",
  "supportedFeatures",
  "rollback",
  "rollbackTo",
  "applyCheckpoint",
  "knownPeers",
  "connectedPeers",
  "bannedPeers",
  "suspendedPeers",
  "connectToPeer",
  "clearBans",
  "banPeers",
  "syncInfo",
  "peerParts",
  "reorganisations",
  "health",
  "resources",
  "stop",
] as const satisfies readonly (keyof NodeControl)[];

type Method = (typeof methods)[number];

/** Compiles only while `methods` names every method of the interface. */
const complete: Exclude<keyof NodeControl, Method> extends never ? true : never = true;
void complete;

interface Question {
  readonly id: number;
  readonly method: Method;
  readonly args: readonly unknown[];
  /** When whoever asks gives up, ms by the monotonic clock of both ends: from then on nobody wants the answer. */
  readonly deadline: number;
}

type Response =
  | { readonly id: number; readonly value: unknown }
  /** Its turn came behind its deadline: it was not worked off. */
  | { readonly id: number; readonly late: true }
  /** A fault of the node: text for the log, not for the client. */
  | { readonly id: number; readonly fault: string };

/** What is said in one turn of the event loop goes as one message: waking the other thread is what a message costs. */
class Outbox {
  readonly #port: ControlPort;
  #messages: unknown[] = [];
  #transferred: ArrayBuffer[] = [];

  constructor(port: ControlPort) {
    this.#port = port;
  }

  /** @throws TypeError when the message is no plain data */
  post(message: Question | Response, given?: Uint8Array): void {
    const { plain, transferred } = plainMessage(message, given);
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

/** The bytes of an answer that were made for it alone, so that they need not be copied. */
function givenBytes(method: Method, value: unknown): Uint8Array | undefined {
  // The value is what the method of this name answered.
  return method === "unconfirmed" ? (value as PoolPage).bytes : undefined;
}

/** No answer of the node: it has too many questions already, did not answer in time, or is stopping. */
export class NodeUnavailableError extends Error {
  override readonly name = "NodeUnavailableError";
  readonly reason: "busy" | "late" | "closing";

  constructor(reason: NodeUnavailableError["reason"]) {
    super(`the node is not available: ${reason}`);
    this.reason = reason;
  }
}

/** Limits of the asking side. */
export interface ControlLimits {
  /** Calls under way at the same time, those that nobody waits for any more too; further ones are refused. */
  readonly calls: number;
  /** How long one may take, ms. Page 06 §2.1. */
  readonly timeoutMs: number;
}

export const standardLimits: ControlLimits = { calls: 1_000, timeoutMs: 20_000 };

/**
 * What waits once more on its way, for the check of signatures or for a change of chain or wallet that is under way, and
 * is told until when: with the number of arguments before that.
 */
const waitAgain: ReadonlyMap<Method, number> = new Map<Method, number>([
  ["broadcast", 1],
  ["createAccount", 0],
  ["deleteAccount", 1],
  ["rollback", 2],
  ["rollbackTo", 1],
  ["applyCheckpoint", 1],
]);

/** Stopping has a lane of its own: it is asked however much is under way, and done when it arrives. */
const isUrgent = (method: Method): boolean => method === "stop";

interface Pending {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly cancel: Cancel;
}

/**
 * The asking side. Its calls reject with `NodeUnavailableError` when the node is overloaded, slow or gone. A call that
 * was given up counts until the node says that it is done with it: the bound is one on the node's work.
 */
export function controlOverPort(
  port: ControlPort,
  clock: Clock,
  limits: ControlLimits = standardLimits,
): NodeControl {
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
    for (const response of messages as readonly Response[]) {
      const call = take(response.id);
      if ("late" in response) call?.reject(new NodeUnavailableError("late"));
      else if ("fault" in response) call?.reject(new Error(response.fault));
      else call?.resolve(response.value);
    }
  });
  port.on("close", () => {
    closed = true;
    for (const id of [...pending.keys()]) take(id)?.reject(new NodeUnavailableError("closing"));
  });

  const ask = (method: Method, args: readonly unknown[]): Promise<unknown> => {
    if (closed) return Promise.reject(new NodeUnavailableError("closing"));
    if (pending.size >= limits.calls && !isUrgent(method))
      return Promise.reject(new NodeUnavailableError("busy"));
    return new Promise((resolve, reject) => {
      const id = ++lastId;
      const question: Question = { id, method, args, deadline: clock.monotonic() + limits.timeoutMs };
      outbox.post(question);
      const cancel = clock.after(limits.timeoutMs, () => reject(new NodeUnavailableError("late")));
      pending.set(id, { resolve, reject, cancel });
    });
  };

  const control = methods.map((method) => [method, (...args: unknown[]) => ask(method, args)]);
  // One function for each method of the interface; what comes back is what the other end's method gave.
  return Object.fromEntries(control) as unknown as NodeControl;
}

/**
 * The same node, with `answered` called before each of its answers is passed on: what it tells may be newer than what
 * was read before it was asked.
 */
export function afterAnswers(control: NodeControl, answered: () => void): NodeControl {
  const wrapped = methods.map((method) => {
    const call = control[method] as (...args: readonly unknown[]) => Promise<unknown>;
    return [
      method,
      async (...args: readonly unknown[]) => {
        const answer = await call.apply(control, [...args]);
        answered();
        return answer;
      },
    ];
  });
  // One function for each method of the interface, with its arguments and its answer.
  return Object.fromEntries(wrapped) as unknown as NodeControl;
}

/** What changes chain, pool, wallet or node; all else only tells. */
const changes = [
  "broadcast",
  "queueAnchor",
  "createAccount",
  "deleteAccount",
  "setFeeVote",
  "rollback",
  "rollbackTo",
  "applyCheckpoint",
  "connectToPeer",
  "clearBans",
  "banPeers",
  "stop",
] as const satisfies readonly Method[];

/** The same node, which tells what it is asked and refuses to change anything, with the error given. */
export function withoutChanges(control: NodeControl, error: Error): NodeControl {
  const refuse = (): Promise<never> => Promise.reject(error);
  const refused = Object.fromEntries(changes.map((method) => [method, refuse]));
  // As the members that they stand for, each of these is a function that gives a promise.
  return { ...control, ...refused } as NodeControl;
}

/**
 * The answering side: asks `control` whatever comes through the port, in turns, so that timers and signals of this
 * thread wait for one turn at most. A question whose turn comes too late is dropped.
 * @param clock the one that the asking side reads its deadlines from
 */
export function answerControl(port: ControlPort, control: NodeControl, clock: Clock): void {
  const outbox = new Outbox(port);
  const answer = async ({ id, method, args, deadline }: Question): Promise<void> => {
    const call = control[method] as (...given: readonly unknown[]) => Promise<unknown>;
    try {
      const own = waitAgain.get(method);
      const value = await call.apply(
        control,
        own === undefined ? [...args] : [...args.slice(0, own), deadline],
      );
      outbox.post({ id, value }, givenBytes(method, value));
    } catch (error) {
      // Whatever went wrong is a fault of the node, and the log of the other end is to say so.
      outbox.post({ id, fault: error instanceof Error ? String(error.stack) : String(error) });
    }
  };
  const turns = new Turns<Question>(clock, 1, ([question]) => {
    if (clock.monotonic() < question.deadline) void answer(question);
    else outbox.post({ id: question.id, late: true });
  });
  port.on("message", (messages) => {
    // Only the other end of this file writes to the port.
    for (const question of messages as readonly Question[]) {
      if (isUrgent(question.method)) void answer(question);
      else turns.add(question);
    }
  });
  port.on("close", () => turns.clear());
}

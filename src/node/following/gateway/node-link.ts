/** A gateway's view of one node: its connections, state, and control. */
import type { CalledNode, NodeControl } from "../../../control/index.ts";
import type { Cancel, Clock } from "../../../interfaces.ts";
import { RemoteControlError } from "../../../runtime/remote/remote-rpc.ts";
import { UnavailableError } from "../../../runtime/rpc.ts";
import { every } from "../../../runtime/timers.ts";

const POLL_INTERVAL_MS = 1_000;
const POLL_TIMEOUT_MS = 2_000;

/** Timeouts of calls on a connection, ms. Slow calls wait for transactions or a disk, and have their own connection. */
const CALL_TIMEOUTS = { quick: 2_000, slow: 22_000 } as const;

export type CallKind = keyof typeof CALL_TIMEOUTS;

export interface NodeConnection {
  readonly control: NodeControl;
  close(): void;
}

/** @throws RemoteControlError */
export type ConnectNode = (callTimeoutMs: number) => Promise<NodeConnection>;

export class NoNodeAnswerError extends Error {
  override readonly name = "NoNodeAnswerError";
  /** False if the node cannot have received the call. */
  readonly mayBeReceived: boolean;

  constructor(message: string, mayBeReceived: boolean) {
    super(message);
    this.mayBeReceived = mayBeReceived;
  }
}

interface NodeState extends Omit<CalledNode, "name"> {
  readonly score: bigint;
}

interface NodeLinkOptions {
  /** Address for log lines and answers. */
  readonly name: string;
  readonly connect: ConnectNode;
  readonly clock: Pick<Clock, "after">;
}

export class NodeLink {
  readonly name: string;
  readonly #options: NodeLinkOptions;
  readonly #connections = new Map<
    CallKind,
    { readonly opening: Promise<NodeConnection>; readonly number: number }
  >();
  #connectionCount = 0;
  #state: NodeState = { isHealthy: false, height: undefined, score: 0n, problem: "not asked yet" };
  #isPolling = false;
  #cancel: Cancel = () => {};

  constructor(options: NodeLinkOptions) {
    this.name = options.name;
    this.#options = options;
  }

  get state(): NodeState {
    return this.#state;
  }

  start(): void {
    const poll = (): void => void this.#poll();
    this.#cancel = every(this.#options.clock, POLL_INTERVAL_MS, "node health", poll, 0);
  }

  close(): void {
    this.#cancel();
    for (const kind of [...this.#connections.keys()]) this.#drop(kind);
  }

  /**
   * Calls the node; connects again if the last connection is closed.
   * @param call receives a number that identifies the connection
   * @param timeoutMs for connecting and, if the call is quick, for the answer
   * @throws NoNodeAnswerError
   */
  async call<T>(
    kind: CallKind,
    timeoutMs: number,
    call: (control: NodeControl, connection: number) => Promise<T>,
  ): Promise<T> {
    const isReused = this.#connections.has(kind);
    try {
      return await this.#callOnce(kind, timeoutMs, call);
    } catch (error) {
      // Try again only if a reused connection was closed before the call.
      if (
        !(error instanceof UnavailableError) ||
        error.reason !== "closing" ||
        error.mayBeReceived ||
        !isReused
      )
        throw toNoAnswerError(error);
    }
    return this.#callOnce(kind, timeoutMs, call).catch((error: unknown) => {
      throw toNoAnswerError(error);
    });
  }

  async #callOnce<T>(
    kind: CallKind,
    timeoutMs: number,
    call: (control: NodeControl, connection: number) => Promise<T>,
  ): Promise<T> {
    const { control, number } = await this.#connectionFor(kind, timeoutMs);
    try {
      const answer = call(control, number);
      return kind === "slow" ? await answer : await this.#withTimeout(answer, timeoutMs, true);
    } catch (error) {
      if (error instanceof UnavailableError && error.reason === "closing") this.#drop(kind, number);
      throw error;
    }
  }

  async #connectionFor(
    kind: CallKind,
    timeoutMs: number,
  ): Promise<{ readonly control: NodeControl; readonly number: number }> {
    let found = this.#connections.get(kind);
    if (found === undefined) {
      const number = ++this.#connectionCount;
      const opening = this.#options.connect(CALL_TIMEOUTS[kind]);
      found = { opening, number };
      this.#connections.set(kind, found);
      opening.catch(() => this.#drop(kind, number));
    }
    const { opening, number } = found;
    const { control } = await this.#withTimeout(opening, timeoutMs, false);
    return { control, number };
  }

  /** @param number drops only this connection */
  #drop(kind: CallKind, number?: number): void {
    const found = this.#connections.get(kind);
    if (found === undefined || (number !== undefined && found.number !== number)) return;
    this.#connections.delete(kind);
    found.opening.then(
      (connection) => connection.close(),
      () => {},
    );
  }

  #withTimeout<T>(answer: Promise<T>, timeoutMs: number, mayBeReceived: boolean): Promise<T> {
    return new Promise((resolve, reject) => {
      const cancel = this.#options.clock.after(timeoutMs, () =>
        reject(new NoNodeAnswerError(`no answer within ${Math.round(timeoutMs)} ms`, mayBeReceived)),
      );
      answer.then(resolve, reject).finally(cancel);
    });
  }

  async #poll(): Promise<void> {
    if (this.#isPolling) return;
    this.#isPolling = true;
    try {
      this.#state = await this.call("quick", POLL_TIMEOUT_MS, async ({ node, chain }) => {
        const [{ hasDiskFault, diskSpace, isStopping }, { cursor, score }] = await Promise.all([
          node.health(),
          chain.progress(),
        ]);
        const isPaused = hasDiskFault || diskSpace.state === "paused";
        const problem = isStopping ? "it is stopping" : isPaused ? "its disk is full or fails" : undefined;
        return { isHealthy: problem === undefined, height: cursor.height, score, problem };
      });
    } catch (error) {
      if (!(error instanceof NoNodeAnswerError)) throw error;
      this.#state = { ...this.#state, isHealthy: false, problem: error.message };
      // A half-open connection never answers.
      if (error.mayBeReceived) for (const kind of [...this.#connections.keys()]) this.#drop(kind);
    } finally {
      this.#isPolling = false;
    }
  }
}

function toNoAnswerError(error: unknown): NoNodeAnswerError {
  if (error instanceof NoNodeAnswerError) return error;
  if (error instanceof UnavailableError) {
    const text = { late: "no answer in time", busy: "too many calls", closing: "the connection was closed" };
    return new NoNodeAnswerError(text[error.reason], error.mayBeReceived);
  }
  const isConnecting = error instanceof RemoteControlError;
  return new NoNodeAnswerError(error instanceof Error ? error.message : String(error), !isConnecting);
}

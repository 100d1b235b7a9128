/** A gateway's nodes. Calls go to the healthy node with the best chain, then to the others. */
import type { CalledNode, NodeControl, PoolNews } from "../../../control/index.ts";
import type { Clock } from "../../../interfaces.ts";
import { UnreachableError } from "../../../runtime/rpc.ts";
import { type NodeLink, NoNodeAnswerError } from "./node-link.ts";

/** Time for all nodes together to answer, ms; for `askOnce` and `news`, to connect. */
const TOTAL_TIMEOUT_MS = 2_000;
/** Calls still go to the current node if it lags by at most this many blocks. */
const MAX_BLOCKS_BEHIND = 1;
/** The gateway's news cursor: the node's cursor plus the connection's number times this range. */
const CURSOR_RANGE = 2 ** 32;

type Call<T> = (control: NodeControl) => Promise<T>;

export class NodePool {
  readonly #links: readonly NodeLink[];
  readonly #clock: Pick<Clock, "monotonic">;
  #current: NodeLink | undefined;
  /** Connections used for news, by their numbers in cursors. */
  readonly #newsConnections = new Map<number, { readonly link: NodeLink; readonly connection: number }>();
  #newsCount = 0;

  constructor(links: readonly NodeLink[], clock: Pick<Clock, "monotonic">) {
    this.#links = links;
    this.#clock = clock;
  }

  start(): void {
    for (const link of this.#links) link.start();
  }

  close(): void {
    for (const link of this.#links) link.close();
  }

  get nodes(): readonly CalledNode[] {
    return this.#links.map(({ name, state: { isHealthy, height, problem } }) => ({
      name,
      isHealthy,
      height,
      problem,
    }));
  }

  /**
   * Asks nodes in turn until one answers.
   * @param isFinal returns false to ask the next node
   * @throws UnreachableError with each node's reason
   */
  async ask<T>(call: Call<T>, isFinal: (answer: T) => boolean = () => true): Promise<T> {
    const start = this.#clock.monotonic();
    const order = this.#linksInOrder();
    const reasons: string[] = [];
    let last: { readonly answer: T } | undefined;
    for (const [i, link] of order.entries()) {
      try {
        const timeoutMs = this.#timeLeft(start) / (order.length - i);
        const answer = await link.call("quick", timeoutMs, call);
        if (isFinal(answer)) return answer;
        last = { answer };
      } catch (error) {
        reasons.push(reasonAt(link, error));
      }
    }
    if (last !== undefined) return last.answer;
    throw noAnswerError(reasons);
  }

  /**
   * Asks one node. Asks the next one only if the call cannot have reached the first.
   * @throws UnreachableError
   */
  async askOnce<T>(call: Call<T>): Promise<T> {
    const start = this.#clock.monotonic();
    const order = this.#linksInOrder();
    const reasons: string[] = [];
    for (const [i, link] of order.entries()) {
      try {
        return await link.call("slow", this.#timeLeft(start) / (order.length - i), call);
      } catch (error) {
        reasons.push(reasonAt(link, error));
        if (error instanceof NoNodeAnswerError && error.mayBeReceived) break;
      }
    }
    throw noAnswerError(reasons);
  }

  /**
   * Returns news of one node's pool. After a change of node or connection, omits earlier transactions.
   * @throws UnreachableError
   */
  async news(after: number | undefined): Promise<PoolNews> {
    const known =
      after === undefined ? undefined : this.#newsConnections.get(Math.floor(after / CURSOR_RANGE));
    const [link] = this.#linksInOrder();
    if (link === undefined) throw noAnswerError([]);
    try {
      let used = 0;
      const news = await link.call("slow", TOTAL_TIMEOUT_MS, ({ pool }, connection) => {
        used = connection;
        const isSame = known?.link === link && known.connection === connection;
        return pool.news(isSame && after !== undefined ? after % CURSOR_RANGE : undefined);
      });
      return { ...news, next: this.#newsNumber(link, used) * CURSOR_RANGE + news.next };
    } catch (error) {
      throw noAnswerError([reasonAt(link, error)]);
    }
  }

  #newsNumber(link: NodeLink, connection: number): number {
    for (const [number, known] of this.#newsConnections) {
      if (known.link !== link) continue;
      if (known.connection === connection) return number;
      this.#newsConnections.delete(number);
    }
    this.#newsConnections.set(++this.#newsCount, { link, connection });
    return this.#newsCount;
  }

  #timeLeft(start: number): number {
    return Math.max(0, TOTAL_TIMEOUT_MS - (this.#clock.monotonic() - start));
  }

  /** The current node first, then healthy nodes, then by score. May change the current node. */
  #linksInOrder(): readonly NodeLink[] {
    const sorted = [...this.#links].sort(({ state: a }, { state: b }) =>
      a.isHealthy === b.isHealthy
        ? Number(b.score - a.score > 0n) - Number(b.score < a.score)
        : a.isHealthy
          ? -1
          : 1,
    );
    const current = this.#current;
    const [best] = sorted;
    const isUsable =
      current?.state.isHealthy === true &&
      (best.state.height ?? 0) - (current.state.height ?? 0) <= MAX_BLOCKS_BEHIND;
    if (current === undefined || !isUsable) {
      this.#current = best;
      return sorted;
    }
    return [current, ...sorted.filter((link) => link !== current)];
  }
}

function reasonAt({ name }: NodeLink, error: unknown): string {
  if (!(error instanceof NoNodeAnswerError)) throw error;
  return `${name}: ${error.message}`;
}

function noAnswerError(reasons: readonly string[]): UnreachableError {
  return new UnreachableError(`no node answers (${reasons.join("; ")})`);
}

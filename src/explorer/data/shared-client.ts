/**
 * A client for many parts of a page: the same question is not asked twice at a time, and what is final is not asked for
 * again.
 */
import { type JsonOut, printJson } from "../../bytes/json.ts";
import { MAX_FORK_DEPTH } from "../../client/anchor-verdict.ts";
import { membersOf } from "../../client/decode.ts";
import type { AnswerWithHeaders, Client, RouteKey } from "../../client/index.ts";
import { BoundedCache } from "../../collections/bounded-cache.ts";

/** Answers that are kept, and how many transactions one of them may have. */
const MAX_CACHED_ANSWERS = 300;
const MAX_CACHED_TRANSACTIONS = 500;

/** Answers that stay what they are once their height is final. */
const IMMUTABLE_ROUTES: ReadonlySet<string> = new Set<RouteKey>([
  "GET /blocks/at/:height",
  "GET /blocks/signature/:signature",
  "GET /blocks/headers/at/:height",
  "GET /transactions/info/:id",
]);

/** Whether an answer can never become another one. @param height of the chain */
function isFinal(key: string, value: unknown, height: number): boolean {
  const answer = membersOf(value);
  // A lease says whether it was cancelled.
  if (!IMMUTABLE_ROUTES.has(key) || answer.status !== undefined || answer.lease !== undefined) return false;
  if (Number(answer.transactionCount ?? 0) > MAX_CACHED_TRANSACTIONS) return false;
  return typeof answer.height === "number" && answer.height + MAX_FORK_DEPTH <= height;
}

/** The client, and what tells it of the chain. */
export class SharedClient implements Client {
  readonly #client: Client;
  readonly #kept = new BoundedCache<AnswerWithHeaders<RouteKey>>({ entries: MAX_CACHED_ANSWERS });
  readonly #asking = new Map<string, Promise<AnswerWithHeaders<RouteKey>>>();
  #height = 0;
  /** The greatest height since nothing was kept: a chain may go back block by block. */
  #top = 0;

  constructor(client: Client) {
    this.#client = client;
  }

  /** The chain has changed: what is asked from now on is not answered by what was asked before. */
  setHeight(height: number): void {
    // Where it lost what was final, nothing is.
    const isDeep = height + MAX_FORK_DEPTH < this.#top;
    if (isDeep) this.#kept.clear();
    this.#top = isDeep ? height : Math.max(height, this.#top);
    this.#height = height;
    this.#asking.clear();
  }

  /** It is another chain. */
  reset(): void {
    this.#kept.clear();
    this.#asking.clear();
    this.#height = 0;
    this.#top = 0;
  }

  readonly callWithHeaders: Client["callWithHeaders"] = async (key, ...wanted) => {
    if (!key.startsWith("GET ")) return this.#client.callWithHeaders(key, ...wanted);
    // What is wanted is made of what JSON holds, and bigints.
    const name = `${key} ${printJson((wanted[0] ?? null) as JsonOut)}`;
    const kept = this.#kept.use(name);
    // Kept under the name of this very route.
    if (kept !== undefined) return kept as AnswerWithHeaders<typeof key>;
    const asked = this.#asking.get(name);
    // As above.
    if (asked !== undefined) return asked as Promise<AnswerWithHeaders<typeof key>>;
    const asking = this.#client.callWithHeaders(key, ...wanted);
    this.#asking.set(name, asking);
    try {
      const answer = await asking;
      if (this.#asking.get(name) === asking && isFinal(key, answer.value, this.#height))
        this.#kept.set(name, answer);
      return answer;
    } finally {
      if (this.#asking.get(name) === asking) this.#asking.delete(name);
    }
  };

  readonly call: Client["call"] = async (...wanted) => (await this.callWithHeaders(...wanted)).value;
}

/** Merges equal requests of a page and caches final answers. */
import { type JsonOut, printJson } from "../../bytes/json.ts";
import { MAX_FORK_DEPTH } from "../../client/anchor-verdict.ts";
import { membersOf } from "../../client/decode.ts";
import type { AnswerWithHeaders, Client, RouteKey } from "../../client/index.ts";
import { BoundedCache } from "../../collections/bounded-cache.ts";

const MAX_CACHED_ANSWERS = 300;
const MAX_CACHED_TRANSACTIONS = 500;

/** Routes whose answers stop changing once their height is final. */
const IMMUTABLE_ROUTES: ReadonlySet<string> = new Set<RouteKey>([
  "GET /blocks/at/:height",
  "GET /blocks/signature/:signature",
  "GET /blocks/headers/at/:height",
  "GET /transactions/info/:id",
]);

/** @param height height of the chain */
function isFinal(key: string, value: unknown, height: number): boolean {
  const answer = membersOf(value);
  // The answer for a lease says whether it was cancelled.
  if (!IMMUTABLE_ROUTES.has(key) || answer.status !== undefined || answer.lease !== undefined) return false;
  if (Number(answer.transactionCount ?? 0) > MAX_CACHED_TRANSACTIONS) return false;
  return typeof answer.height === "number" && answer.height + MAX_FORK_DEPTH <= height;
}

export class SharedClient implements Client {
  readonly #client: Client;
  readonly #cached = new BoundedCache<AnswerWithHeaders<RouteKey>>({ entries: MAX_CACHED_ANSWERS });
  readonly #pending = new Map<string, Promise<AnswerWithHeaders<RouteKey>>>();
  #height = 0;
  /** Highest height since the cache was cleared; a chain can go back block by block. */
  #top = 0;

  constructor(client: Client) {
    this.#client = client;
  }

  /** Keeps later requests from reusing unfinished ones. */
  setHeight(height: number): void {
    // A fork below final blocks invalidates the cache.
    const isDeep = height + MAX_FORK_DEPTH < this.#top;
    if (isDeep) this.#cached.clear();
    this.#top = isDeep ? height : Math.max(height, this.#top);
    this.#height = height;
    this.#pending.clear();
  }

  /** Forgets everything, for another chain. */
  reset(): void {
    this.#cached.clear();
    this.#pending.clear();
    this.#height = 0;
    this.#top = 0;
  }

  readonly callWithHeaders: Client["callWithHeaders"] = async (key, ...wanted) => {
    if (!key.startsWith("GET ")) return this.#client.callWithHeaders(key, ...wanted);
    // Requests consist of JSON values and bigints.
    const name = `${key} ${printJson((wanted[0] ?? null) as JsonOut)}`;
    const cached = this.#cached.use(name);
    // The cache key contains the route.
    if (cached !== undefined) return cached as AnswerWithHeaders<typeof key>;
    const asked = this.#pending.get(name);
    // As above.
    if (asked !== undefined) return asked as Promise<AnswerWithHeaders<typeof key>>;
    const pending = this.#client.callWithHeaders(key, ...wanted);
    this.#pending.set(name, pending);
    try {
      const answer = await pending;
      if (this.#pending.get(name) === pending && isFinal(key, answer.value, this.#height))
        this.#cached.set(name, answer);
      return answer;
    } finally {
      if (this.#pending.get(name) === pending) this.#pending.delete(name);
    }
  };

  readonly call: Client["call"] = async (...wanted) => (await this.callWithHeaders(...wanted)).value;
}

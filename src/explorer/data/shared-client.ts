/** Merges equal requests, and caches answers that can no longer change. */
import { type JsonOut, printJson } from "../../bytes/json.ts";
import { MAX_FORK_DEPTH } from "../../client/anchor-verdict.ts";
import { membersOf } from "../../client/decode.ts";
import type { AnswerWithHeaders, Client, RouteKey } from "../../client/index.ts";
import { BoundedCache } from "../../collections/bounded-cache.ts";

const MAX_CACHED_ANSWERS = 300;
const MAX_CACHED_BLOCK_TRANSACTIONS = 500;

/** Answers of these routes no longer change once no fork can reach their height. */
const IMMUTABLE_ROUTES: ReadonlySet<string> = new Set<RouteKey>([
  "GET /blocks/at/:height",
  "GET /blocks/signature/:signature",
  "GET /blocks/headers/at/:height",
  "GET /transactions/info/:id",
]);

function isFinal(key: string, value: unknown, chainHeight: number): boolean {
  const answer = membersOf(value);
  // A lease can still be cancelled.
  if (!IMMUTABLE_ROUTES.has(key) || answer.status !== undefined || answer.lease !== undefined) return false;
  if (Number(answer.transactionCount ?? 0) > MAX_CACHED_BLOCK_TRANSACTIONS) return false;
  return typeof answer.height === "number" && answer.height + MAX_FORK_DEPTH <= chainHeight;
}

export class SharedClient implements Client {
  readonly #client: Client;
  readonly #cached = new BoundedCache<AnswerWithHeaders<RouteKey>>({ entries: MAX_CACHED_ANSWERS });
  readonly #pending = new Map<string, Promise<AnswerWithHeaders<RouteKey>>>();
  #height = 0;
  /** Highest height since the cache was cleared. */
  #maxHeight = 0;

  constructor(client: Client) {
    this.#client = client;
  }

  /** New requests no longer share pending ones, whose answers may be outdated. */
  setHeight(height: number): void {
    // A fork that reverts final blocks invalidates the cache.
    const isDeepFork = height + MAX_FORK_DEPTH < this.#maxHeight;
    if (isDeepFork) this.#cached.clear();
    this.#maxHeight = isDeepFork ? height : Math.max(height, this.#maxHeight);
    this.#height = height;
    this.#pending.clear();
  }

  reset(): void {
    this.#cached.clear();
    this.#pending.clear();
    this.#height = 0;
    this.#maxHeight = 0;
  }

  readonly callWithHeaders: Client["callWithHeaders"] = async (key, ...args) => {
    if (!key.startsWith("GET ")) return this.#client.callWithHeaders(key, ...args);
    // Safe cast: requests consist of JSON values and bigints.
    const cacheKey = `${key} ${printJson((args[0] ?? null) as JsonOut)}`;
    const cached = this.#cached.use(cacheKey);
    // Safe cast: the cache key contains the route.
    if (cached !== undefined) return cached as AnswerWithHeaders<typeof key>;
    const shared = this.#pending.get(cacheKey);
    if (shared !== undefined) return shared as Promise<AnswerWithHeaders<typeof key>>;
    const pending = this.#client.callWithHeaders(key, ...args);
    this.#pending.set(cacheKey, pending);
    try {
      const answer = await pending;
      if (this.#pending.get(cacheKey) === pending && isFinal(key, answer.value, this.#height))
        this.#cached.set(cacheKey, answer);
      return answer;
    } finally {
      if (this.#pending.get(cacheKey) === pending) this.#pending.delete(cacheKey);
    }
  };

  readonly call: Client["call"] = async (...args) => (await this.callWithHeaders(...args)).value;
}

import { computed, type ReadonlySignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { type JsonOut, printJson } from "../../bytes/json.ts";
import { type Answer, FailedRequestError, type RouteKey } from "../../client/index.ts";
import type { Arguments } from "../../client/types.ts";
import type { Attempt, Live, NodeApi, PageContext, QueryOptions } from "../page.ts";
import { now } from "../parts/time/now.ts";

export const MINUTE_MS = 60_000;
export const TEN_MINUTES_MS = 10 * MINUTE_MS;

/** Undefined until the value is loaded. @param key must name everything that the value depends on */
export function useQuery<T>(
  { queries }: PageContext,
  key: string,
  load: () => Promise<T>,
  options?: QueryOptions,
): Attempt<T> | undefined {
  const result = queries.get(key, load, options);
  useEffect(() => queries.watch(key), [key]);
  return result.value;
}

export const useAnswer = <Key extends RouteKey>(
  context: PageContext,
  options: QueryOptions | undefined,
  route: Key,
  ...request: Arguments<Key>
): Attempt<Answer<Key>> | undefined =>
  useQuery(
    context,
    // Safe cast: requests consist of JSON values and bigints.
    `${route} ${printJson((request[0] ?? null) as JsonOut)}`,
    () => context.node.client.call(route, ...request),
    options,
  );

const minutes = computed(() => Math.floor(now.value / MINUTE_MS));

const keyBlockVersions = new WeakMap<Live, ReadonlySignal<string | undefined>>();

export function keyBlockVersion(live: Live): string | undefined {
  let version = keyBlockVersions.get(live);
  if (version === undefined) {
    let height: number | undefined;
    let last: string | undefined;
    version = computed(() => {
      const tip = live.tip.value;
      // A key block can replace one of the same height.
      if (tip !== undefined && (tip.sequence === 0 || tip.height !== height)) {
        ({ height } = tip);
        last = `${height} ${tip.sequence === 0 ? tip.id : ""}`;
      }
      return last;
    });
    keyBlockVersions.set(live, version);
  }
  return version.value;
}

/** Options of a query that loads after key blocks and every minute. */
export function everyMinute({ live }: PageContext): QueryOptions {
  return { version: `${keyBlockVersion(live)} ${minutes.value}`, minIntervalMs: MINUTE_MS };
}

/** Options of a query that loads after key blocks, at most once per `minIntervalMs`. */
export function afterKeyBlocks({ live }: PageContext, minIntervalMs = MINUTE_MS): QueryOptions {
  return { version: keyBlockVersion(live), minIntervalMs };
}

/** Catches the failure of a request. @throws the client's error if the node is unreachable */
export async function attempt<T>(node: NodeApi, answer: Promise<T>): Promise<Attempt<T>> {
  try {
    return { ok: true, value: await answer };
  } catch (error) {
    const problem = await node.diagnose(error);
    if (problem.kind === "unreachable") throw error;
    return { ok: false, problem };
  }
}

export async function undefinedIfMissing<T>(
  answer: Promise<T>,
  missingStatuses: readonly number[] = [404],
): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof FailedRequestError && missingStatuses.includes(error.status)) return undefined;
    throw error;
  }
}

import { effect, type ReadonlySignal, signal } from "@preact/signals";
import { membersOf } from "../../client/decode.ts";
import type { Answer } from "../../client/index.ts";
import type { Live, NodeApi } from "../page.ts";

export type Health = Answer<"GET /node/health">;

const MIN_POLL_INTERVAL_MS = 10_000;

/** Returns undefined for an invalid answer; any node can be shown. */
export function parseHealth(answer: Health): Health | undefined {
  const { reasons, peers } = membersOf(answer);
  const isHealth =
    Array.isArray(reasons) &&
    reasons.every((reason) => typeof membersOf(reason).message === "string") &&
    typeof peers === "number";
  return isHealth ? answer : undefined;
}

/** Polls after new blocks; undefined without a valid answer. Call it once. */
export function watchHealth(node: NodeApi, live: Live): ReadonlySignal<Health | undefined> {
  const health = signal<Health | undefined>(undefined);
  let isWaiting = false;
  let askedAt = Number.NEGATIVE_INFINITY;
  const ask = async (): Promise<void> => {
    isWaiting = false;
    askedAt = performance.now();
    // The connection state reports failures.
    health.value = await node.client.call("GET /node/health").then(parseHealth, () => undefined);
  };
  effect(() => {
    const isThere = live.connection.value.state !== "lost" && live.tip.value !== undefined;
    if (!isThere || isWaiting) return;
    isWaiting = true;
    setTimeout(ask, Math.max(0, askedAt + MIN_POLL_INTERVAL_MS - performance.now()));
  });
  return health;
}

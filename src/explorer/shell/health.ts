import { effect, type ReadonlySignal, signal } from "@preact/signals";
import { membersOf } from "../../client/decode.ts";
import type { Answer } from "../../client/index.ts";
import type { Live, NodeApi } from "../page.ts";

export type Health = Answer<"GET /node/health">;

const MIN_POLL_INTERVAL_MS = 10_000;

export function parseHealth(answer: Health): Health | undefined {
  const { reasons, peers } = membersOf(answer);
  const isHealth =
    Array.isArray(reasons) &&
    reasons.every((reason) => typeof membersOf(reason).message === "string") &&
    typeof peers === "number";
  return isHealth ? answer : undefined;
}

/**
 * Must be called once.
 * @returns a signal that is undefined if the last poll failed
 */
export function watchHealth(node: NodeApi, live: Live): ReadonlySignal<Health | undefined> {
  const health = signal<Health | undefined>(undefined);
  let isPollScheduled = false;
  let lastPollAtMs = Number.NEGATIVE_INFINITY;
  const poll = async (): Promise<void> => {
    isPollScheduled = false;
    lastPollAtMs = performance.now();
    // The connection state shows failures.
    health.value = await node.client.call("GET /node/health").then(parseHealth, () => undefined);
  };
  effect(() => {
    const isConnected = live.connection.value.state !== "lost" && live.tip.value !== undefined;
    if (!isConnected || isPollScheduled) return;
    isPollScheduled = true;
    setTimeout(poll, Math.max(0, lastPollAtMs + MIN_POLL_INTERVAL_MS - performance.now()));
  });
  return health;
}

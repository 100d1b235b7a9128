/** Calls declared with a deadline get it after any arguments; all others get only their arguments. */
import { MessageChannel } from "node:worker_threads";
import { expect, test } from "vitest";
import type { ControlTopic } from "../../control/define.ts";
import { controlTopics } from "../../control/index.ts";
import type { RpcCalls } from "../../runtime/rpc.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { fakeControl } from "../testing/control.ts";
import { answerControl, controlOverPort, DEFAULT_LIMITS } from "./control-port.ts";

const topics: Readonly<Record<string, ControlTopic>> = controlTopics;
const declared = Object.entries(topics).flatMap(([topic, methods]) =>
  Object.entries(methods).map(([name, { deadline = false }]) => ({ topic, name, deadline })),
);

test("timed commands get a deadline", () => {
  const waiting = declared.filter(({ deadline }) => deadline).map(({ topic, name }) => `${topic}.${name}`);
  expect(waiting.sort()).toEqual([
    "chain.applyCheckpoint",
    "chain.rollback",
    "chain.rollbackTo",
    "pool.broadcast",
    "wallet.createAccount",
    "wallet.deleteAccount",
  ]);
});

test.each(declared)("$topic.$name gets its arguments, and its deadline if it has one", async (one) => {
  const { port1, port2 } = new MessageChannel();
  const clock = new VirtualClock(5_000);
  const seen: unknown[][] = [];
  const told = {
    [one.topic]: {
      [one.name]: async (...args: unknown[]) => {
        seen.push(args);
        // A minimal page of the pool, because its bytes are transferred.
        return { bytes: new Uint8Array(0) };
      },
    },
  };
  answerControl(port2, fakeControl([], 90, told), clock);
  const calls = controlOverPort(port1, clock) as unknown as RpcCalls;
  const own = ["the first argument", "the second"];
  await calls[one.topic][one.name](...own);
  expect(seen).toEqual([one.deadline ? [...own, 5_000 + DEFAULT_LIMITS.timeoutMs] : own]);
  port1.close();
  port2.close();
});

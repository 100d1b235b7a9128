import type { ControlTopic } from "../../../control/define.ts";
import {
  controlTopics,
  type NodeControl,
  type NodeControlHandlers,
  type Outcome,
} from "../../../control/index.ts";
import type { NodePool } from "./node-pool.ts";

type Method = (...args: readonly unknown[]) => Promise<unknown>;

const topics: Readonly<Record<string, ControlTopic>> = controlTopics;

/** Failures before a node has judged the transaction. */
const UNJUDGED: readonly string[] = ["busy", "late", "disk-fault"];

/** Returns handlers of the methods that other machines may call: each asks the gateway's nodes. */
export function remoteHandlers(nodes: NodePool): {
  readonly [topic in keyof NodeControl]: Partial<NodeControlHandlers[topic]>;
} {
  const handlers: Record<string, Record<string, Method>> = {};
  for (const [topic, methods] of Object.entries(topics)) {
    handlers[topic] = {};
    for (const [name, { maxRemoteArguments }] of Object.entries(methods)) {
      if (maxRemoteArguments === undefined) continue;
      const call = (args: readonly unknown[]) => (control: NodeControl) => {
        const method = (control[topic as keyof NodeControl] as unknown as Record<string, Method>)[name];
        // Omits the deadline, which follows the arguments.
        return method(...args.slice(0, maxRemoteArguments));
      };
      handlers[topic][name] = (...args) => nodes.ask(call(args));
    }
  }
  const typed = handlers as ReturnType<typeof remoteHandlers>;
  return {
    ...typed,
    pool: {
      ...typed.pool,
      broadcast: (transaction) => nodes.ask(({ pool }) => pool.broadcast(transaction), isJudged),
      news: (after) => nodes.news(after),
    },
    anchoring: {
      ...typed.anchoring,
      // A repeated call could create a second transaction.
      add: (hash) => nodes.askOnce(({ anchoring }) => anchoring.add(hash)),
    },
  };
}

function isJudged(outcome: Outcome<unknown>): boolean {
  return outcome.ok || !UNJUDGED.includes(outcome.error.kind);
}

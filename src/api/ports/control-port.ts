/** `NodeControl` across a message port: the HTTP thread asks, the node's thread answers. All follows from the topics. */
import type { ControlTopic } from "../../control/define.ts";
import { controlTopics, type NodeControl, type NodeControlHandlers } from "../../control/index.ts";
import type { Clock } from "../../interfaces.ts";
import {
  createRpcClient,
  forMethods,
  type Port,
  type RpcCall,
  type RpcCalls,
  type RpcLimits,
  serveRpc,
} from "../../runtime/rpc.ts";
import type { TaskQueue } from "../../runtime/time-sliced-queue.ts";

/** How much may be asked at a time, and how long an answer may take. Page 06 §2.1. */
export const standardLimits: RpcLimits = { calls: 1_000, timeoutMs: 20_000 };

const topics: Readonly<Record<string, ControlTopic>> = controlTopics;

/** The methods by topic and name. What they take and answer, only their declarations say. */
const callsOf = (control: NodeControl): RpcCalls => control as unknown as RpcCalls;

/** One function for each declared method, with its arguments and its answer. */
const controlOf = (calls: RpcCalls): NodeControl => calls as unknown as NodeControl;

/** The asking side. Its calls reject with `UnavailableError`. */
export function controlOverPort(port: Port, clock: Clock, limits: RpcLimits = standardLimits): NodeControl {
  return controlOf(createRpcClient(port, topics, clock, limits));
}

/**
 * The answering side.
 * @param clock the one that the asking side reads its deadlines from
 * @param queue where questions wait; one of its own by default
 */
export function answerControl(
  port: Port,
  control: NodeControlHandlers,
  clock: Clock,
  queue?: TaskQueue,
): void {
  serveRpc(port, topics, callsOf(control), clock, queue);
}

/**
 * The same node, with `answered` called before each of its answers is passed on: what it tells may be newer than what
 * was read before it was asked.
 */
export function afterAnswers(control: NodeControl, answered: () => void): NodeControl {
  const calls = callsOf(control);
  return controlOf(
    forMethods(
      topics,
      (topic, name): RpcCall =>
        async (...args) => {
          const answer = await calls[topic][name](...args);
          answered();
          return answer;
        },
    ),
  );
}

/** The same node, which tells what it is asked and refuses to change anything, with the error given. */
export function withoutChanges(control: NodeControl, error: Error): NodeControl {
  const calls = callsOf(control);
  return controlOf(
    forMethods(
      topics,
      (topic, name, { mutates }): RpcCall => (mutates ? () => Promise.reject(error) : calls[topic][name]),
    ),
  );
}

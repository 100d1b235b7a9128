import type { ControlTopic } from "../../control/define.ts";
import { controlTopics, type NodeControl, type NodeControlHandlers } from "../../control/index.ts";
import type { Clock } from "../../interfaces.ts";
import {
  createRpcClient,
  mapMethods,
  type Port,
  type RpcCall,
  type RpcCalls,
  type RpcLimits,
  serveRpc,
} from "../../runtime/rpc.ts";
import type { TaskQueue } from "../../runtime/time-sliced-queue.ts";

/** Page 06 §2.1. */
export const DEFAULT_LIMITS: RpcLimits = { maxCalls: 1_000, timeoutMs: 20_000 };

const topics: Readonly<Record<string, ControlTopic>> = controlTopics;

const callsOf = (control: NodeControl): RpcCalls => control as unknown as RpcCalls;

const controlOf = (calls: RpcCalls): NodeControl => calls as unknown as NodeControl;

/** Calls reject with `UnavailableError` if the node does not answer. */
export function controlOverPort(port: Port, clock: Clock, limits: RpcLimits = DEFAULT_LIMITS): NodeControl {
  return controlOf(createRpcClient(port, topics, clock, limits));
}

export function answerControl(
  port: Port,
  control: NodeControlHandlers,
  clock: Clock,
  queue?: TaskQueue,
): void {
  serveRpc(port, topics, callsOf(control), clock, queue);
}

/** Calls `onAnswer` before a call returns its answer. */
export function afterAnswers(control: NodeControl, onAnswer: () => void): NodeControl {
  const calls = callsOf(control);
  return controlOf(
    mapMethods(
      topics,
      (topic, name): RpcCall =>
        async (...args) => {
          const answer = await calls[topic][name](...args);
          onAnswer();
          return answer;
        },
    ),
  );
}

/** Makes the methods that change the node reject with `error`. */
export function withoutChanges(control: NodeControl, error: Error): NodeControl {
  const calls = callsOf(control);
  return controlOf(
    mapMethods(
      topics,
      (topic, name, { mutates }): RpcCall => (mutates ? () => Promise.reject(error) : calls[topic][name]),
    ),
  );
}

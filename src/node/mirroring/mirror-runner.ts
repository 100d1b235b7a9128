/** Runs the mirror in a thread. Its failures never stop the node. */
import type { Worker } from "node:worker_threads";
import type { Cancel, Clock, Log } from "../../interfaces.ts";
import { type MetricsCollector, startThread } from "../../runtime/threads/thread-metrics.ts";
import type { MirroredNode, MirrorOrder, MirrorTarget } from "./mirrored-node.ts";

const RESTART_DELAY_MS = 10_000;

export type MirrorThreadMessage =
  | {
      readonly kind: "log";
      readonly level: "debug" | "info" | "warn" | "error";
      readonly message: string;
      readonly fields: Record<string, unknown> | undefined;
    }
  | { readonly kind: "failed"; readonly reason: string };

export interface MirrorLauncher {
  /** @returns a function that stops the mirror, and resolves when it has ended */
  start(node: MirroredNode, clock: Clock, log: Log): () => Promise<void>;
}

export function threadMirror(target: MirrorTarget, collector: MetricsCollector): MirrorLauncher {
  return {
    start(node, clock, log) {
      let thread: Worker | undefined;
      let cancel: Cancel = () => {};
      let isStopped = false;
      let ended: Promise<void> = Promise.resolve();
      const start = (): void => {
        ended = run({ ...node, ...target }, log, collector, (started) => {
          thread = started;
        }).then(() => {
          thread = undefined;
          if (!isStopped) cancel = clock.after(RESTART_DELAY_MS, start, "mirror");
        });
      };
      start();
      return async () => {
        isStopped = true;
        cancel();
        thread?.postMessage("stop");
        await ended;
      };
    },
  };
}

function run(
  order: MirrorOrder,
  log: Log,
  collector: MetricsCollector,
  onStarted: (thread: Worker) => void,
): Promise<void> {
  return new Promise((resolve) => {
    const options = { workerData: { order } };
    const thread = startThread(new URL("./mirror-thread.js", import.meta.url), options, {
      collector,
      name: "mirror",
    });
    onStarted(thread);
    thread.on("message", (message: MirrorThreadMessage) => {
      if (message.kind === "log") log[message.level](message.message, message.fields);
      else log.error("The mirror stopped: restarting it", { reason: message.reason });
    });
    thread.once("error", (error) => log.error("The mirror failed: restarting it", { error }));
    thread.once("exit", () => resolve());
  });
}

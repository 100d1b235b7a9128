/**
 * Loaded ahead of a node's own code (`NODE_OPTIONS=--import=…`): each second it writes the longest delay of the main
 * thread's event loop in that second, ms, a line, into the file that `BENCH_DELAY_FILE` names.
 */
import { appendFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { isMainThread } from "node:worker_threads";

const path = process.env.BENCH_DELAY_FILE;
if (isMainThread && path !== undefined) {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  setInterval(() => {
    appendFileSync(path, `${(delay.max / 1e6).toFixed(1)}\n`);
    delay.reset();
  }, 1_000).unref();
}

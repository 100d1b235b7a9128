/**
 * Preloaded into a node (`NODE_OPTIONS=--import=…`): each second it appends a line with the longest event-loop delay of
 * the main thread in that second, ms, to the file `BENCH_DELAY_FILE`.
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

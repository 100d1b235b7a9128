import type { Clock, Log } from "../interfaces.ts";
import { TokenBucket } from "./token-bucket.ts";

/** Per level: a burst of 30 lines, then one line every ten seconds. */
const LINE_BUDGET = { perSecond: 0.1, burst: 30 };

/** Limits lines that other nodes can cause, except debug lines. */
export function rateLimitedLog(log: Log, clock: Clock): Log {
  const limited = (level: "info" | "warn" | "error"): Log["info"] => {
    const bucket = new TokenBucket(clock, LINE_BUDGET);
    let omitted = 0;
    return (message, facts) => {
      if (!bucket.take()) {
        omitted++;
        return;
      }
      log[level](message, omitted === 0 ? facts : { ...facts, omittedBefore: omitted });
      omitted = 0;
    };
  };
  return {
    debug: (message, facts) => log.debug(message, facts),
    info: limited("info"),
    warn: limited("warn"),
    error: limited("error"),
  };
}

import type { Clock, Log } from "../interfaces.ts";
import { TokenBucket } from "./token-bucket.ts";

/** Lines per level: a burst, then one line in ten seconds. */
const LINES = { perSecond: 0.1, burst: 30 };

/**
 * Limits the lines that other nodes can make this node log, except debug lines. The line after omitted ones has their
 * number.
 */
export function rateLimitedLog(log: Log, clock: Clock): Log {
  const bounded = (level: "info" | "warn" | "error"): Log["info"] => {
    const bucket = new TokenBucket(clock, LINES);
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
    info: bounded("info"),
    warn: bounded("warn"),
    error: bounded("error"),
  };
}

/** What others can make a node write into its log has a bound. */
import type { Clock, Log } from "../interfaces.ts";
import { TokenBucket } from "./token-bucket.ts";

/** Lines of one level: a burst is told, and then one line in ten seconds. */
const LINES = { perSecond: 0.1, burst: 30 };

/**
 * A log that passes over lines when too many come, and says with the next one how many. Those for debugging all come
 * through: who asks for them wants them.
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

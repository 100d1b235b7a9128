import type { onResponseHookHandler } from "fastify";
import { failures } from "../../http/errors.ts";
import type { Clock, Log } from "../../interfaces.ts";
import { areaLog } from "../../runtime/area-log.ts";
import { rateLimitedLog } from "../../runtime/rate-limited-log.ts";

/**
 * Returns the hook of key routes that logs each use, without secrets: key name, method, route pattern and status.
 * Requests without a valid key are logged at a limited rate, with the reason.
 */
export function keyUseLogger(log: Log, clock: Clock): onResponseHookHandler {
  const audit = areaLog(log, "audit");
  const limited = rateLimitedLog(audit, clock);
  return (request, reply, done) => {
    const { keyCheck } = request;
    const facts = {
      method: request.method,
      route: request.routeOptions.url,
      status: reply.statusCode,
    };
    if (keyCheck?.key !== undefined) audit.info("API key used", { key: keyCheck.key, ...facts });
    else if (keyCheck?.isGuess === true) limited.warn("API key refused", { reason: "wrong key", ...facts });
    else if (keyCheck !== undefined && keyCheck.failure === undefined)
      audit.debug("API key used", { key: "none", ...facts });
    // Compare the status: a route that checks the key itself may answer in spite of the failure.
    else if (keyCheck !== undefined && keyCheck.failure?.status === reply.statusCode) {
      const { failure } = keyCheck;
      const reason = failure === failures.apiKeyNotValid ? "no key" : failure.body.message;
      limited.info("API key refused", { reason, ...facts });
    }
    done();
  };
}

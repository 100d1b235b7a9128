import type { LogArea } from "../control/log-level.ts";
import type { Log } from "../interfaces.ts";

/** Returns the log of an area; `log` itself if it has no areas. */
export function areaLog(log: Log, area: LogArea): Log {
  return log.area?.(area) ?? log;
}

import type { LogArea } from "../control/log-level.ts";
import type { Log } from "../interfaces.ts";

export function areaLog(log: Log, area: LogArea): Log {
  return log.area?.(area) ?? log;
}

import { LOG_AREAS, type LogArea } from "../../control/log-level.ts";
import type { Log } from "../../interfaces.ts";
import type { LogLevels } from "./log-levels.ts";

type LineWriter = (
  area: LogArea,
  level: "debug" | "info" | "warn" | "error",
  message: string,
  fields: Record<string, unknown> | undefined,
) => void;

/** Calls `write` for lines whose level is enabled. The returned log has the area `node`. */
export function logWithAreas(levels: Pick<LogLevels, "isEnabled">, write: LineWriter): Log {
  const create = (area: LogArea): Log => {
    const areaIndex = LOG_AREAS.indexOf(area);
    const logAt =
      (level: "debug" | "info" | "warn" | "error") =>
      (message: string, fields?: Record<string, unknown>): void => {
        if (levels.isEnabled(level, areaIndex)) write(area, level, message, fields);
      };
    return {
      debug: logAt("debug"),
      info: logAt("info"),
      warn: logAt("warn"),
      error: logAt("error"),
      area: (name) => logs.get(name) ?? log,
    };
  };
  const logs = new Map<string, Log>(LOG_AREAS.map((area) => [area, create(area)]));
  const log = create("node");
  return log;
}

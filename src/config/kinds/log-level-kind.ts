import { LOG_AREAS, LOG_LEVELS, type LogLevel, type LogLevelPlan } from "../../control/log-level.ts";
import { InvalidValueError, type Kind, oneOf, refuse } from "./kinds.ts";

const level: Kind<LogLevel> = oneOf(LOG_LEVELS, { all: "trace", silent: "off", fatal: "error" });
const EXPECTS = `${level.expects}, and levels of areas: info,peers=debug (areas: ${LOG_AREAS.join(", ")})`;

/** The level of the node (default `info`) and levels of areas: `warn,peers=debug`. */
export const logLevels: Kind<LogLevelPlan> = {
  expects: EXPECTS,
  placeholder: "LEVELS",
  read: (value, network) => {
    // YAML reads `off` as a boolean.
    const text = value === false ? "off" : value;
    if (typeof text !== "string" || text === "") return refuse(EXPECTS, value);
    const parts = text.split(",").map((part) => part.trim());
    const nodeLevel = parts[0].includes("=") ? undefined : parts.shift();
    const areas = parts.map((part) => {
      const [name, areaLevel, ...rest] = part.split("=");
      const area = LOG_AREAS.find((candidate) => candidate === name.toLowerCase());
      if (areaLevel === undefined || rest.length > 0)
        return refuse("an area and its level, such as peers=debug", part);
      if (area === undefined)
        throw new InvalidValueError(`unknown log area "${name}": expected one of ${LOG_AREAS.join(", ")}`);
      return [area, level.read(areaLevel, network)] as const;
    });
    return {
      level: nodeLevel === undefined ? "info" : level.read(nodeLevel, network),
      areas: Object.fromEntries(areas),
    };
  },
  write: ({ level, areas }) =>
    [level, ...Object.entries(areas).map(([area, areaLevel]) => `${area}=${areaLevel}`)].join(","),
};

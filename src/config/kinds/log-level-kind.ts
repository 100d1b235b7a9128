import { LOG_AREAS, LOG_LEVELS, type LogLevel, type LogLevelPlan } from "../../control/log-level.ts";
import { InvalidValueError, type Kind, oneOf, refuse } from "./kinds.ts";

const level: Kind<LogLevel> = oneOf(LOG_LEVELS, { all: "trace", silent: "off", fatal: "error" });
const EXPECTS = `${level.expects}, then areas: info,peers=debug (${LOG_AREAS.join(", ")})`;

/** A level, `info` by default, then levels of areas: `warn,peers=debug`. */
export const logLevels: Kind<LogLevelPlan> = {
  expects: EXPECTS,
  placeholder: "LEVELS",
  read: (value, network) => {
    // YAML reads `off` as a boolean.
    const text = value === false ? "off" : value;
    if (typeof text !== "string" || text === "") return refuse(EXPECTS, value);
    const parts = text.split(",").map((part) => part.trim());
    const plain = parts[0].includes("=") ? undefined : parts.shift();
    const areas = parts.map((part) => {
      const [name, own, ...more] = part.split("=");
      const area = LOG_AREAS.find((known) => known === name.toLowerCase());
      if (own === undefined || more.length > 0)
        return refuse("an area and its level, such as peers=debug", part);
      if (area === undefined)
        throw new InvalidValueError(`unknown log area "${name}": expected one of ${LOG_AREAS.join(", ")}`);
      return [area, level.read(own, network)] as const;
    });
    return {
      level: plain === undefined ? "info" : level.read(plain, network),
      areas: Object.fromEntries(areas),
    };
  },
  write: ({ level, areas }) =>
    [level, ...Object.entries(areas).map(([area, own]) => `${area}=${own}`)].join(","),
};

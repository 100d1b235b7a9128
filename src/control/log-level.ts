/** Each level includes the levels after it. `off` disables the log. */
export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "off"] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

/** Parts of the node with their own level. */
export const LOG_AREAS = [
  "node",
  "chain",
  "forging",
  "pool",
  "peers",
  "sync",
  "api",
  "audit",
  "index",
  "anchoring",
  "wallet",
] as const;

export type LogArea = (typeof LOG_AREAS)[number];

export interface LogLevelPlan {
  /** Level of all other areas. */
  readonly level: LogLevel;
  readonly areas: { readonly [area in LogArea]?: LogLevel };
}

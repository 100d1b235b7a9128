import type { Log } from "../../interfaces.ts";
import type { Io } from "../io.ts";

/** The log writes warnings and errors to standard error. */
export function warnings(io: Pick<Io, "err">): Log {
  const say = (message: string): void => io.err(`${message}\n`);
  return { debug: () => {}, info: () => {}, warn: say, error: say };
}

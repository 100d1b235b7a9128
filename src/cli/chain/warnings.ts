import type { Log } from "../../interfaces.ts";
import type { Io } from "../io.ts";

export function warningLog(io: Pick<Io, "err">): Log {
  const print = (message: string): void => io.err(`${message}\n`);
  return { debug: () => {}, info: () => {}, warn: print, error: print };
}

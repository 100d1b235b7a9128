import { closeSync, openSync, readSync } from "node:fs";
import { CommandError, ExitCode } from "./exit-codes.ts";

/** More than any script, transaction or seed. */
const MAX_INPUT = 1_048_576;

/**
 * The text of a file, or of standard input for `-`; no more than 1 MiB.
 * @throws CommandError when it cannot be read, or is longer
 */
export function readInput(path: string): string {
  let file: number | undefined;
  try {
    file = path === "-" ? 0 : openSync(path, "r");
    const bytes = Buffer.alloc(MAX_INPUT + 1);
    let length = 0;
    for (;;) {
      const read = readSync(file, bytes, length, bytes.length - length, null);
      length += read;
      if (length > MAX_INPUT) throw new CommandError(ExitCode.failed, `${path} is larger than 1 MiB`);
      if (read === 0) return bytes.toString("utf8", 0, length);
    }
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(ExitCode.failed, `Cannot read ${path}: ${(error as Error).message}`);
  } finally {
    if (file !== undefined && file !== 0) closeSync(file);
  }
}

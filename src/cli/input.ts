import { readBounded } from "../config/kinds/bounded-file.ts";
import { cannotRead, failure } from "./exit-codes.ts";

const MAX_INPUT_BYTES = 1_048_576;

/**
 * Reads a file, or standard input for `-`.
 * @throws CommandError if it is unreadable or too large
 */
export function readInput(path: string, maxBytes: number = MAX_INPUT_BYTES): string {
  let text: string | undefined;
  try {
    text = readBounded(path === "-" ? 0 : path, maxBytes);
  } catch (error) {
    throw cannotRead(path, error);
  }
  if (text === undefined) throw failure(`${path} exceeds ${maxBytes / 2 ** 20} MiB`);
  return text;
}

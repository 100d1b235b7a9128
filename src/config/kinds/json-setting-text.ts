import { readAtMost } from "./bounded-file.ts";
import { ImpossibleValueError } from "./kinds.ts";

/** Bytes of such a file. */
const MAX_FILE = 2 ** 20;

/**
 * The JSON text of a setting that is given as such, as the path of a JSON file, or as an object of the YAML file.
 * @param what the file holds, for the message
 * @throws ImpossibleValueError when the file cannot be read, or is too large
 */
export function jsonSettingText(value: unknown, what: string): string {
  // An object comes from the YAML file.
  if (typeof value !== "string") return JSON.stringify(value) ?? "";
  if (value.trimStart().startsWith("{")) return value;
  let text: string | undefined;
  try {
    text = readAtMost(value, MAX_FILE);
  } catch (error) {
    throw new ImpossibleValueError(`cannot read the file ${value}: ${(error as Error).message}`);
  }
  if (text === undefined)
    throw new ImpossibleValueError(`the file ${value} holds no ${what}, it has more than 1 MiB`);
  return text;
}

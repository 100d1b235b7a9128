import { writeSync } from "node:fs";

/** Never throws, because a failed standard error leaves no place to report it. */
export function writeToStandardError(text: string): void {
  try {
    writeSync(2, text);
  } catch {
    // The caller has no better place for the text.
  }
}

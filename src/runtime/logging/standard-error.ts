import { writeSync } from "node:fs";

/** Writes the text at once. Never throws. */
export function writeToStandardError(text: string): void {
  try {
    writeSync(2, text);
  } catch {
    // There is no other place to report the failure.
  }
}

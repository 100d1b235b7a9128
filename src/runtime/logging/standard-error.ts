import { writeSync } from "node:fs";

/** Writes the text at once. Never throws. */
export function writeToStandardError(text: string): void {
  try {
    writeSync(2, text);
  } catch {
    // The failure cannot be reported anywhere.
  }
}

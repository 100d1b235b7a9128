import { ScriptParseError, scriptText, storedScript } from "../../script/index.ts";

/** Returns the tree of a script as text (page 08 §9), or undefined for an invalid script. */
export function scriptTree(bytes: Uint8Array): string | undefined {
  try {
    return scriptText(storedScript(bytes));
  } catch (error) {
    // The chain has no invalid scripts, but a faulty node can send one.
    if (error instanceof ScriptParseError) return undefined;
    throw error;
  }
}

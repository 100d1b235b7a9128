import { ScriptParseError, scriptText, storedScript } from "../../script/index.ts";

/** The script's tree as text (page 08 §9); undefined for an invalid script. */
export function scriptTree(bytes: Uint8Array): string | undefined {
  try {
    return scriptText(storedScript(bytes));
  } catch (error) {
    // The chain has no invalid scripts, but a faulty node can send one.
    if (error instanceof ScriptParseError) return undefined;
    throw error;
  }
}

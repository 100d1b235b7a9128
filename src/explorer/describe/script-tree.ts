import {
  estimateScript,
  ScriptParseError,
  type SourceLine,
  scriptSource,
  storedScript,
} from "../../script/index.ts";

export interface DescribedScript {
  readonly lines: readonly SourceLine[];
  /** Of one run. */
  readonly cost: number;
}

/** Undefined for an invalid script. */
export function describeScript(bytes: Uint8Array): DescribedScript | undefined {
  try {
    const script = storedScript(bytes);
    return { lines: scriptSource(script), cost: estimateScript(script.expression) };
  } catch (error) {
    // The chain has no invalid scripts, but a faulty node can send one.
    if (error instanceof ScriptParseError) return undefined;
    throw error;
  }
}

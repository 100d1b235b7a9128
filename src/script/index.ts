/** The smart-account language: text, bytes, cost and verdict of a script. Page 08. */
export { EmptyScriptError, ScriptCompileError, ScriptParseError } from "./errors.ts";
export type { Expression } from "./expression.ts";
export type { HiddenTransaction, ScriptTransaction, VisibleTransaction } from "./transaction-view.ts";

import type { Expression } from "./expression.ts";
import type { ScriptTransaction } from "./transaction-view.ts";

/** A script that passed all checks of page 08 §11. */
export interface Script {
  readonly expression: Expression;
  /** The canonical bytes, written from the tree: version, expression, checksum. */
  readonly bytes: Uint8Array;
  /** Cost by the estimator, at most 2000. */
  readonly complexity: number;
}

/** What a run needs beside the script. */
export interface ScriptEnvironment {
  readonly transaction: ScriptTransaction;
  /** Value of `height`. */
  readonly height: number;
  /** Chain id as an unsigned byte: what the address functions make and accept. */
  readonly chainId: number;
}

/** A line of `vars` in a script error's answer. Page 08 §17.4. */
export type ScriptVar =
  | { readonly name: string; readonly value: string }
  | { readonly name: string; readonly error: string };

/** What a script says of a transaction. Page 08 §16.1. */
export type ScriptVerdict =
  | { readonly outcome: "allowed" }
  /** The script says false: `TransactionNotAllowedByScript`. */
  | { readonly outcome: "refused"; vars(): readonly ScriptVar[] }
  /** `ScriptExecutionError`. */
  | { readonly outcome: "error"; readonly error: string; vars(): readonly ScriptVar[] }
  /** An exception of the reference, with its class; the transaction is invalid. Page 08 §16.3. */
  | { readonly outcome: "exception"; readonly exception: string };

/**
 * Reads a script and checks it. Page 08 §11, page 02 §10.7.
 * @throws ScriptParseError with the protocol's text
 * @throws EmptyScriptError when there are no bytes
 */
export declare function parseScript(bytes: Uint8Array): Script;
/** As `parseScript`, from Base64 text with or without `base64:`. */
export declare function parseScriptText(text: string): Script;
/** Reads a script that passed `parseScript` before (it comes from the state) without checking it again. */
export declare function storedScript(bytes: Uint8Array): Script;
/** The canonical bytes. */
export declare function scriptBytes(script: Script): Uint8Array;
/** The text form of the compiled tree. Page 08 §9. */
export declare function scriptText(script: Script): string;
/** `base64:` and the bytes, as JSON shows a script. */
export declare function scriptJson(script: Script): string;
/** Compiles source text as `/utils/script/compile` does. */
export declare function compileScript(
  source: string,
):
  | { readonly ok: true; readonly script: Script; readonly cost: number }
  | { readonly ok: false; readonly error: string };
/** Cost of a tree. @throws ScriptParseError for unknown names and functions */
export declare function estimateScript(expression: Expression): number;
/** Runs a script. Never throws what the protocol does not know. */
export declare function evaluateScript(script: Script, environment: ScriptEnvironment): ScriptVerdict;

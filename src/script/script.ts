/** Page 08 §10, §11. */
import { decodeBase64, encodeBase64 } from "../bytes/base64.ts";
import { bytesEqual, concatBytes } from "../bytes/compare.ts";
import { DecodeError } from "../bytes/errors.ts";
import { int8 } from "../bytes/int64.ts";
import { secureHash } from "../crypto/hashes.ts";
import { branchCosts } from "./cost/branch-costs.ts";
import { type Estimate, EstimateCache } from "./cost/estimate-cache.ts";
import { estimate } from "./cost/estimator.ts";
import type { EstimatorContext } from "./cost/estimator-program.ts";
import { EmptyScriptError, ScriptParseError } from "./errors.ts";
import type { Expression } from "./expression.ts";
import { expressionText } from "./expression-text.ts";
import { functionCost, GLOBAL_NAMES } from "./library/library.ts";
import { readExpression, writeExpression } from "./serialization.ts";
import { type SourceLine, sourceLines } from "./source-lines.ts";

const VERSION = 1;
const CHECKSUM_LENGTH = 4;
/** Bytes. When reading, this limits the expression; when compiling, the whole script. */
export const MAX_SCRIPT_SIZE = 8192;
/** Maximum estimated cost: 20 times that of `sigVerify`. */
export const MAX_COMPLEXITY = 2000;

/** A script that has passed all checks of page 08 §11. */
export interface StoredScript {
  readonly expression: Expression;
  /** Version, expression, checksum. */
  readonly bytes: Uint8Array;
}

export interface Script extends StoredScript {
  /** Estimated cost, at most 2000. */
  readonly complexity: number;
}

function checksum(bytes: Uint8Array): Uint8Array {
  return secureHash(bytes).subarray(0, CHECKSUM_LENGTH);
}

function tooLarge(size: number): ScriptParseError {
  return new ScriptParseError(`Script is too large: ${size} bytes > ${MAX_SCRIPT_SIZE} bytes`);
}

function serializeScript(expression: Expression): Uint8Array {
  const content = concatBytes(Uint8Array.of(VERSION), writeExpression(expression));
  return concatBytes(content, checksum(content));
}

const slowEstimates = new EstimateCache();
const CONTEXT: EstimatorContext = { names: GLOBAL_NAMES, cost: functionCost };

/**
 * Page 08 §12.
 * @param bytes cache key of slow estimates
 * @throws ScriptParseError for unknown names and functions, or too much work
 */
export function estimateScript(expression: Expression, bytes?: Uint8Array): number {
  if (bytes === undefined) return estimate(expression, CONTEXT);
  return estimate(expression, CONTEXT, (compute) => slowEstimates.getOrCompute(bytes, compute));
}

/** Returns source text, with the cost of each branch. */
export function scriptSource({ expression }: StoredScript): readonly SourceLine[] {
  return sourceLines(expression, branchCosts(expression, CONTEXT));
}

/** Returns a Base64 script's bytes if its estimate is slow and not cached. */
export function findSlowScript(text: string): Uint8Array | undefined {
  try {
    const bytes = decodeBase64(text);
    let isSlow = false;
    estimate(reparseScript(bytes).expression, CONTEXT, () => {
      isSlow = !slowEstimates.has(bytes);
      return 0;
    });
    return isSlow ? bytes : undefined;
  } catch (error) {
    // `parseScriptText` reports the error.
    if (error instanceof DecodeError || error instanceof ScriptParseError) return undefined;
    if (error instanceof EmptyScriptError) return undefined;
    throw error;
  }
}

export function cacheEstimate(script: Uint8Array, computed: Estimate): void {
  slowEstimates.getOrCompute(script, () => computed);
}

/** @throws ScriptParseError if the cost is too high or unknown */
function checkedComplexity(expression: Expression, bytes: Uint8Array): number {
  const complexity = estimateScript(expression, bytes);
  if (complexity > MAX_COMPLEXITY) {
    throw new ScriptParseError(`Script is too complex: ${complexity} > ${MAX_COMPLEXITY}`);
  }
  return complexity;
}

/** @throws ScriptParseError if the script exceeds a limit */
export function createScript(expression: Expression): Script {
  const bytes = serializeScript(expression);
  const complexity = checkedComplexity(expression, bytes);
  if (bytes.length > MAX_SCRIPT_SIZE) throw tooLarge(bytes.length);
  return { expression, bytes, complexity };
}

/**
 * The result's `bytes` are canonical and can differ from the input. Page 02 §10.7.
 * @throws ScriptParseError, or EmptyScriptError for empty input
 */
export function parseScript(bytes: Uint8Array): Script {
  const script = reparseScript(bytes);
  return { ...script, complexity: checkedComplexity(script.expression, bytes) };
}

/**
 * Like `parseScript`, without the check of the cost.
 * @throws ScriptParseError, EmptyScriptError
 */
export function reparseScript(bytes: Uint8Array): StoredScript {
  if (bytes.length === 0) throw new EmptyScriptError();
  const end = bytes.length - CHECKSUM_LENGTH;
  if (end < 0 || !bytesEqual(bytes.subarray(end), checksum(bytes.subarray(0, end)))) {
    throw new ScriptParseError("Invalid checksum");
  }
  // With four bytes, the version is the first byte of the checksum.
  const version = int8(bytes[0]);
  if (version !== VERSION) throw new ScriptParseError(`Invalid version: ${version}`);
  const content = bytes.subarray(1, Math.max(end, 1));
  if (content.length > MAX_SCRIPT_SIZE) throw tooLarge(content.length);
  const expression = readExpression(content);
  return { expression, bytes: serializeScript(expression) };
}

/**
 * Accepts Base64 with or without the prefix `base64:`.
 * @throws ScriptParseError, EmptyScriptError
 */
export function parseScriptText(text: string): Script {
  let bytes: Uint8Array;
  try {
    bytes = decodeBase64(text);
  } catch (error) {
    if (error instanceof DecodeError) {
      throw new ScriptParseError(`Unable to decode base64: ${error.message}`);
    }
    throw error;
  }
  return parseScript(bytes);
}

/**
 * Reads a script without checks.
 * @param bytes from `parseScript` or `compileScript`
 */
export function storedScript(bytes: Uint8Array): StoredScript {
  return { bytes, expression: readExpression(bytes.subarray(1, bytes.length - CHECKSUM_LENGTH)) };
}

/** Page 08 §9. */
export function scriptText(script: StoredScript): string {
  return expressionText(script.expression);
}

export function scriptJson(script: StoredScript): string {
  return `base64:${encodeBase64(script.bytes)}`;
}

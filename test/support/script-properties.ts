/** Properties of every script. The tests and the soak run use them. */
import assert from "node:assert/strict";
import { bytesEqual, concatBytes } from "../../src/bytes/compare.ts";
import { encodeUtf8 } from "../../src/bytes/utf8.ts";
import { secureHash } from "../../src/crypto/hashes.ts";
import { EmptyScriptError, ScriptParseError } from "../../src/script/errors.ts";
import { Equality } from "../../src/script/evaluate/equality.ts";
import { evaluate } from "../../src/script/evaluate/evaluator.ts";
import { logTexts } from "../../src/script/evaluate/verdict.ts";
import { ScriptWork } from "../../src/script/evaluate/work.ts";
import type { Expression, FunctionHeader } from "../../src/script/expression.ts";
import { expressionText } from "../../src/script/expression-text.ts";
import {
  compileScript,
  evaluateScript,
  parseScript,
  type ScriptEnvironment,
  type ScriptVerdict,
  scriptText,
  storedScript,
} from "../../src/script/index.ts";
import { nativeFunctions, objectTypes, userFunctionsOf } from "../../src/script/library/library.ts";
import { readExpression, writeExpression } from "../../src/script/serialization.ts";
import { transactionValue } from "../../src/script/values/transaction-value.ts";
import { unit, type Value } from "../../src/script/values/values.ts";
import { SeededRandom } from "../../src/testing/seeded-random.ts";
import { ProgramGenerator, randomTree } from "./script-programs.ts";

/** Exceptions that a well-typed program can raise: page 08 §14.1, §15.3, §15.4. */
const TYPED_EXCEPTION =
  /an implementation is missing|divide by zero|must have length 32|only objects have a field 'bytes'|com\.ltonetwork\.lang\.v1\.traits/;

/** Yields all nodes of a tree. */
function* nodesOf(root: Expression): Generator<Expression> {
  const pending = [root];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    yield node;
    if (node.kind === "if") pending.push(node.condition, node.whenTrue, node.whenFalse);
    else if (node.kind === "block") pending.push(node.value, node.body);
    else if (node.kind === "getter") pending.push(node.object);
    else if (node.kind === "call") pending.push(...node.arguments);
  }
}

/**
 * Maximum number of nodes that a run may visit: each node of the tree, and of the function bodies that it calls, once.
 */
function workOf(root: Expression, chainId: number): number {
  const body = (header: FunctionHeader) =>
    header.kind === "user" ? userFunctionsOf(chainId).get(header.name)?.body : undefined;
  let work = 0;
  for (const node of nodesOf(root)) {
    work++;
    const called = node.kind === "call" ? body(node.header) : undefined;
    if (called !== undefined) work += workOf(called, chainId);
  }
  return work;
}

/** Native functions whose results are not cached. */
const uncachedNatives = new Map(
  [...nativeFunctions].map(([id, native]) => [
    id,
    { ...native, isMemoized: false, apply: (args: readonly Value[]) => native.apply(args, new Equality()) },
  ]),
);

/** Runs a tree: it must end as the protocol says, with work linear in its nodes. */
function checkRun(expression: Expression, environment: ScriptEnvironment): ScriptVerdict {
  const { transaction, height, chainId } = environment;
  const context = {
    variables: new Map([
      ["tx", () => transactionValue(transaction)],
      ["height", () => BigInt(height)],
      ["unit", () => unit],
    ]),
    natives: nativeFunctions,
    users: userFunctionsOf(chainId),
    constructors: objectTypes,
  };
  const unbound = new ScriptWork();
  const result = evaluate(expression, { ...context, work: unbound });
  // Caching does not change the result.
  assert.deepEqual(evaluate(expression, { ...context, natives: uncachedNatives }), result);
  assert(result.steps <= workOf(expression, chainId), `${result.steps} steps`);
  logTexts(result.log);
  // A sufficient work limit does not change the result; a lower one has its own outcome.
  const verdict = evaluateScript({ expression }, { ...environment, work: new ScriptWork(unbound.used) });
  const less = evaluateScript({ expression }, { ...environment, work: new ScriptWork(unbound.used / 2) });
  assert.deepEqual(less, { outcome: "used up" });
  if ("isWorkUsedUp" in result)
    throw new assert.AssertionError({ message: "A script run without a work limit was stopped" });
  if ("exception" in result) {
    assert.deepEqual(verdict, { outcome: "exception", exception: result.exception });
  } else if ("error" in result) assert.equal(verdict.outcome, "error");
  else if (result.value === true) assert.equal(verdict.outcome, "allowed");
  else assert.equal(verdict.outcome, result.value === false ? "refused" : "exception");
  return verdict;
}

function withChecksum(content: Uint8Array): Uint8Array {
  return concatBytes(content, secureHash(content).subarray(0, 4));
}

/** Checks bytes that may be a script: parses them, compares the canonical form, and runs it. */
function checkBytes(bytes: Uint8Array, environment: ScriptEnvironment): void {
  let script: ReturnType<typeof parseScript>;
  try {
    script = parseScript(bytes);
  } catch (error) {
    assert(error instanceof ScriptParseError || error instanceof EmptyScriptError, String(error));
    return;
  }
  const again = parseScript(script.bytes);
  assert(bytesEqual(again.bytes, script.bytes));
  assert.equal(again.complexity, script.complexity);
  assert.equal(scriptText(storedScript(script.bytes)), scriptText(script));
  checkRun(script.expression, environment);
}

function mutated(bytes: Uint8Array, random: SeededRandom): Uint8Array {
  const out = [...bytes];
  for (let i = random.below(4); i >= 0; i--) {
    const at = random.below(out.length);
    const [byte] = random.bytes(1);
    if (random.chance(70)) out[at] = random.chance(50) ? byte % 11 : byte;
    else if (random.chance(50)) out.splice(at, 1 + random.below(4));
    else out.splice(at, 0, byte);
    if (out.length === 0) out.push(byte);
  }
  return Uint8Array.from(out);
}

const SNIPPETS = [
  "(",
  ")",
  "{",
  "}",
  "[",
  "]",
  '"',
  "'",
  "base58'",
  "let ",
  "if ",
  "then ",
  "match ",
  "case ",
  "=>",
  "\n",
  "#",
  ".",
  "-",
  "!",
  "1",
  "x",
  ",",
  ";",
  "|",
  "\u00e9",
  "{-#",
];

function mutatedText(text: string, random: SeededRandom): string {
  let out = text;
  for (let i = random.below(4); i >= 0; i--) {
    const at = random.below(out.length + 1);
    out = out.slice(0, at) + random.pick([...SNIPPETS, ""]) + out.slice(at + random.below(6));
  }
  return out;
}

/** The outcome of a case's well-typed program. */
export type CaseOutcome = ScriptVerdict["outcome"] | "over a limit";

/** Checks all properties for the scripts of a seed. @throws AssertionError if one does not hold */
export function checkScripts(seed: number, environment: ScriptEnvironment): CaseOutcome {
  const random = new SeededRandom(seed);
  const source = new ProgramGenerator(random).program(2 + random.below(60));
  const outcome = checkSource(source, environment);
  compileScript(mutatedText(source, random));

  const tree = randomTree(random, 1 + random.below(80));
  const bytes = writeExpression(tree);
  const read = readExpression(bytes);
  assert(bytesEqual(writeExpression(read), bytes));
  expressionText(tree);
  checkRun(tree, environment);
  const script = withChecksum(concatBytes(Uint8Array.of(1), bytes));
  checkBytes(script, environment);
  checkBytes(withChecksum(concatBytes(Uint8Array.of(1), mutated(bytes, random))), environment);
  checkBytes(mutated(script, random), environment);
  checkBytes(random.bytes(random.below(200)), environment);
  checkBytes(withChecksum(concatBytes(Uint8Array.of(1), random.bytes(random.below(200)))), environment);
  return outcome;
}

/**
 * Compiles a well-typed program to bytes and parses it, which must give the same bytes. Its run raises no type errors.
 */
function checkSource(source: string, environment: ScriptEnvironment): CaseOutcome {
  const result = compileScript(source);
  if (!result.ok) {
    assert.match(result.error, /^Script is too (complex|large)/, source);
    return "over a limit";
  }
  const { value: script } = result;
  const read = parseScript(script.bytes);
  assert(bytesEqual(read.bytes, script.bytes), source);
  assert.equal(read.complexity, script.complexity, source);
  // A lone surrogate is encoded as a question mark.
  assert(bytesEqual(encodeUtf8(scriptText(read)), encodeUtf8(scriptText(script))), source);
  const verdict = checkRun(script.expression, environment);
  if (verdict.outcome === "exception") assert.match(verdict.exception, TYPED_EXCEPTION, source);
  // So the parsed program may behave differently, but it must end.
  checkRun(read.expression, environment);
  checkBytes(mutated(script.bytes, new SeededRandom(source.length)), environment);
  return verdict.outcome;
}

/** Page 08 §2 to §8, §11. */

import { SHORT_ESCAPES } from "../../bytes/json.ts";
import { failed, ok, type Result } from "../../errors/result.ts";
import { ScriptCompileError, ScriptParseError } from "../errors.ts";
import type { FunctionHeader } from "../expression.ts";
import { NATIVE_FUNCTIONS } from "../library/native-functions.ts";
import { userFunctions } from "../library/user-functions.ts";
import { createScript, type Script } from "../script.ts";
import { programText } from "../text/directives.ts";
import { program } from "../text/grammar.ts";
import { NestingError, parse } from "../text/peg.ts";
import type { Node } from "../text/syntax.ts";
import { OBJECT_TYPES, TRANSACTION_TYPES, TX_TYPE } from "../values/object-types.ts";
import {
  BOOLEAN,
  BYTES,
  INT,
  type ObjectType,
  STRING,
  sameType,
  type Type,
  UNIT,
  unionOf,
} from "../values/types.ts";
import { type Compiled, type CompilerContext, compileNode, type Signature } from "./compile-node.ts";

/** Error messages list overloads in this order. */
export const FUNCTIONS: ReadonlyMap<string, readonly Signature[]> = (() => {
  const functions = new Map<string, readonly Signature[]>();
  const add = (name: string, header: FunctionHeader, { parameters, result }: Omit<Signature, "header">) =>
    functions.set(name, [...(functions.get(name) ?? []), { header, parameters, result }]);
  for (const native of NATIVE_FUNCTIONS) add(native.name, { kind: "native", id: native.id }, native);
  // Signatures do not depend on the chain.
  for (const user of userFunctions(0)) add(user.name, { kind: "user", name: user.internalName }, user);
  return functions;
})();

export const FULL_CONTEXT: CompilerContext = {
  types: new Map<string, Type>(
    [...OBJECT_TYPES, UNIT, INT, BOOLEAN, BYTES, STRING].map((type) => [type.name, type]),
  ),
  variables: new Map<string, Type>([
    ["height", INT],
    ["tx", TX_TYPE],
    ["unit", UNIT],
  ]),
  functions: FUNCTIONS,
};

function contextWith(extraTypes: readonly ObjectType[]): CompilerContext {
  if (extraTypes.length === 0) return FULL_CONTEXT;
  const { types, variables } = FULL_CONTEXT;
  return {
    types: new Map([...types, ...extraTypes.map((type) => [type.name, type] as const)]),
    variables: new Map([...variables, ["tx", unionOf(...TRANSACTION_TYPES, ...extraTypes)]]),
    functions: FUNCTIONS,
  };
}

const MAX_QUOTED_LENGTH = 10;

function quoted(text: string): string {
  const characters = Array.from({ length: text.length }, (_, i) => {
    const code = text.charCodeAt(i);
    const escaped = code >= 0x20 && code <= 0x7e ? text[i] : `\\u${code.toString(16).padStart(4, "0")}`;
    return SHORT_ESCAPES.get(text[i]) ?? escaped;
  });
  return `"${characters.join("")}"`;
}

/** @throws ScriptCompileError with the error text of page 08 §5 */
export function parseProgram(text: string): Node {
  let result: ReturnType<typeof parse<Node>>;
  try {
    result = parse(program, text);
  } catch (error) {
    // The reference's error text for a stack overflow.
    if (error instanceof NestingError) throw new ScriptCompileError("Parsing failed: Unknown error");
    throw error;
  }
  if (result.ok) return result.value;
  const before = text.slice(0, result.index).split("\n");
  const position = `${before.length}:${(before.at(-1) ?? "").length + 1}`;
  const next = quoted(text.slice(result.index, result.index + MAX_QUOTED_LENGTH));
  throw new ScriptCompileError(`Failure(${result.label}:${position} ...${next})`);
}

/** @throws ScriptCompileError */
export function compileProgram(text: string, context: CompilerContext = FULL_CONTEXT): Compiled {
  return compileNode(parseProgram(text), context);
}

/** In UTF-16 units. */
export const MAX_SOURCE_LENGTH = 2 ** 17;

/**
 * Compiles like `/utils/script/compile`, in at most a few seconds. Page 08 §17.1.
 * @param extraTypes transaction types that scripts can match but not construct
 */
export function compileScript(
  source: string,
  extraTypes: readonly ObjectType[] = [],
): Result<Script, string> {
  if (source.length > MAX_SOURCE_LENGTH) {
    return failed(`Script is too large: ${source.length} characters > ${MAX_SOURCE_LENGTH} characters`);
  }
  try {
    const { expression, type } = compileProgram(programText(source), contextWith(extraTypes));
    return sameType(type, BOOLEAN) ? ok(createScript(expression)) : failed("Script should return boolean");
  } catch (error) {
    if (error instanceof ScriptCompileError || error instanceof ScriptParseError)
      return failed(error.message);
    throw error;
  }
}

/** What a native function is, and how most of them are made. Page 08 §13, §14.1. */
import { ScriptException, ScriptRunError } from "../errors.ts";
import type { Equality } from "../evaluate/equality.ts";
import { BOOLEAN, BYTES, INT, LIST_OF_T, type ParameterType, STRING, T } from "../values/types.ts";
import { isList, ObjectValue, OpaqueValue, typeNameOf, unit, type Value } from "../values/values.ts";

export interface NativeFunction {
  readonly id: number;
  readonly name: string;
  readonly cost: number;
  readonly parameters: readonly (readonly [name: string, type: ParameterType])[];
  readonly result: ParameterType;
  /** Whether its work grows with its arguments, so that what it gave is worth remembering. */
  readonly isMemoized: boolean;
  /** Work of a call whatever its arguments, and of each byte and each unit of a text among them (`ScriptWork`). */
  readonly work: Work;
  /**
   * Applies it. Compiled source hands in what the parameters say; bytes can hand in anything.
   * @param equality what the run found about values that it compared
   * @throws ScriptRunError, or ScriptException where the reference does not make it a script error
   */
  apply(args: readonly Value[], equality: Equality): Value;
}

/** Units of work. */
interface Work {
  readonly perCall: number;
  readonly perByte: number;
}

/** What takes no time to speak of. */
const CHEAP: Work = { perCall: 200, perByte: 0 };

/** Work of a call. */
export function workOf({ work }: NativeFunction, args: readonly Value[]): number {
  let units = work.perCall;
  if (work.perByte === 0) return units;
  for (const arg of args)
    if (typeof arg === "string" || arg instanceof Uint8Array) units += work.perByte * arg.length;
  return units;
}

/** Byte strings made by joining: the reference's message for a wrong kind of argument names another class then. */
export const joinedByteVectors = new WeakSet<Uint8Array>();

function className(value: Value): string {
  if (value === unit) return "scala.runtime.BoxedUnit";
  if (isList(value)) return "scala.collection.immutable.Vector";
  if (value instanceof ObjectValue) return "com.ltonetwork.lang.v1.evaluator.ctx.CaseObj";
  if (value instanceof OpaqueValue) return `com.ltonetwork.lang.v1.traits.${value.kind}`;
  if (value instanceof Uint8Array)
    return `scodec.bits.ByteVector$Chunk${joinedByteVectors.has(value) ? "s" : ""}`;
  return typeof value === "string" ? "java.lang.String" : "java.lang.Boolean";
}

/** What the reference's runtime says of a value that should be an Int. */
function castText(value: Value): string {
  const name = className(value);
  const message = `class ${name} cannot be cast to class java.lang.Long`;
  return name.startsWith("java.")
    ? `${message} (${name} and java.lang.Long are in module java.base of loader 'bootstrap')`
    : `${message} (${name} is in unnamed module of loader 'app'; java.lang.Long is in module java.base of loader 'bootstrap')`;
}

/** The kinds a parameter can have here. */
interface Kinds {
  Int: bigint;
  Boolean: boolean;
  String: string;
  ByteVector: Uint8Array;
  List: readonly Value[];
  Any: Value;
}
export type Kind = keyof Kinds;

const types: Record<Kind, ParameterType> = {
  Int: INT,
  Boolean: BOOLEAN,
  String: STRING,
  ByteVector: BYTES,
  List: LIST_OF_T,
  Any: T,
};

function isKind(value: Value, kind: Kind): boolean {
  if (kind === "Any") return true;
  return kind === "List" ? isList(value) : typeNameOf(value) === kind;
}

type Parameters = readonly (readonly [name: string, kind: Kind])[];
type Arguments<P extends Parameters> = { -readonly [I in keyof P]: Kinds[P[I][1]] };

/** @throws ScriptException when number or kinds of the arguments are wrong */
export function checkArguments(name: string, kinds: readonly Kind[], args: readonly Value[]): void {
  if (args.length === kinds.length && args.every((arg, i) => isKind(arg, kinds[i]))) return;
  const found = args.map((arg) => typeNameOf(arg) ?? className(arg)).join(", ");
  throw new ScriptException(`java.lang.Exception: Can't apply (${found}) to '${name}'`);
}

/** A cheap function that checks its arguments itself. */
export function uncheckedNative(
  id: number,
  name: string,
  cost: number,
  parameters: NativeFunction["parameters"],
  result: ParameterType,
  apply: NativeFunction["apply"],
): NativeFunction {
  return { id, name, cost, parameters, result, apply, isMemoized: false, work: CHEAP };
}

/** Two parameters of one type or kind. */
export function pairOf<T>(type: T): readonly [readonly ["a", T], readonly ["b", T]] {
  return [
    ["a", type],
    ["b", type],
  ];
}

/** A function that fails with an exception when number or kinds of the arguments are wrong. */
export function native<const P extends Parameters>(
  id: number,
  name: string,
  cost: number,
  parameters: P,
  result: ParameterType,
  body: (...args: Arguments<P>) => Value,
): NativeFunction {
  const kinds = parameters.map(([, kind]) => kind);
  const typed = parameters.map(([parameter, kind]) => [parameter, types[kind]] as const);
  return uncheckedNative(id, name, cost, typed, result, (args) => {
    checkArguments(name, kinds, args);
    // The kinds were just checked one by one, which the type system cannot follow.
    return body(...(args as unknown as Arguments<P>));
  });
}

/** A function with the work that it takes, for each call and for each byte. */
export function withWork(perCall: number, perByte: number, callee: NativeFunction): NativeFunction {
  return { ...callee, work: { perCall, perByte } };
}

/** A function with the work that it takes, whose results are cached for the rest of the run. */
export function memoized(perCall: number, perByte: number, callee: NativeFunction): NativeFunction {
  return { ...withWork(perCall, perByte, callee), isMemoized: true };
}

/** Arithmetic whose wrong kinds of arguments are a script error with the text of a cast. */
export function arithmetic(id: number, name: string, body: (a: bigint, b: bigint) => bigint): NativeFunction {
  return uncheckedNative(id, name, 1, pairOf(INT), INT, (args) => {
    if (args.length !== 2) {
      throw new ScriptException(`java.lang.Exception: Can't apply ${args.length} arguments to '${name}'`);
    }
    const [a, b] = args;
    if (typeof a !== "bigint") throw new ScriptRunError(castText(a));
    if (typeof b !== "bigint") throw new ScriptRunError(castText(b));
    return body(a, b);
  });
}

/** Page 08 §13, §14.1. */
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
  /** True if `CallCache` keeps results. */
  readonly isMemoized: boolean;
  /** Work units per call, and per byte or UTF-16 unit of the arguments. */
  readonly work: Work;
  /**
   * Must check its arguments: compiled source passes valid ones, script bytes can pass any.
   * @throws ScriptRunError, or ScriptException where the reference does not report a script error
   */
  apply(args: readonly Value[], equality: Equality): Value;
}

interface Work {
  readonly perCall: number;
  readonly perByte: number;
}

const CHEAP: Work = { perCall: 200, perByte: 0 };

export function workOf({ work }: NativeFunction, args: readonly Value[]): number {
  let units = work.perCall;
  if (work.perByte === 0) return units;
  for (const arg of args)
    if (typeof arg === "string" || arg instanceof Uint8Array) units += work.perByte * arg.length;
  return units;
}

/** Concatenated byte strings, which have another class name in the reference's errors. */
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

/** The reference's error for an operand that is not an Int. */
function castErrorText(value: Value): string {
  const name = className(value);
  const message = `class ${name} cannot be cast to class java.lang.Long`;
  return name.startsWith("java.")
    ? `${message} (${name} and java.lang.Long are in module java.base of loader 'bootstrap')`
    : `${message} (${name} is in unnamed module of loader 'app'; java.lang.Long is in module java.base of loader 'bootstrap')`;
}

interface ValueByKind {
  Int: bigint;
  Boolean: boolean;
  String: string;
  ByteVector: Uint8Array;
  List: readonly Value[];
  Any: Value;
}
export type Kind = keyof ValueByKind;

const typeByKind: Record<Kind, ParameterType> = {
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
type Arguments<P extends Parameters> = { -readonly [I in keyof P]: ValueByKind[P[I][1]] };

/** @throws ScriptException for a wrong number or kinds of arguments */
export function checkArguments(name: string, kinds: readonly Kind[], args: readonly Value[]): void {
  if (args.length === kinds.length && args.every((arg, i) => isKind(arg, kinds[i]))) return;
  const found = args.map((arg) => typeNameOf(arg) ?? className(arg)).join(", ");
  throw new ScriptException(`java.lang.Exception: Can't apply (${found}) to '${name}'`);
}

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

export function twoParameters<T>(type: T): readonly [readonly ["a", T], readonly ["b", T]] {
  return [
    ["a", type],
    ["b", type],
  ];
}

/** Defines a function that checks its arguments. */
export function native<const P extends Parameters>(
  id: number,
  name: string,
  cost: number,
  parameters: P,
  result: ParameterType,
  body: (...args: Arguments<P>) => Value,
): NativeFunction {
  const kinds = parameters.map(([, kind]) => kind);
  const typed = parameters.map(([parameter, kind]) => [parameter, typeByKind[kind]] as const);
  return uncheckedNative(id, name, cost, typed, result, (args) => {
    checkArguments(name, kinds, args);
    // `checkArguments` checked the kinds, which TypeScript cannot infer.
    return body(...(args as unknown as Arguments<P>));
  });
}

export function withWork(perCall: number, perByte: number, callee: NativeFunction): NativeFunction {
  return { ...callee, work: { perCall, perByte } };
}

export function memoized(perCall: number, perByte: number, callee: NativeFunction): NativeFunction {
  return { ...withWork(perCall, perByte, callee), isMemoized: true };
}

/** Defines a function of two Ints; other types are a script error. */
export function arithmetic(id: number, name: string, body: (a: bigint, b: bigint) => bigint): NativeFunction {
  return uncheckedNative(id, name, 1, twoParameters(INT), INT, (args) => {
    if (args.length !== 2) {
      throw new ScriptException(`java.lang.Exception: Can't apply ${args.length} arguments to '${name}'`);
    }
    const [a, b] = args;
    if (typeof a !== "bigint") throw new ScriptRunError(castErrorText(a));
    if (typeof b !== "bigint") throw new ScriptRunError(castErrorText(b));
    return body(a, b);
  });
}

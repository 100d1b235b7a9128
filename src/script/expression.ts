/**
 * Page 08 §9. Immutable. Valid scripts nest up to about 2,730 levels deep: do not recurse on the call stack (see
 * `runTask`).
 */
export type Expression =
  /** A signed 64-bit integer. */
  | { readonly kind: "long"; readonly value: bigint }
  | { readonly kind: "bytes"; readonly value: Uint8Array }
  /** UTF-16 units, including lone surrogates. */
  | { readonly kind: "string"; readonly value: string }
  | { readonly kind: "boolean"; readonly value: boolean }
  | {
      readonly kind: "if";
      readonly condition: Expression;
      readonly whenTrue: Expression;
      readonly whenFalse: Expression;
    }
  /** `let name = value; body`. The value is computed on first use. */
  | { readonly kind: "block"; readonly name: string; readonly value: Expression; readonly body: Expression }
  | { readonly kind: "ref"; readonly name: string }
  | { readonly kind: "getter"; readonly object: Expression; readonly field: string }
  | FunctionCall;

export interface FunctionCall {
  readonly kind: "call";
  readonly header: FunctionHeader;
  readonly arguments: readonly Expression[];
}

export type FunctionHeader =
  | { readonly kind: "native"; readonly id: number }
  | { readonly kind: "user"; readonly name: string };

export const TRUE: Expression = { kind: "boolean", value: true };
export const FALSE: Expression = { kind: "boolean", value: false };

/** Formats `Native(100)` or `User(throw)`. Page 08 §9. */
export function headerText(header: FunctionHeader): string {
  return header.kind === "native" ? `Native(${header.id})` : `User(${header.name})`;
}

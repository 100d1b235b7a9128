/** Source trees, before names and types are resolved. Page 08 §4. */

/** UTF-16 indices; `end` is exclusive. */
export interface Position {
  readonly start: number;
  readonly end: number;
}

/** A name, type or literal, or the error message if it is invalid. */
export type Part<T> =
  | { readonly position: Position; readonly value: T }
  | { readonly position: Position; readonly invalid: string };

export type BinaryOperator = "||" | "&&" | "==" | "!=" | ">" | ">=" | "+" | "-" | "*" | "/" | "%";

/** `invalid` nodes let parsing continue; compiling them reports the error. `a < b` is stored as `b > a`. */
export type Node = { readonly position: Position } & (
  | { readonly kind: "long"; readonly value: bigint }
  | { readonly kind: "bytes"; readonly part: Part<Uint8Array> }
  | { readonly kind: "string"; readonly part: Part<string> }
  | { readonly kind: "boolean"; readonly value: boolean }
  | { readonly kind: "ref"; readonly name: string }
  | { readonly kind: "call"; readonly name: Part<string>; readonly arguments: readonly Node[] }
  | { readonly kind: "getter"; readonly object: Node; readonly field: Part<string> }
  | {
      readonly kind: "binary";
      readonly left: Node;
      readonly operator: BinaryOperator;
      readonly right: Node;
    }
  | { readonly kind: "if"; readonly condition: Node; readonly whenTrue: Node; readonly whenFalse: Node }
  | { readonly kind: "match"; readonly subject: Node; readonly cases: readonly Case[] }
  | { readonly kind: "block"; readonly declaration: Let; readonly body: Node }
  | { readonly kind: "invalid"; readonly message: string }
);

export interface Let {
  readonly position: Position;
  readonly name: Part<string>;
  readonly value: Node;
}

export interface Case {
  readonly position: Position;
  /** Undefined for `_`. */
  readonly variable: Part<string> | undefined;
  readonly types: readonly Part<string>[];
  readonly expression: Node;
}

import { inspect } from "node:util";

const HIDDEN = "(hidden)";

/** Hides a value: all conversions to text return `(hidden)`. */
export class Secret<T> {
  readonly #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  reveal(): T {
    return this.#value;
  }

  toString(): string {
    return HIDDEN;
  }

  toJSON(): string {
    return HIDDEN;
  }

  [inspect.custom](): string {
    return HIDDEN;
  }
}

/** Path of a file with a secret, which `secret` (kinds.ts) reads once. */
export class SecretFile {
  readonly path: unknown;
  loaded: { readonly path: string; readonly content: string } | undefined;

  constructor(path: unknown) {
    this.path = path;
  }
}

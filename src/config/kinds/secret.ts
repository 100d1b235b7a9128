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

/** The path of a file that contains a secret. `secret` (kinds.ts) reads the file once. */
export class SecretFile {
  readonly path: unknown;
  loaded: { readonly path: string; readonly content: string } | undefined;

  constructor(path: unknown) {
    this.path = path;
  }
}

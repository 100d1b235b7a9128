import { inspect } from "node:util";

const HIDDEN = "(hidden)";

/** Each conversion to text returns `(hidden)`, so that the secret cannot leak into logs or errors. */
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

/** A secret in a file. The kind reads the file once. */
export class SecretFile {
  readonly path: unknown;
  found: { readonly path: string; readonly content: string } | undefined;

  constructor(path: unknown) {
    this.path = path;
  }
}

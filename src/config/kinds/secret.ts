import { inspect } from "node:util";

const HIDDEN = "(hidden)";

/** A secret. Each conversion to text returns `(hidden)`, so that the value cannot leak into logs or errors. */
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

/** A secret that is the content of a file, as in secrets of containers. The kind reads the file once. */
export class SecretFile {
  readonly path: unknown;
  /** Undefined until the file was read. */
  found: { readonly path: string; readonly content: string } | undefined;

  constructor(path: unknown) {
    this.path = path;
  }
}

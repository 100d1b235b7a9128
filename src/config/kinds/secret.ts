import { inspect } from "node:util";

const HIDDEN = "(hidden)";

/** Holds a secret. Every conversion to text gives `(hidden)`, so that it cannot leak into a log or an error. */
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

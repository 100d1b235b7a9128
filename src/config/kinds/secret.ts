/** A value that must not reach a log, a page or an error text by accident. */
import { inspect } from "node:util";

const HIDDEN = "(hidden)";

/** Holds a secret; every way of turning it into text gives `(hidden)`. Ask for it with `reveal`. */
export class Secret<T> {
  readonly #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  /** The secret itself. */
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

import type { ControlFailure, Outcome } from "../interfaces.ts";

/** It was done. */
export function done<T>(value: T): Outcome<T> {
  return { ok: true, value };
}

/** It was not. */
export function failed(failure: ControlFailure): { readonly ok: false; readonly failure: ControlFailure } {
  return { ok: false, failure };
}

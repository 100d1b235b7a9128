/** The one way to refuse: what can fail for a reason that its caller must know gives a `Result`. */

/**
 * A value, or why there is none. The error is plain data or a value of the protocol, with its code and text where it
 * has one. Bugs and failed disks are exceptions (`BaseError`), never results.
 */
export type Result<T, E> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: E };

/** A result with a value. */
export function ok<const T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value };
}

/** A result without one. */
export function failed<const E>(error: E): { readonly ok: false; readonly error: E } {
  return { ok: false, error };
}

/**
 * Return type of functions that can fail for a reason that the caller must handle. Bugs and disk failures are
 * exceptions (`BaseError`), never results.
 */
export type Result<T, E> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: E };

export function ok<const T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value };
}

export function failed<const E>(error: E): { readonly ok: false; readonly error: E } {
  return { ok: false, error };
}

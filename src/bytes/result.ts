/** What came of something that may be refused for reasons that callers expect. Faults are exceptions. */
export type Result<T, E> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: E };

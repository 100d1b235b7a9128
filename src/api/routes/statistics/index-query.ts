/** Query parameters of index routes. No recording fixes these texts. */
import { ApiError } from "../../../http/errors.ts";
import type { CursorCodec } from "../../lists/cursors.ts";
import { parseCursor } from "../../lists/pages.ts";
import type { ReadCall } from "../../route.ts";

/** `{"error": text}` with status 400. Page 07 §3.2. */
export function indexError(text: string): ApiError {
  return new ApiError({ status: 400, body: { error: text } });
}

export const MAX_OFFSET = 2 ** 31 - 1;

/** Parses a whole number of the query. @throws ApiError 400 that names the parameter */
export function parseCount(
  call: ReadCall,
  name: string,
  { standard, most }: { readonly standard: number; readonly most: number },
): number {
  const text = call.query(name);
  if (text === undefined) return standard;
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value <= most)) throw indexError(`${name}: must be a whole number, at most ${most}`);
  return value;
}

/** Parses the query parameter `cursor` of an index route. @throws ApiError 400 */
export function parseIndexCursor<Position>(
  call: ReadCall,
  codec: CursorCodec<Position>,
): Position | undefined {
  return parseCursor(call, codec, () => indexError("invalid cursor given"));
}

import { ApiError } from "../../../http/errors.ts";
import type { ListPage } from "../../../interfaces.ts";
import type { CursorCodec } from "../../lists/cursors.ts";
import { MAX_OFFSET, type PageSizes, parseCursor } from "../../lists/pages.ts";
import type { ReadCall } from "../../route.ts";

/** The body is `{"error": text}`. Page 07 §3.2. */
export function indexError(text: string, status = 400): ApiError {
  return new ApiError({ status, body: { error: text } });
}

/** For the `format` of a list. */
export const refuseFormat = (): ApiError => indexError("format: must be csv or json");

/** @throws ApiError 400 that names the parameter */
export function parseCount(call: ReadCall, name: string, { fallback, max }: PageSizes): number {
  const text = call.query(name);
  if (text === undefined) return fallback;
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value <= max)) throw indexError(`${name}: must be a whole number, at most ${max}`);
  return value;
}

/** @throws ApiError 400 that names the parameter */
export function parseIndexPage<Position>(
  call: ReadCall,
  codec: CursorCodec<Position>,
  sizes: PageSizes,
): ListPage<Position> {
  const limit = parseCount(call, "limit", sizes);
  const offset = parseCount(call, "offset", { fallback: 0, max: MAX_OFFSET });
  return { limit, offset, after: parseIndexCursor(call, codec) };
}

/** @throws ApiError 400 */
export function parseIndexCursor<Position>(
  call: ReadCall,
  codec: CursorCodec<Position>,
): Position | undefined {
  return parseCursor(call, codec, () => indexError("invalid cursor given"));
}

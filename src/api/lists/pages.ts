import Type from "typebox";
import { type JsonOut, printJson } from "../../bytes/json.ts";
import { POSITION_HEADER } from "../../http/access/cors.ts";
import { ApiError, failure } from "../../http/errors.ts";
import { mapLazily, printList } from "../../http/responses/chunked-json.ts";
import { jsonChunksReply, Reply } from "../../http/responses/reply.ts";
import type { ChainSnapshot, ChainTransaction, ListPage, ListPosition } from "../../interfaces.ts";
import type { ReadCall } from "../route.ts";
import type { CursorCodec } from "./cursors.ts";

const NEXT_CURSOR = "x-next-cursor";

/** @throws the result of `refuse` for an invalid cursor */
export function parseCursor<Position>(
  call: ReadCall,
  codec: CursorCodec<Position>,
  refuse = (): Error => invalidParameter("cursor"),
): Position | undefined {
  const text = call.query("cursor");
  if (text === undefined || text === "") return undefined;
  const position = codec.decode(text);
  if (position === undefined) throw refuse();
  return position;
}

const MAX_PAGE_SIZE = 10_000;
export const MAX_OFFSET = 2_147_483_647;

/** Returns undefined if the request asks for the whole list. */
export function parsePage<Position>(
  call: ReadCall,
  codec: CursorCodec<Position>,
  refuse: (name: string) => Error,
  max = MAX_PAGE_SIZE,
): ListPage<Position> | undefined {
  const [limitText, offsetText] = [call.query("limit"), call.query("offset")];
  const after = parseCursor(call, codec, () => refuse("cursor"));
  if (limitText === undefined && offsetText === undefined && after === undefined) return undefined;
  const limit = limitText === undefined ? max : parseWholeNumber(limitText);
  if (!(limit >= 1 && limit <= max)) throw refuse("limit");
  const offset = offsetText === undefined ? 0 : parseWholeNumber(offsetText);
  if (!(offset <= MAX_OFFSET)) throw refuse("offset");
  return { after, offset, limit };
}

function parseWholeNumber(text: string): number {
  return /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
}

export interface PageSizes {
  readonly fallback: number;
  readonly max: number;
}

export const PAGE_SIZE: PageSizes = { fallback: 100, max: 1_000 };

/** @throws ApiError 400 */
export function parseLimit(call: ReadCall, { fallback, max }: PageSizes): number {
  const text = call.query("limit");
  const limit = text === undefined ? fallback : parseWholeNumber(text);
  if (!(limit >= 1 && limit <= max)) throw invalidParameter("limit");
  return limit;
}

export function invalidParameter(name: string): ApiError {
  return new ApiError(failure(400, 400, `invalid ${name}`));
}

/** Asks for one more element, to see if there is another page. */
export function withOneMore<T extends { readonly limit: number }>(page: T): T {
  return page.limit === 0 ? page : { ...page, limit: page.limit + 1 };
}

/**
 * Returns the page, and the cursor of the next one.
 * @param found has one more element than the page if the list continues
 */
export function pageOf<T, Position>(
  found: readonly T[],
  page: { readonly limit: number } | undefined,
  codec: CursorCodec<Position>,
  positionOf: (one: T) => Position,
): { readonly shown: readonly T[]; readonly next: string | undefined } {
  if (page === undefined || found.length <= page.limit) return { shown: found, next: undefined };
  const shown = found.slice(0, page.limit);
  const last = shown.at(-1);
  return { shown, next: last === undefined ? undefined : codec.encode(positionOf(last)) };
}

export function answerList<T, Position>(
  call: ReadCall,
  codec: CursorCodec<Position>,
  find: (chain: ChainSnapshot, page: ListPage<Position> | undefined) => readonly T[],
  positionOf: (one: T) => Position,
  json: (one: T) => JsonOut,
): Reply {
  const page = parsePage(call, codec, invalidParameter);
  return call.read((chain) => {
    const { shown, next } = pageOf(find(chain, page && withOneMore(page)), page, codec, positionOf);
    return listReply(call, mapLazily(shown, json), next);
  });
}

export function listReply(
  call: ReadCall,
  rows: Iterable<JsonOut>,
  next: string | undefined,
  open?: "[" | "[[",
): Reply {
  return jsonChunksReply(printList(rows, open), pageHeaders(call, next));
}

export function pageReply(
  call: ReadCall,
  json: JsonOut,
  next: string | undefined,
  more?: Readonly<Record<string, string>>,
): Reply {
  return new Reply({ body: printJson(json), headers: pageHeaders(call, next, more) });
}

export function transactionPosition({ transaction, height, position }: ChainTransaction): ListPosition {
  return { timestamp: transaction.timestamp, height, position };
}

export function pageHeaders(
  call: ReadCall,
  next: string | undefined,
  more: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const headers = next === undefined ? more : { ...more, [NEXT_CURSOR]: next };
  if (Object.keys(headers).length === 0) return headers;
  const names = [...Object.keys(headers), POSITION_HEADER].map(inTitleCase);
  return {
    ...headers,
    ...(call.info.cors && { "access-control-expose-headers": names.join(", ") }),
  };
}

function inTitleCase(name: string): string {
  return name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());
}

const CURSOR_DESCRIPTION = "`X-Next-Cursor` of the previous page.";

export function limitParameters<Position>(codec: CursorCodec<Position>, minimum = 1) {
  return {
    limit: Type.Integer({ minimum, maximum: PAGE_SIZE.max, examples: [10] }),
    cursor: cursorParameter(codec),
  };
}

export function cursorParameter<Position>(codec: CursorCodec<Position>) {
  return Type.String({ description: CURSOR_DESCRIPTION, examples: [codec.encode(codec.example)] });
}

export function cursorWithOffsetParameter<Position>(codec: CursorCodec<Position>) {
  return Type.String({
    description: `${CURSOR_DESCRIPTION} An offset counts from the cursor's position.`,
    examples: [codec.encode(codec.example)],
  });
}

export function pageParameters<Position>(codec: CursorCodec<Position>, max = MAX_PAGE_SIZE, minimum = 1) {
  return {
    limit: Type.Integer({ minimum, maximum: max, examples: [10] }),
    offset: Type.Integer({ minimum: 0, maximum: MAX_OFFSET, examples: [0] }),
    cursor: cursorWithOffsetParameter(codec),
  };
}

export const NextCursorHeader = {
  "X-Next-Cursor": {
    description: "`cursor` of the next page; absent on the last page.",
    schema: Type.String(),
  },
} as const;

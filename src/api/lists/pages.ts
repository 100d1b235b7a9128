/** Pages of lists: what a query asks for, what is shown of a list, and how the answer names the next page. */
import Type from "typebox";
import type { JsonOut } from "../../bytes/json.ts";
import { ApiError, failure } from "../../http/errors.ts";
import { mapLazily, printList } from "../../http/responses/chunked-json.ts";
import { printedChunks, type Reply } from "../../http/responses/reply.ts";
import type { ChainSnapshot, ChainTransaction, ListPage, ListPosition } from "../../interfaces.ts";
import type { ReadCall } from "../route.ts";
import type { CursorCodec } from "./cursors.ts";

/** Names the cursor of the next page; absent behind the last one. */
const NEXT_CURSOR = "x-next-cursor";

/** The place to go on from. @throws what `refuse` gives for a text that is no cursor of the list */
export function parseCursor<Place>(
  call: ReadCall,
  form: CursorCodec<Place>,
  refuse: () => Error,
): Place | undefined {
  const text = call.query("cursor");
  if (text === undefined || text === "") return undefined;
  const place = form.decode(text);
  if (place === undefined) throw refuse();
  return place;
}

/** Most elements of a page of a list that is answered whole otherwise, and how many there are where no limit is given. */
const MAX_PAGE = 10_000;
const INT32_MAX = 2_147_483_647;

/**
 * Which part is asked for of a list that is answered whole otherwise; undefined: all of it.
 * @param refuse what to throw for the parameter of a name
 */
export function parsePage<Place>(
  call: ReadCall,
  form: CursorCodec<Place>,
  refuse: (name: string) => Error,
  most = MAX_PAGE,
): ListPage<Place> | undefined {
  const [limitText, offsetText] = [call.query("limit"), call.query("offset")];
  const after = parseCursor(call, form, () => refuse("cursor"));
  if (limitText === undefined && offsetText === undefined && after === undefined) return undefined;
  const limit = limitText === undefined ? most : parseWholeNumber(limitText);
  if (!(limit >= 1 && limit <= most)) throw refuse("limit");
  const offset = offsetText === undefined ? 0 : parseWholeNumber(offsetText);
  if (!(offset <= INT32_MAX)) throw refuse("offset");
  return { after, offset, limit };
}

function parseWholeNumber(text: string): number {
  return /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
}

/** Elements of a page of most lists that are Holdfast's own: unless the request says, and at most. */
export const PAGE_SIZE = { standard: 100, most: 1_000 } as const;

/**
 * How many elements a page is to have, of a list that comes in pages always.
 * @throws ApiError 400
 */
export function parseLimit(
  call: ReadCall,
  { standard, most }: { readonly standard: number; readonly most: number },
): number {
  const text = call.query("limit");
  const limit = text === undefined ? standard : parseWholeNumber(text);
  if (!(limit >= 1 && limit <= most)) throw invalidParameter("limit");
  return limit;
}

/** Says in the manner of the node which parameter is not valid. */
export function invalidParameter(name: string): ApiError {
  return new ApiError(failure(400, 400, `invalid ${name}`));
}

/** A page with one element more than is shown, which tells whether there is another page. */
export function withOneMore<T extends { readonly limit: number }>(page: T): T {
  return page.limit === 0 ? page : { ...page, limit: page.limit + 1 };
}

/**
 * The part of a list that is shown, and the cursor behind it where the list goes on.
 * @param found with one element more than the page has, if there is one
 */
export function pageOf<T, Place>(
  found: readonly T[],
  page: ListPage<Place> | undefined,
  form: CursorCodec<Place>,
  place: (one: T) => Place,
): { readonly shown: readonly T[]; readonly next: string | undefined } {
  if (page === undefined || found.length <= page.limit) return { shown: found, next: undefined };
  const shown = found.slice(0, page.limit);
  const last = shown.at(-1);
  return { shown, next: last === undefined ? undefined : form.encode(place(last)) };
}

/**
 * Answers with a list that is whole unless the query asks for a page of it.
 * @param find reads the list, or its page
 * @param place of an element in the list
 */
export function answerList<T, Place>(
  call: ReadCall,
  form: CursorCodec<Place>,
  find: (chain: ChainSnapshot, page: ListPage<Place> | undefined) => readonly T[],
  place: (one: T) => Place,
  json: (one: T) => JsonOut,
): Reply {
  const page = parsePage(call, form, invalidParameter);
  return call.read((chain) => {
    const { shown, next } = pageOf(find(chain, page && withOneMore(page)), page, form, place);
    return printedChunks(printList(mapLazily(shown, json)), pageHeaders(call, next));
  });
}

/** Where a transaction stands in a list of such. */
export function transactionPosition({ transaction, height, position }: ChainTransaction): ListPosition {
  return { timestamp: transaction.timestamp, height, position };
}

/** The headers of a page. @param next undefined: it is the last one */
export function pageHeaders(
  call: ReadCall,
  next: string | undefined,
  more: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  if (next === undefined) return more;
  const names = [...Object.keys(more), NEXT_CURSOR].map(inTitleCase);
  return {
    ...more,
    [NEXT_CURSOR]: next,
    ...(call.info.cors && { "access-control-expose-headers": names.join(", ") }),
  };
}

/** As headers are written in descriptions: `X-Total`. */
function inTitleCase(name: string): string {
  return name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());
}

const BEHIND = "`X-Next-Cursor` of the page before, to have what stands behind it.";

/** The query of a list that always comes in pages and has no offset. @param minimum of the limit */
export function limitParameters<Place>(form: CursorCodec<Place>, minimum = 1) {
  return {
    limit: Type.Integer({ minimum, maximum: PAGE_SIZE.most, examples: [10] }),
    cursor: cursorParameter(form),
  };
}

/** The cursor of a query that has no offset. */
export function cursorParameter<Place>(form: CursorCodec<Place>) {
  return Type.String({ description: BEHIND, examples: [form.encode(form.example)] });
}

/** The cursor of a query that has an offset too. */
export function cursorWithOffsetParameter<Place>(form: CursorCodec<Place>) {
  return Type.String({
    description: `${BEHIND} An offset counts from there.`,
    examples: [form.encode(form.example)],
  });
}

/** The query of a list that is answered whole where it has none of these. */
export function pageParameters<Place>(form: CursorCodec<Place>, most = MAX_PAGE) {
  return {
    limit: Type.Integer({ minimum: 1, maximum: most, examples: [10] }),
    offset: Type.Integer({ minimum: 0, maximum: INT32_MAX, examples: [0] }),
    cursor: cursorWithOffsetParameter(form),
  };
}

export const NextCursorHeader = {
  "X-Next-Cursor": {
    description: "The `cursor` of the next page; absent when there is none.",
    schema: Type.String(),
  },
} as const;

/**
 * Going on in a list behind what was there last. A cursor is the place of an element in the order of its list, not a
 * number of elements: what comes or goes before it, by new blocks or by a fork, neither repeats nor leaves out any.
 */
import Type from "typebox";
import { ADDRESS_LENGTH } from "../crypto/addresses.ts";
import { ApiError, failure } from "../http/errors.ts";
import type {
  AddressListPlace,
  AssociationPlace,
  ChainTransaction,
  ListPage,
  ListPlace,
  UnitPosition,
} from "../interfaces.ts";
import type { ReadCall } from "./route.ts";

/** Names the cursor of the next page; absent behind the last one. */
const NEXT_CURSOR = "x-next-cursor";

/** First byte of a cursor: the list that it is of. */
const kinds = {
  transactions: 1,
  children: 2,
  parents: 3,
  dataEntries: 4,
  balances: 5,
  blocks: 6,
  outgoing: 7,
  incoming: 8,
  statements: 9,
  forgers: 10,
  generators: 11,
  newest: 12,
  sponsored: 13,
  units: 14,
  roleHolders: 15,
  versions: 16,
} as const;
type Kind = keyof typeof kinds;

/** Bytes of the longest place: the key of a data entry, of 100 characters. */
const MAX_PLACE_BYTES = 200;

function cursorOf(kind: Kind, place: Uint8Array): string {
  return Buffer.concat([Uint8Array.of(kinds[kind]), place]).toString("base64url");
}

/** The bytes of a place in one of these lists; undefined: only what was written so is a cursor. */
function placeOf(text: string, ...of: readonly Kind[]): { readonly kind: Kind; bytes: Buffer } | undefined {
  if (text.length > 2 * MAX_PLACE_BYTES) return undefined;
  const bytes = Buffer.from(text, "base64url");
  const kind = of.find((one) => kinds[one] === bytes[0]);
  if (kind === undefined || bytes.toString("base64url") !== text) return undefined;
  return { kind, bytes: bytes.subarray(1) };
}

/** How the places of a list stand in cursors. */
export interface CursorForm<Place> {
  /** The cursor behind an element. */
  write(place: Place): string;
  /** The place that a cursor stands for; undefined: it is none of such a list. */
  read(text: string): Place | undefined;
}

/** A transaction: by its time, or where it stands in the chain, as the list has it. */
function listPlaceForm(kind: Kind): CursorForm<ListPlace> {
  return {
    write({ timestamp, height, position }) {
      const bytes = Buffer.alloc(16);
      bytes.writeBigInt64BE(timestamp, 0);
      bytes.writeUInt32BE(height, 8);
      bytes.writeUInt32BE(position, 12);
      return cursorOf(kind, bytes);
    },
    read(text) {
      const bytes = placeOf(text, kind)?.bytes;
      if (bytes?.length !== 16) return undefined;
      return {
        timestamp: bytes.readBigInt64BE(0),
        height: bytes.readUInt32BE(8),
        position: bytes.readUInt32BE(12),
      };
    },
  };
}

/** The height of a block. */
function heightForm(kind: Kind): CursorForm<number> {
  return {
    write(height) {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32BE(height);
      return cursorOf(kind, bytes);
    },
    read(text) {
      const bytes = placeOf(text, kind)?.bytes;
      return bytes?.length === 4 ? bytes.readUInt32BE(0) : undefined;
    },
  };
}

/** What stands at a height, by a number there. */
function numberedForm<Place extends { readonly height: number }>(
  kind: Kind,
  place: (height: number, number: number) => Place,
  numberOf: (place: Place) => number,
): CursorForm<Place> {
  return {
    write(one) {
      const bytes = Buffer.alloc(8);
      bytes.writeUInt32BE(one.height, 0);
      bytes.writeUInt32BE(numberOf(one), 4);
      return cursorOf(kind, bytes);
    },
    read(text) {
      const bytes = placeOf(text, kind)?.bytes;
      return bytes?.length === 8 ? place(bytes.readUInt32BE(0), bytes.readUInt32BE(4)) : undefined;
    },
  };
}

/** An account in an order by two numbers. */
function rankForm(kind: Kind): CursorForm<RankPlace> {
  return {
    write({ rank, next, address }) {
      const bytes = Buffer.alloc(16);
      bytes.writeBigInt64BE(rank, 0);
      bytes.writeBigInt64BE(next, 8);
      return cursorOf(kind, Buffer.concat([bytes, address]));
    },
    read(text) {
      const bytes = placeOf(text, kind)?.bytes;
      if (bytes?.length !== 16 + ADDRESS_LENGTH) return undefined;
      return {
        rank: bytes.readBigInt64BE(0),
        next: bytes.readBigInt64BE(8),
        address: Uint8Array.from(bytes.subarray(16)),
      };
    },
  };
}

/** Where an account stands in a list that begins with the highest rank; equal ones: with the highest of the next. */
export interface RankPlace {
  readonly rank: bigint;
  readonly next: bigint;
  readonly address: Uint8Array;
}

/** The cursors of each list. */
export const cursors = {
  transactions: listPlaceForm("transactions"),
  statements: listPlaceForm("statements"),
  sponsored: listPlaceForm("sponsored"),
  newest: numberedForm(
    "newest",
    (height, position) => ({ height, position }),
    ({ position }) => position,
  ),
  units: numberedForm(
    "units",
    (height, sequence): UnitPosition => ({ height, sequence }),
    ({ sequence }) => sequence,
  ),
  /** By the time at which they begin, ms. */
  versions: {
    write(time) {
      const bytes = Buffer.alloc(8);
      bytes.writeBigInt64BE(time);
      return cursorOf("versions", bytes);
    },
    read(text) {
      const bytes = placeOf(text, "versions")?.bytes;
      return bytes?.length === 8 ? bytes.readBigInt64BE() : undefined;
    },
  } satisfies CursorForm<bigint>,
  roleHolders: {
    write: (address) => cursorOf("roleHolders", address),
    read(text) {
      const bytes = placeOf(text, "roleHolders")?.bytes;
      return bytes?.length === ADDRESS_LENGTH ? Uint8Array.from(bytes) : undefined;
    },
  } satisfies CursorForm<Uint8Array>,
  balances: heightForm("balances"),
  blocks: heightForm("blocks"),
  forgers: rankForm("forgers"),
  generators: rankForm("generators"),
  addresses: {
    write: ({ list, address }) => cursorOf(list, address),
    read(text) {
      const found = placeOf(text, "children", "parents");
      if (found?.bytes.length !== ADDRESS_LENGTH) return undefined;
      return {
        list: found.kind === "children" ? "children" : "parents",
        address: Uint8Array.from(found.bytes),
      };
    },
  } satisfies CursorForm<AddressListPlace>,
  associations: {
    write({ list, height, position }) {
      const bytes = Buffer.alloc(8);
      bytes.writeUInt32BE(height, 0);
      bytes.writeUInt32BE(position, 4);
      return cursorOf(list, bytes);
    },
    read(text) {
      const found = placeOf(text, "outgoing", "incoming");
      if (found?.bytes.length !== 8) return undefined;
      return {
        list: found.kind === "outgoing" ? "outgoing" : "incoming",
        height: found.bytes.readUInt32BE(0),
        position: found.bytes.readUInt32BE(4),
      };
    },
  } satisfies CursorForm<AssociationPlace>,
  dataEntries: {
    write: (key) => cursorOf("dataEntries", Buffer.from(key, "utf16le")),
    read(text) {
      const bytes = placeOf(text, "dataEntries")?.bytes;
      return bytes && bytes.length % 2 === 0 ? bytes.toString("utf16le") : undefined;
    },
  } satisfies CursorForm<string>,
};

/** The place to go on from. @throws what `refuse` gives for a text that is no cursor of the list */
export function cursorQuery<Place>(
  call: ReadCall,
  form: CursorForm<Place>,
  refuse: () => Error,
): Place | undefined {
  const text = call.query("cursor");
  if (text === undefined || text === "") return undefined;
  const place = form.read(text);
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
export function pageQuery<Place>(
  call: ReadCall,
  form: CursorForm<Place>,
  refuse: (name: string) => Error,
  most = MAX_PAGE,
): ListPage<Place> | undefined {
  const [limitText, offsetText] = [call.query("limit"), call.query("offset")];
  const after = cursorQuery(call, form, () => refuse("cursor"));
  if (limitText === undefined && offsetText === undefined && after === undefined) return undefined;
  const limit = limitText === undefined ? most : wholeNumber(limitText);
  if (!(limit >= 1 && limit <= most)) throw refuse("limit");
  const offset = offsetText === undefined ? 0 : wholeNumber(offsetText);
  if (!(offset <= INT32_MAX)) throw refuse("offset");
  return { after, offset, limit };
}

function wholeNumber(text: string): number {
  return /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
}

/** Elements of a page of most lists that are Holdfast's own: unless the request says, and at most. */
export const PAGE_SIZE = { standard: 100, most: 1_000 } as const;

/**
 * How many elements a page is to have, of a list that comes in pages always.
 * @throws ApiError 400
 */
export function limitQuery(
  call: ReadCall,
  { standard, most }: { readonly standard: number; readonly most: number },
): number {
  const text = call.query("limit");
  const limit = text === undefined ? standard : wholeNumber(text);
  if (!(limit >= 1 && limit <= most)) throw invalidInNode("limit");
  return limit;
}

/** Says in the manner of the node which parameter is not valid. */
export function invalidInNode(name: string): ApiError {
  return new ApiError(failure(400, 400, `invalid ${name}`));
}

/** A page with one element more than is shown, which tells whether there is another page. */
export function oneMore<T extends { readonly limit: number }>(page: T): T {
  return page.limit === 0 ? page : { ...page, limit: page.limit + 1 };
}

/**
 * The part of a list that is shown, and the cursor behind it where the list goes on.
 * @param found with one element more than the page has, if there is one
 */
export function pageOf<T, Place>(
  found: readonly T[],
  page: ListPage<Place> | undefined,
  form: CursorForm<Place>,
  place: (one: T) => Place,
): { readonly shown: readonly T[]; readonly next: string | undefined } {
  if (page === undefined || found.length <= page.limit) return { shown: found, next: undefined };
  const shown = found.slice(0, page.limit);
  const last = shown.at(-1);
  return { shown, next: last === undefined ? undefined : form.write(place(last)) };
}

/** Where a transaction stands in a list of such. */
export function transactionPlace({ transaction, height, position }: ChainTransaction): ListPlace {
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

/** The cursor of a query that has no offset. @param example behind which a new chain has something */
export function cursorAlone<Place>(form: CursorForm<Place>, example: Place) {
  return Type.String({ description: BEHIND, examples: [form.write(example)] });
}

/** The cursor of a query. @param example behind which a new chain has something */
export function cursorText<Place>(form: CursorForm<Place>, example: Place) {
  return Type.String({
    description: `${BEHIND} An offset counts from there.`,
    examples: [form.write(example)],
  });
}

/** The query of a list that is answered whole where it has none of these. */
export function pageParameters<Place>(form: CursorForm<Place>, example: Place, most = MAX_PAGE) {
  return {
    limit: Type.Integer({ minimum: 1, maximum: most, examples: [10] }),
    offset: Type.Integer({ minimum: 0, maximum: INT32_MAX, examples: [0] }),
    cursor: cursorText(form, example),
  };
}

/** Stands before all transactions of a list that begins with the newest one. */
export const NEWEST: ListPlace = {
  timestamp: 4_102_444_800_000n,
  height: INT32_MAX,
  position: 0,
};

/** The header of an answer. */
export const NextCursorHeader = {
  "X-Next-Cursor": {
    description: "The `cursor` of the next page; absent when there is none.",
    schema: Type.String(),
  },
} as const;

/**
 * Going on in a list behind what was there last. A cursor is the place of an element in the order of its list, not a
 * number of elements: what comes or goes before it, by new blocks or by a fork, neither repeats nor leaves out any.
 */
import Type from "typebox";
import { ADDRESS_LENGTH } from "../../crypto/addresses.ts";
import type { AddressListPlace, ChainTransaction, ListPage, ListPlace } from "../../interfaces.ts";
import type { ReadCall } from "./route.ts";

/** Names the cursor of the next page; absent behind the last one. */
export const NEXT_CURSOR = "x-next-cursor";

/** First byte of a cursor: the kind of list. */
const TRANSACTIONS = 1;
const CHILDREN = 2;
const PARENTS = 3;

const PLACE_BYTES = 17;
const ADDRESS_BYTES = 1 + ADDRESS_LENGTH;

/** The cursor behind a transaction. */
function transactionCursor({ timestamp, height, position }: ListPlace): string {
  const bytes = Buffer.alloc(PLACE_BYTES);
  bytes.writeUInt8(TRANSACTIONS);
  bytes.writeBigInt64BE(timestamp, 1);
  bytes.writeUInt32BE(height, 9);
  bytes.writeUInt32BE(position, 13);
  return bytes.toString("base64url");
}

/** The place that a cursor stands for; undefined: it is none of a list of transactions. */
function readTransactionCursor(text: string): ListPlace | undefined {
  const bytes = bytesOf(text, PLACE_BYTES);
  if (bytes?.[0] !== TRANSACTIONS) return undefined;
  return {
    timestamp: bytes.readBigInt64BE(1),
    height: bytes.readUInt32BE(9),
    position: bytes.readUInt32BE(13),
  };
}

/** The cursor behind an address of one of two lists. */
export function addressCursor({ list, address }: AddressListPlace): string {
  return Buffer.from([list === "children" ? CHILDREN : PARENTS, ...address]).toString("base64url");
}

/** The place that a cursor stands for; undefined: it is none of such lists. */
export function readAddressCursor(text: string): AddressListPlace | undefined {
  const bytes = bytesOf(text, ADDRESS_BYTES);
  const list = bytes?.[0] === CHILDREN ? "children" : bytes?.[0] === PARENTS ? "parents" : undefined;
  return bytes && list && { list, address: Uint8Array.from(bytes.subarray(1)) };
}

/** Only what was written so is a cursor. */
function bytesOf(text: string, length: number): Buffer | undefined {
  if (text.length > 2 * length) return undefined;
  const bytes = Buffer.from(text, "base64url");
  return bytes.length === length && bytes.toString("base64url") === text ? bytes : undefined;
}

/** A page with one element more than is shown, which tells whether there is another page. */
export function oneMore<T extends ListPage>(page: T): T {
  return page.limit === 0 ? page : { ...page, limit: page.limit + 1 };
}

/** The cursor behind a page, where the list goes on. */
export function nextOf(
  list: readonly ChainTransaction[],
  page: readonly ChainTransaction[],
): string | undefined {
  const last = page.at(-1);
  if (last === undefined || list.length === page.length) return undefined;
  const { transaction, height, position } = last;
  return transactionCursor({ timestamp: transaction.timestamp, height, position });
}

/** The place to go on from. @throws what `refuse` gives for a text that is no cursor */
export function cursorQuery(call: ReadCall, refuse: () => Error): ListPlace | undefined {
  const text = call.query("cursor");
  if (text === undefined || text === "") return undefined;
  const place = readTransactionCursor(text);
  if (place === undefined) throw refuse();
  return place;
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

/** The cursor of a query, in a list of transactions. */
export const CursorText = Type.String({
  description: `${BEHIND} An offset counts from there.`,
  examples: [transactionCursor({ timestamp: 4_102_444_800_000n, height: 2_147_483_647, position: 0 })],
});

/** The same in a list of addresses. */
export const AddressCursorText = Type.String({
  description: BEHIND,
  examples: [addressCursor({ list: "children", address: new Uint8Array(ADDRESS_LENGTH) })],
});

/** The header of an answer. */
export const NextCursorHeader = {
  "X-Next-Cursor": {
    description: "The `cursor` of the next page; absent when there is none.",
    schema: Type.String(),
  },
} as const;

/** Associations between accounts: those in force (page 06 §7.14), and who is tied to whom (page 07 §10.2). */
import Type from "typebox";
import { encodeBase58 } from "../../bytes/base58.ts";
import { type JsonOut, printJson } from "../../bytes/json.ts";
import { addressText, InvalidAddressError, parseAddress } from "../../crypto/addresses.ts";
import type { AddressListPlace, AssociationInfo, ChainSnapshot } from "../../interfaces.ts";
import { entryJson } from "../../transactions/index.ts";
import { ApiError } from "../http/errors.ts";
import { failsInIndex, NOT_BUILT } from "../http/failure-schemas.ts";
import {
  AddressCursorText,
  addressCursor,
  NextCursorHeader,
  pageHeaders,
  readAddressCursor,
} from "../http/list-cursor.ts";
import { Reply } from "../http/reply.ts";
import type { Answer, ReadCall, Route } from "../http/route.ts";
import { AddressText, DataEntrySchema, int64, object, Timestamp } from "../http/schemas.ts";

const AssociationSchema = object({
  sender: AddressText,
  type: int64("Association type."),
  recipient: AddressText,
  subject: Type.Union([Type.String(), Type.Null()]),
  timestamp: Timestamp,
  expires: Type.Union([Timestamp, Type.Null()]),
  data: Type.Array(DataEntrySchema),
});

function associationJson(association: AssociationInfo): JsonOut {
  const { sender, type, recipient, subject, timestamp, expires, data } = association;
  return {
    sender: addressText(sender),
    type,
    recipient: addressText(recipient),
    subject: subject === undefined ? null : encodeBase58(subject),
    timestamp,
    expires: expires ?? null,
    data: data.map(entryJson),
  };
}

function status(call: ReadCall): JsonOut {
  const address = call.address();
  const { outgoing, incoming } = call.read((chain) => chain.associations(address));
  return {
    address: addressText(address),
    outgoing: outgoing.map(associationJson),
    incoming: incoming.map(associationJson),
  };
}

/** Most addresses of a page, and how many there are where a cursor is given alone. */
const MAX_PAGE = 10_000;

/**
 * Which part of both lists is asked for; undefined: all of it, as the indexer answers.
 * @throws ApiError 400 naming the parameter
 */
function addressPage(
  call: ReadCall,
): { readonly after: AddressListPlace | undefined; readonly limit: number } | undefined {
  const [limitText, cursor] = [call.query("limit"), call.query("cursor")];
  if (limitText === undefined && cursor === undefined) return undefined;
  const limit = limitText === undefined ? MAX_PAGE : /^\d{1,5}$/.test(limitText) ? Number(limitText) : 0;
  if (limit < 1 || limit > MAX_PAGE)
    throw new ApiError({ status: 400, body: { error: "invalid limit given" } });
  const after = cursor === undefined ? undefined : readAddressCursor(cursor);
  if (cursor !== undefined && after === undefined)
    throw new ApiError({ status: 400, body: { error: "invalid cursor given" } });
  return { after, limit };
}

function pairsJson({ children, parents }: ReturnType<ChainSnapshot["associatedAddresses"]>) {
  return { children: children.map(addressText), parents: parents.map(addressText) };
}

/** Addresses tied to one; none for a text that is no address of this network. */
function associated(call: ReadCall): Answer {
  try {
    const address = parseAddress(call.param("address").trim(), call.info.network.chainId);
    const page = addressPage(call);
    if (page === undefined) return pairsJson(call.read((chain) => chain.associatedAddresses(address)));
    const { after, limit } = page;
    const found = call.read((chain) => chain.associatedAddresses(address, { after, limit: limit + 1 }));
    const children = found.children.slice(0, limit);
    const parents = found.parents.slice(0, limit - children.length);
    const isLast = children.length + parents.length === found.children.length + found.parents.length;
    const end = parents.at(-1) ?? children.at(-1);
    const list = parents.length > 0 ? "parents" : "children";
    const next = isLast || end === undefined ? undefined : addressCursor({ list, address: end });
    return new Reply({
      body: printJson(pairsJson({ children, parents })),
      headers: pageHeaders(call, next),
    });
  } catch (error) {
    if (error instanceof InvalidAddressError) return { children: [], parents: [] };
    throw error;
  }
}

export const associationRoutes = [
  {
    method: "GET",
    path: "/associations/status/:address",
    tag: "associations",
    summary: "Associations of an account that are in force",
    params: { address: AddressText },
    answer: object({
      address: AddressText,
      outgoing: Type.Array(AssociationSchema),
      incoming: Type.Array(AssociationSchema),
    }),
    failures: { 400: "The address is not valid on this network." },
    heavy: true,
    handle: status,
  },
  {
    method: "GET",
    path: "/associations/:address",
    family: "index",
    tag: "associations",
    summary: "Accounts that an account issued associations to, or got them from",
    params: { address: AddressText },
    answer: object({ children: Type.Array(AddressText), parents: Type.Array(AddressText) }),
    query: {
      limit: Type.Integer({ minimum: 1, maximum: MAX_PAGE, examples: [10] }),
      cursor: AddressCursorText,
    },
    headers: NextCursorHeader,
    failures: { 400: failsInIndex("A parameter is not valid."), ...NOT_BUILT },
    reads: ["associations"],
    heavy: true,
    handle: associated,
  },
] as const satisfies readonly Route[];

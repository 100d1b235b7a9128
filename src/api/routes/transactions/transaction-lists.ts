/** Lists of transactions: of the node (page 06 §7.5) and of the indexer (page 07 §12.2). */
import Type from "typebox";
import { ADDRESS_LENGTH, tryParseAddress } from "../../../crypto/addresses.ts";
import { ApiError, apiError, TextError } from "../../../http/errors.ts";
import { mapLazily } from "../../../http/responses/chunked-json.ts";
import { type Reply, redirect } from "../../../http/responses/reply.ts";
import type { AddressTransactionsQuery } from "../../../interfaces.ts";
import { addressTransactionJson, transactionInfoJson } from "../../chain-json.ts";
import { cursors } from "../../lists/cursors.ts";
import { parseTypes } from "../../lists/filters.ts";
import {
  cursorWithOffsetParameter,
  listReply,
  NextCursorHeader,
  pageOf,
  pageReply,
  parseCursor,
  transactionPosition,
  withOneMore,
} from "../../lists/pages.ts";
import { type Answer, type Call, get, type ReadCall, routesOf } from "../../route.ts";
import { AddressText, Count, Nothing, TypeName } from "../../schemas/common.ts";
import { BAD_ADDRESS, failsByParameter, failsInText } from "../../schemas/failures.ts";
import { ChainTransactionSchema } from "../../schemas/transactions.ts";

const MAX_PAGE_SIZE = 10_000;
const DEFAULT_PAGE_SIZE = 100;
const INT32_MAX = 2_147_483_647;
const MAX_INDEX_PAGE_SIZE = 100;
const DEFAULT_INDEX_PAGE_SIZE = 25;
/** Beyond this position, lists need a reader thread. */
const MAX_LIGHT_POSITION = 50;

function invalidError(name: string): ApiError {
  return new ApiError({ status: 400, body: { message: `invalid.${name}` } });
}

/** An empty text counts as missing. @throws ApiError invalid.type, for any parameter */
function parseInt32(text: string | undefined, fallback: number): number {
  if (text === undefined || text === "") return fallback;
  const value = /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= -INT32_MAX - 1 && value <= INT32_MAX)) throw invalidError("type");
  return value;
}

/** Checks in the order of page 06 §7.5. */
function parseAddressQuery(call: ReadCall): {
  readonly address: Uint8Array;
  readonly query: AddressTransactionsQuery;
} {
  const address = call.address();
  const types = parseTypes(call, invalidError);
  const limit = parseInt32(call.query("limit"), DEFAULT_PAGE_SIZE);
  const offset = parseInt32(call.query("offset"), 0);
  if (limit > MAX_PAGE_SIZE) throw apiError("tooBigArray");
  if (limit < 0) throw invalidError("limit");
  if (offset < 0) throw invalidError("offset");
  return {
    address,
    query: {
      types,
      offset,
      limit,
      after: parseCursor(call, cursors.transactions, () => invalidError("cursor")),
    },
  };
}

function answerAddressTransactions(call: ReadCall): Reply {
  const { address, query } = parseAddressQuery(call);
  return call.read((chain) => {
    const found = chain.transactions.ofAddress(address, withOneMore(query));
    const { shown, next } = pageOf(found, query, cursors.transactions, transactionPosition);
    const rows = mapLazily(shown, (one) => addressTransactionJson(chain, one, address));
    return listReply(call, rows, next, "[[");
  });
}

function redirectToQuery(call: Call): Answer {
  call.address();
  return redirect(
    `/transactions/address/${encodeURI(call.param("address"))}?limit=${encodeURI(call.param("limit"))}`,
    call.info,
  );
}

/** @throws TextError that names the parameter */
function parseIndexNumber(text: string | undefined, fallback: number, name: string): number {
  if (text === undefined) return fallback;
  if (text === "") return 0;
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(value)) throw new TextError(400, `invalid ${name} given`);
  return value;
}

/** Checks the group first, then limit and offset. */
function answerGroupTransactions(call: ReadCall): Answer {
  const group = call.query("type") || "all";
  // The indexer does not validate addresses: invalid ones have no transactions.
  const { chainId } = call.info.network;
  const address = tryParseAddress(call.param("address"), chainId) ?? new Uint8Array(ADDRESS_LENGTH);
  return call.read((chain) => {
    if (chain.transactionGroups.list(address, group, { offset: 0, limit: 0 }) === undefined) {
      throw new TextError(400, "invalid type given");
    }
    const limit = parseIndexNumber(call.query("limit"), DEFAULT_INDEX_PAGE_SIZE, "limit");
    if (limit > MAX_INDEX_PAGE_SIZE) throw new TextError(400, "limit may not exceed 100");
    const offset = parseIndexNumber(call.query("offset"), 0, "offset");
    const after = parseCursor(call, cursors.transactions, () => new TextError(400, "invalid cursor given"));
    const page = { after, offset, limit };
    const { total = 0, transactions = [] } =
      chain.transactionGroups.list(address, group, withOneMore(page)) ?? {};
    const { shown, next } = pageOf(transactions, page, cursors.transactions, transactionPosition);
    const json = shown.map((one) => transactionInfoJson(chain, one));
    return pageReply(call, json, next, { "x-total": String(total) });
  });
}

const TransactionList = Type.Array(ChainTransactionSchema);

export const transactionListRoutes = routesOf("transactions", [
  get("/transactions/address/:address", {
    tail: "slash",
    summary: "Transactions of an account, newest first, in a nested list",
    request: {
      params: { address: AddressText },
      query: {
        limit: Type.Integer({ minimum: 0, maximum: MAX_PAGE_SIZE }),
        offset: Count,
        cursor: cursorWithOffsetParameter(cursors.transactions),
        type: Type.Array(TypeName),
      },
      example: { query: { limit: 10, offset: 0, type: ["transfer"] } },
    },
    answers: {
      ok: Type.Array(TransactionList),
      headers: NextCursorHeader,
      failures: { 400: failsByParameter("The address or a parameter is not valid.") },
      notAcceptable: invalidError("type").failure,
    },
    cost: {
      cacheable: true,
      isExpensive: (call) => {
        const { types, offset, limit } = parseAddressQuery(call).query;
        return types.length > 0 || offset + limit > MAX_LIGHT_POSITION;
      },
    },
    runsInReader: true,
    handle: answerAddressTransactions,
  }),
  get("/transactions/address/:address/limit", {
    tail: "slash",
    summary: "Fails because the limit is missing",
    request: { params: { address: AddressText } },
    answers: { ok: Nothing, failures: { 400: failsByParameter("The limit is missing.") } },
    handle: (call): never => {
      call.address();
      throw invalidError("limit");
    },
  }),
  get("/transactions/address/:address/limit/:limit", {
    summary: "Redirects to the form with the limit in the query",
    request: { params: { address: AddressText, limit: Type.String() }, example: { params: { limit: "10" } } },
    answers: { ok: Nothing, redirects: true, failures: BAD_ADDRESS },
    handle: redirectToQuery,
  }),
  get("/transactions/addresses/:address", {
    family: "index",
    summary: "Transactions of an account by group, newest timestamp first; `X-Total` contains their number",
    request: {
      params: { address: AddressText },
      query: {
        type: Type.String({
          description: "Name of a group, e.g. `anchor`, `all_transfers`; `all` by default.",
        }),
        limit: Type.Integer({ minimum: 0, maximum: MAX_INDEX_PAGE_SIZE }),
        offset: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
        cursor: cursorWithOffsetParameter(cursors.transactions),
      },
      example: { query: { type: "all", limit: 25, offset: 0 } },
    },
    answers: {
      ok: TransactionList,
      headers: {
        "X-Total": { description: "Number of transactions.", required: true, schema: Count },
        ...NextCursorHeader,
      },
      failures: { 400: failsInText("A parameter is not valid.") },
    },
    cost: { cacheable: true, indexes: ["transactions"] },
    runsInReader: true,
    handle: answerGroupTransactions,
  }),
]);

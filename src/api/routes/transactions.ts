/** Transactions: looked up, listed, made, sent. Page 06 §7.5; those of the indexer: page 07 §12.2. */
import { Readable } from "node:stream";
import Type from "typebox";
import { decodeBase58 } from "../../bytes/base58.ts";
import { DecodeError } from "../../bytes/errors.ts";
import { type JsonOut, printJson } from "../../bytes/json.ts";
import { ADDRESS_LENGTH, InvalidAddressError, parseAddress } from "../../crypto/addresses.ts";
import type { AddressTransactionsQuery, PoolPage } from "../../interfaces.ts";
import { validationError } from "../../transactions/errors.ts";
import { definitionByName, parseTransactionAgain, type Transaction } from "../../transactions/index.ts";
import { mapped, printList } from "../http/answer-text.ts";
import {
  addressTransactionJson,
  showsState,
  transactionAlone,
  transactionInfoJson,
  transactionWithState,
} from "../http/chain-json.ts";
import { ROOT_KEY, SECOND, TRANSFER } from "../http/dev-examples.ts";
import { signedTransfer } from "../http/dev-transfer.ts";
import { ApiError, refuse, TextError, validationFailure } from "../http/errors.ts";
import {
  failsByParameter,
  failsInText,
  failsWith,
  NOT_BUILT,
  NotThereSchema,
  refusesTransaction,
} from "../http/failure-schemas.ts";
import {
  CursorText,
  cursorQuery,
  NextCursorHeader,
  nextOf,
  oneMore,
  pageHeaders,
} from "../http/list-cursor.ts";
import { printedPieces, Reply, redirect } from "../http/reply.ts";
import { type Answer, type Call, MAX_PARAMETER, type ReadCall, type Route } from "../http/route.ts";
import {
  AddressText,
  Amount,
  Count,
  Nothing,
  object,
  TransactionId,
  TypeName,
  WaitMs,
} from "../http/schemas.ts";
import {
  ChainTransactionSchema,
  FeelessTransactionRequest,
  NamedTransactionRequest,
  TransactionRequest,
  TransactionSchema,
  WaitingTransactionSchema,
} from "../http/transaction-schemas.ts";
import { lastingJson } from "../http/validators.ts";
import { broadcast, givenTransaction, walletTransaction } from "./transaction-request.ts";

/** Most transactions of a page, and how many there are unless asked otherwise. Page 06 §7.5. */
const MAX_PAGE = 10_000;
const PAGE = 100;
const INT32_MAX = 2_147_483_647;
/** The same for the lists of the indexer. Page 07 §12.2. */
const MAX_INDEX_PAGE = 100;
const INDEX_PAGE = 25;
/** Lists that end further from the newest transaction are read elsewhere than in the thread that serves HTTP. */
const LIGHT_WALK = 50;
/** Stands in for the fee while the minimum is computed. */
const ANY_FEE = 100_000_000_000n;

const invalidType = { status: 400, body: { message: "invalid.type" } };
const invalidLimit = { status: 400, body: { message: "invalid.limit" } };
const invalidOffset = { status: 400, body: { message: "invalid.offset" } };
const invalidCursor = { status: 400, body: { message: "invalid.cursor" } };

/** Base58, as long as a path may be. @throws ApiError 101 */
function readId(text: string): Uint8Array {
  try {
    return decodeBase58(text, MAX_PARAMETER);
  } catch (error) {
    if (error instanceof DecodeError) throw refuse("invalidSignature");
    throw error;
  }
}

/** A 32-bit integer of a query; an empty one counts as absent. @throws ApiError invalid.type */
function int32Query(text: string | undefined, standard: number): number {
  if (text === undefined || text === "") return standard;
  const value = /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= -INT32_MAX - 1 && value <= INT32_MAX)) throw new ApiError(invalidType);
  return value;
}

/** What is asked for, checked in the order of page 06 §7.5: address, types and numbers, limit, offset. */
function addressQuery(call: ReadCall): {
  readonly address: Uint8Array;
  readonly query: AddressTransactionsQuery;
} {
  const address = call.address();
  const { network } = call.info;
  const types = call.queryAll("type").map((name) => {
    const definition = definitionByName(name, network);
    if (definition === undefined) throw new ApiError(invalidType);
    return definition.type;
  });
  const limit = int32Query(call.query("limit"), PAGE);
  const offset = int32Query(call.query("offset"), 0);
  if (limit > MAX_PAGE) throw refuse("tooBigArray");
  if (limit < 0) throw new ApiError(invalidLimit);
  if (offset < 0) throw new ApiError(invalidOffset);
  return {
    address,
    query: { types, offset, limit, after: cursorQuery(call, () => new ApiError(invalidCursor)) },
  };
}

function addressTransactions(call: ReadCall): Reply {
  const { address, query } = addressQuery(call);
  return call.read((chain) => {
    const list = chain.addressTransactions(address, oneMore(query));
    const page = list.slice(0, query.limit);
    const rows = mapped(page, (found) => addressTransactionJson(chain, found, address));
    return printedPieces(printList(rows, "[["), pageHeaders(call, nextOf(list, page)));
  });
}

/** The old form with the limit in the path leads to the one with a query. */
function limitInPath(call: Call): Answer {
  call.address();
  return redirect(
    `/transactions/address/${encodeURI(call.param("address"))}?limit=${encodeURI(call.param("limit"))}`,
    call.info,
  );
}

function info(call: Call): Answer | Promise<Answer> {
  const id = readId(call.param("id"));
  const found = call.waitFor(() =>
    call.read((chain) => {
      const transaction = chain.transaction(id);
      if (transaction === undefined) return undefined;
      const json = transactionInfoJson(chain, transaction);
      return showsState(transaction.transaction) ? json : lastingJson(call, chain, transaction.height, json);
    }),
  );
  const answer = (shown: Answer | undefined): Answer => {
    if (shown === undefined) throw notThere("Transaction is not in blockchain");
    return shown;
  };
  return found instanceof Promise ? found.then(answer) : answer(found);
}

function notThere(details: string): ApiError {
  return new ApiError({ status: 404, body: { status: "error", details } });
}

function fromPool(call: Call, bytes: Uint8Array): Transaction {
  return parseTransactionAgain(bytes, call.api.info.network);
}

/** Transactions of the pool that are printed in one go: others have their turn in between. */
const SLICE = 100;

/** A page of the pool, printed slice by slice; each piece is a list without its brackets. */
async function* printedPage(call: Call, { bytes, ends }: PoolPage): AsyncGenerator<string> {
  for (let first = 0; first < ends.length; first += SLICE) {
    await call.api.ownTurn();
    yield call.read((chain) => {
      const texts = ends.slice(first, first + SLICE).map((end, i) => {
        const start = first + i === 0 ? 0 : ends[first + i - 1];
        return printJson(transactionWithState(chain, fromPool(call, bytes.subarray(start, end))));
      });
      return texts.join(",");
    });
  }
}

/** The whole pool, page by page: the next one is asked for when the client has taken what was there. */
async function unconfirmed(call: Call): Promise<Answer> {
  const first = await call.api.control.unconfirmed();
  async function* list(): AsyncGenerator<string> {
    let before = "[";
    for (let page = first; ; page = await call.api.control.unconfirmed(page.next)) {
      for await (const text of printedPage(call, page)) {
        yield before + text;
        before = ",";
      }
      if (page.next === undefined) break;
    }
    yield before === "[" ? "[]" : "]";
  }
  return new Reply({ body: Readable.from(list()) });
}

async function unconfirmedInfo(call: Call): Promise<JsonOut> {
  const bytes = await call.api.control.unconfirmedById(readId(call.param("id")));
  if (bytes === undefined) throw notThere("Transaction is not in UTX");
  const transaction = fromPool(call, bytes);
  return call.read((chain) => transactionWithState(chain, transaction));
}

function minimumFee(call: Call): JsonOut {
  const transaction = givenTransaction(call, call.json(), { fee: ANY_FEE });
  const fee = call.read((chain) => chain.minimumFee(transaction));
  if (fee === undefined) throw new ApiError(validationFailure(validationError("UnsupportedTransactionType")));
  return { feeAmount: fee };
}

async function send(call: Call): Promise<JsonOut> {
  const transaction = givenTransaction(call, call.json());
  await broadcast(call.api, transaction);
  return transactionAlone(transaction);
}

async function sign(call: Call): Promise<JsonOut> {
  return transactionAlone(await walletTransaction(call, call.json()));
}

async function submit(call: Call, typeName?: string): Promise<JsonOut> {
  const transaction = await walletTransaction(call, call.json(), typeName === undefined ? {} : { typeName });
  await broadcast(call.api, transaction);
  return transactionAlone(transaction);
}

/** A whole number of a query. @throws TextError naming what is wrong */
function countQuery(text: string | undefined, standard: number, name: string): number {
  if (text === undefined) return standard;
  if (text === "") return 0;
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(value)) throw new TextError(400, `invalid ${name} given`);
  return value;
}

/** The group is judged first, then limit and offset. Page 07 §12.2. */
function groupTransactions(call: ReadCall): Answer {
  const group = call.query("type") || "all";
  // An account that nobody has, where the address is none.
  const address = addressOrNone(call) ?? new Uint8Array(ADDRESS_LENGTH);
  return call.read((chain) => {
    if (chain.groupTransactions(address, group, { offset: 0, limit: 0 }) === undefined) {
      throw new TextError(400, "invalid type given");
    }
    const limit = countQuery(call.query("limit"), INDEX_PAGE, "limit");
    if (limit > MAX_INDEX_PAGE) throw new TextError(400, "limit may not exceed 100");
    const offset = countQuery(call.query("offset"), 0, "offset");
    const after = cursorQuery(call, () => new TextError(400, "invalid cursor given"));
    const { total = 0, transactions: list = [] } =
      chain.groupTransactions(address, group, oneMore({ after, offset, limit })) ?? {};
    const page = list.slice(0, limit);
    return new Reply({
      body: printJson(page.map((one) => transactionInfoJson(chain, one))),
      headers: pageHeaders(call, nextOf(list, page), { "x-total": String(total) }),
    });
  });
}

/** The indexer does not judge addresses: a bad one has no transactions. */
function addressOrNone(call: ReadCall): Uint8Array | undefined {
  try {
    return parseAddress(call.param("address"), call.info.network.chainId);
  } catch (error) {
    if (error instanceof InvalidAddressError) return undefined;
    throw error;
  }
}

const List = Type.Array(ChainTransactionSchema);
const BODY = { kind: "json", schema: TransactionRequest } as const;
const REFUSED = { 400: refusesTransaction };
const BAD_ID = {
  400: "The id is not Base58.",
  404: failsWith("There is no such transaction.", NotThereSchema),
};
const LIMIT_MISSING = {
  method: "GET",
  path: "/transactions/address/:address/limit",
  tail: "slash",
  tag: "transactions",
  summary: "Says that the limit is missing",
  params: { address: AddressText },
  answer: Nothing,
  failures: { 400: failsByParameter("Always.") },
} as const;

/** The look-up without an id: error 101. */
function idMissing<const Path extends string>(path: Path) {
  return {
    method: "GET",
    path,
    tail: "slash",
    tag: "transactions",
    summary: "Says that the id is missing",
    answer: Nothing,
    failures: { 400: "Always." },
    handle: () => {
      throw refuse("invalidSignature");
    },
  } as const satisfies Route;
}

export const transactionRoutes = [
  {
    method: "GET",
    path: "/transactions/address/:address",
    steady: true,
    tail: "slash",
    tag: "transactions",
    summary: "Transactions of an account, newest first, as the only element of a list",
    example: { query: { limit: 10, offset: 0, type: ["transfer"] } },
    params: { address: AddressText },
    query: {
      limit: Type.Integer({ minimum: 0, maximum: MAX_PAGE }),
      offset: Count,
      cursor: CursorText,
      type: Type.Array(TypeName),
    },
    answer: Type.Array(List),
    headers: NextCursorHeader,
    failures: { 400: failsByParameter("The address or a parameter is not valid.") },
    unacceptable: invalidType,
    heavy: true,
    weighs: (call) => {
      const { types, offset, limit } = addressQuery(call).query;
      return types.length > 0 || offset + limit > LIGHT_WALK;
    },
    handle: addressTransactions,
  },
  {
    ...LIMIT_MISSING,
    handle: (call) => {
      call.address();
      throw new ApiError(invalidLimit);
    },
  },
  {
    method: "GET",
    path: "/transactions/address/:address/limit/:limit",
    tag: "transactions",
    summary: "Leads to the form with the limit in the query",
    example: { params: { limit: "10" } },
    params: { address: AddressText, limit: Type.String() },
    answer: Nothing,
    redirects: true,
    failures: { 400: "The address is not valid on this network." },
    handle: limitInPath,
  },
  idMissing("/transactions/info"),
  {
    method: "GET",
    path: "/transactions/info/:id",
    steady: true,
    tag: "transactions",
    summary: "A transaction on the chain",
    params: { id: TransactionId },
    query: { wait: WaitMs },
    answer: ChainTransactionSchema,
    failures: BAD_ID,
    tagged: true,
    handle: info,
  },
  {
    method: "GET",
    path: "/transactions/unconfirmed",
    tail: "slash",
    tag: "transactions",
    summary: "Transactions that wait for a block",
    answer: Type.Array(WaitingTransactionSchema),
    handle: unconfirmed,
  },
  {
    method: "GET",
    path: "/transactions/unconfirmed/size",
    tail: "anything",
    tag: "transactions",
    summary: "How many transactions wait for a block",
    answer: object({ size: Count }),
    handle: async ({ api }) => ({ size: await api.control.unconfirmedSize() }),
  },
  idMissing("/transactions/unconfirmed/info"),
  {
    method: "GET",
    path: "/transactions/unconfirmed/info/:id",
    tag: "transactions",
    summary: "A transaction that waits for a block",
    params: { id: TransactionId },
    answer: WaitingTransactionSchema,
    failures: BAD_ID,
    handle: unconfirmedInfo,
  },
  {
    method: "POST",
    path: "/transactions/calculateFee",
    tail: "slash",
    tag: "transactions",
    summary: "Smallest fee of a transaction",
    example: { body: { type: 4, senderPublicKey: ROOT_KEY, recipient: SECOND, amount: 2_500_000_000 } },
    body: { kind: "json", schema: FeelessTransactionRequest },
    answer: object({ feeAmount: Amount }),
    failures: REFUSED,
    handle: minimumFee,
  },
  {
    method: "POST",
    path: "/transactions/broadcast",
    tail: "anything",
    tag: "transactions",
    summary: "Takes a signed transaction and passes it on to the network",
    example: { body: signedTransfer },
    body: BODY,
    answer: TransactionSchema,
    failures: REFUSED,
    handle: send,
  },
  {
    method: "POST",
    path: "/transactions/sign",
    tail: "anything",
    tag: "transactions",
    summary: "Signs a transaction with the wallet's accounts that it names",
    example: { body: { type: 4, ...TRANSFER } },
    access: "key",
    body: BODY,
    answer: TransactionSchema,
    failures: REFUSED,
    handle: sign,
  },
  {
    method: "POST",
    path: "/transactions/submit",
    tail: "slash",
    tag: "transactions",
    summary: "Signs a transaction and passes it on to the network",
    example: { body: { type: 4, ...TRANSFER } },
    access: "key",
    body: BODY,
    answer: TransactionSchema,
    failures: REFUSED,
    handle: (call) => submit(call),
  },
  {
    method: "POST",
    path: "/transactions/submit/:type",
    tail: "segments",
    tag: "transactions",
    summary: "The same for a type that the path names",
    example: { body: TRANSFER },
    access: "key",
    params: { type: TypeName },
    body: { kind: "json", schema: NamedTransactionRequest },
    answer: TransactionSchema,
    failures: REFUSED,
    handle: (call) => submit(call, call.param("type")),
  },
  {
    method: "GET",
    path: "/transactions/addresses/:address",
    steady: true,
    family: "index",
    tag: "transactions",
    summary: "Transactions of an account by group, newest timestamp first; `X-Total` says how many there are",
    example: { query: { type: "all", limit: 25, offset: 0 } },
    params: { address: AddressText },
    query: {
      type: Type.String({
        description: "Name of a group, e.g. `anchor`, `all_transfers`; `all` unless given.",
      }),
      limit: Type.Integer({ minimum: 0, maximum: MAX_INDEX_PAGE }),
      offset: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
      cursor: CursorText,
    },
    answer: List,
    failures: { 400: failsInText("A parameter is not valid."), ...NOT_BUILT },
    headers: {
      "X-Total": { description: "How many there are.", required: true, schema: Count },
      ...NextCursorHeader,
    },
    reads: ["transactions"],
    heavy: true,
    handle: groupTransactions,
  },
] as const satisfies readonly Route[];

/** Page 06 §7.5. */
import { Readable } from "node:stream";
import Type from "typebox";
import { decodeBase58 } from "../../../bytes/base58.ts";
import { type JsonOut, printJson } from "../../../bytes/json.ts";
import type { PoolPage } from "../../../control/index.ts";
import { ApiError, apiError } from "../../../http/errors.ts";
import { Reply } from "../../../http/responses/reply.ts";
import { validationError } from "../../../transactions/errors.ts";
import { reparseTransaction, type Transaction, transactionBytes } from "../../../transactions/index.ts";
import {
  showsState,
  transactionInfoJson,
  transactionOnlyJson,
  transactionWithState,
} from "../../chain-json.ts";
import { decodeOrRefuse } from "../../decode.ts";
import { immutableHeaders, immutableJson } from "../../immutable.ts";
import { ROOT_KEY, SECOND, TRANSFER } from "../../openapi/dev-examples.ts";
import { signedTransfer } from "../../openapi/dev-transfer.ts";
import { validationFailure } from "../../refusals.ts";
import { type Answer, type Call, get, MAX_PARAMETER_LENGTH, post, routesOf } from "../../route.ts";
import { Amount, Count, Nothing, object, TransactionId, TypeName, WaitMs } from "../../schemas/common.ts";
import { failsWith, NotFoundSchema, refusesTransaction } from "../../schemas/failures.ts";
import {
  ChainTransactionSchema,
  FeelessTransactionRequest,
  NamedTransactionRequest,
  TransactionRequest,
  TransactionSchema,
  WaitingTransactionSchema,
} from "../../schemas/transactions.ts";
import { broadcast, parseSignedTransaction, signRequestedTransaction } from "./transaction-request.ts";

/** Fee of a transaction whose minimum fee is requested. */
const PLACEHOLDER_FEE = 100_000_000_000n;

/** @throws ApiError 101 */
function parseTransactionId(text: string): Uint8Array {
  return decodeOrRefuse("invalidSignature", () => decodeBase58(text, MAX_PARAMETER_LENGTH));
}

function answerInfo(call: Call): Answer | Promise<Answer> {
  const id = parseTransactionId(call.param("id"));
  const found = call.waitFor(() =>
    call.read((chain) => {
      const transaction = chain.transactions.byId(id);
      if (transaction === undefined) return undefined;
      const json = transactionInfoJson(chain, transaction);
      return showsState(transaction.transaction)
        ? json
        : immutableJson(call, chain, transaction.height, json);
    }),
  );
  const orNotFound = (answer: Answer | undefined): Answer => {
    if (answer === undefined) throw transactionNotFound("Transaction is not in blockchain");
    return answer;
  };
  return found instanceof Promise ? found.then(orNotFound) : orNotFound(found);
}

function transactionNotFound(details: string): ApiError {
  return new ApiError({ status: 404, body: { status: "error", details } });
}

function parsePoolTransaction(call: Call, bytes: Uint8Array): Transaction {
  return reparseTransaction(bytes, call.api.info.network);
}

const TRANSACTIONS_PER_SLICE = 100;

async function* printPage(call: Call, { bytes, ends }: PoolPage): AsyncGenerator<string> {
  for (let first = 0; first < ends.length; first += TRANSACTIONS_PER_SLICE) {
    await call.api.yieldToEventLoop();
    yield call.read((chain) => {
      const texts = ends.slice(first, first + TRANSACTIONS_PER_SLICE).map((end, i) => {
        const start = first + i === 0 ? 0 : ends[first + i - 1];
        return printJson(transactionWithState(chain, parsePoolTransaction(call, bytes.subarray(start, end))));
      });
      return texts.join(",");
    });
  }
}

/** Streams the pool, page by page as the client reads. */
async function answerUnconfirmed(call: Call): Promise<Answer> {
  const first = await call.api.control.pool.page();
  async function* list(): AsyncGenerator<string> {
    let separator = "[";
    for (let page = first; ; page = await call.api.control.pool.page(page.next)) {
      for await (const text of printPage(call, page)) {
        yield separator + text;
        separator = ",";
      }
      if (page.next === undefined) break;
    }
    yield separator === "[" ? "[]" : "]";
  }
  return new Reply({ body: Readable.from(list()) });
}

async function answerUnconfirmedInfo(call: Call): Promise<JsonOut> {
  const bytes = await call.api.control.pool.transaction(parseTransactionId(call.param("id")));
  if (bytes === undefined) throw transactionNotFound("Transaction is not in UTX");
  const transaction = parsePoolTransaction(call, bytes);
  return call.read((chain) => transactionWithState(chain, transaction));
}

/** @throws ApiError 101, 404 */
function answerBytes(call: Call): Reply {
  const id = parseTransactionId(call.param("id"));
  return call.read((chain) => {
    const found = chain.transactions.byId(id);
    if (found === undefined) throw transactionNotFound("Transaction is not in blockchain");
    // The bytes are valid only while the snapshot is open.
    const body = transactionBytes(found.transaction).slice();
    const headers = immutableHeaders(call, chain, found.height);
    return new Reply({ type: "application/octet-stream", body, headers });
  });
}

function answerMinimumFee(call: Call): JsonOut {
  const transaction = parseSignedTransaction(call, call.json(), { fee: PLACEHOLDER_FEE });
  const fee = call.read((chain) => chain.transactions.minimumFee(transaction));
  if (fee === undefined) throw new ApiError(validationFailure(validationError("UnsupportedTransactionType")));
  return { feeAmount: fee };
}

async function send(call: Call): Promise<JsonOut> {
  const transaction = parseSignedTransaction(call, call.json());
  await broadcast(call.api, transaction);
  return transactionOnlyJson(transaction);
}

async function sign(call: Call): Promise<JsonOut> {
  return transactionOnlyJson(await signRequestedTransaction(call, call.json()));
}

async function submit(call: Call, typeName?: string): Promise<JsonOut> {
  const transaction = await signRequestedTransaction(
    call,
    call.json(),
    typeName === undefined ? {} : { typeName },
  );
  await broadcast(call.api, transaction);
  return transactionOnlyJson(transaction);
}

const BODY = { kind: "json", schema: TransactionRequest } as const;
const REFUSED = { 400: refusesTransaction };
const BAD_ID = {
  400: "The id is not Base58.",
  404: failsWith("The transaction does not exist.", NotFoundSchema),
};
/** Answers error 101 to a look-up without an id. */
function idMissing<const Path extends string>(path: Path) {
  return get(path, {
    tail: "slash",
    summary: "Fails because the id is missing",
    answers: { ok: Nothing, failures: { 400: "The id is missing." } },
    handle: () => {
      throw apiError("invalidSignature");
    },
  });
}

export const transactionRoutes = routesOf("transactions", [
  idMissing("/transactions/info"),
  get("/transactions/info/:id", {
    summary: "A transaction on the chain",
    request: { params: { id: TransactionId }, query: { wait: WaitMs } },
    answers: { ok: ChainTransactionSchema, hasEntityTag: true, failures: BAD_ID },
    cost: { cacheable: true },
    handle: answerInfo,
  }),
  get("/transactions/bytes/:id", {
    summary: "The bytes of a transaction on the chain, proofs included",
    request: { params: { id: TransactionId } },
    answers: {
      ok: Type.String({ format: "binary" }),
      type: "application/octet-stream",
      hasEntityTag: true,
      failures: BAD_ID,
    },
    cost: { cacheable: true },
    handle: answerBytes,
  }),
  get("/transactions/unconfirmed", {
    onFollower: "source",
    tail: "slash",
    summary: "Unconfirmed transactions",
    answers: { ok: Type.Array(WaitingTransactionSchema) },
    handle: answerUnconfirmed,
  }),
  get("/transactions/unconfirmed/size", {
    onFollower: "source",
    tail: "anything",
    summary: "Number of unconfirmed transactions",
    answers: { ok: object({ size: Count }) },
    handle: async ({ api }) => ({ size: await api.control.pool.size() }),
  }),
  idMissing("/transactions/unconfirmed/info"),
  get("/transactions/unconfirmed/info/:id", {
    onFollower: "source",
    summary: "An unconfirmed transaction",
    request: { params: { id: TransactionId } },
    answers: { ok: WaitingTransactionSchema, failures: BAD_ID },
    handle: answerUnconfirmedInfo,
  }),
  post("/transactions/calculateFee", {
    tail: "slash",
    summary: "Minimum fee of a transaction",
    request: {
      body: { kind: "json", schema: FeelessTransactionRequest },
      example: { body: { type: 4, senderPublicKey: ROOT_KEY, recipient: SECOND, amount: 2_500_000_000 } },
    },
    answers: { ok: object({ feeAmount: Amount }), failures: REFUSED },
    handle: answerMinimumFee,
  }),
  post("/transactions/broadcast", {
    onFollower: "source",
    isRepeatable: true,
    tail: "anything",
    summary: "Broadcasts a signed transaction",
    request: { body: BODY, example: { body: signedTransfer } },
    answers: { ok: TransactionSchema, failures: REFUSED },
    handle: send,
  }),
  post("/transactions/sign", {
    tail: "anything",
    summary: "Signs a transaction with the wallet accounts that it names",
    access: "key:wallet",
    request: { body: BODY, example: { body: { type: 4, ...TRANSFER } } },
    answers: { ok: TransactionSchema, failures: REFUSED },
    handle: sign,
  }),
  post("/transactions/submit", {
    tail: "slash",
    summary: "Signs and broadcasts a transaction",
    access: "key:wallet",
    request: { body: BODY, example: { body: { type: 4, ...TRANSFER } } },
    answers: { ok: TransactionSchema, failures: REFUSED },
    handle: (call) => submit(call),
  }),
  post("/transactions/submit/:type", {
    tail: "segments",
    summary: "Signs and broadcasts a transaction of the type in the path",
    access: "key:wallet",
    request: {
      params: { type: TypeName },
      body: { kind: "json", schema: NamedTransactionRequest },
      example: { body: TRANSFER },
    },
    answers: { ok: TransactionSchema, failures: REFUSED },
    handle: (call) => submit(call, call.param("type")),
  }),
]);

/** Page 06 §7.9, §11.6; page 00, part A, 4.6. */
import Type from "typebox";
import { JsonNumber, type JsonOut, type JsonValue } from "../../../bytes/json.ts";
import { ApiError, invalidJson, type JsonProblem } from "../../../http/errors.ts";
import { mapLazily } from "../../../http/responses/chunked-json.ts";
import type { Reply } from "../../../http/responses/reply.ts";
import { transactionAtHeightJson, transactionOnlyJson } from "../../chain-json.ts";
import { cursors } from "../../lists/cursors.ts";
import { listReply, pageOf, pageParameters, transactionPosition, withOneMore } from "../../lists/pages.ts";
import { fileAnswers, fileReply, formatParameter, parseTablePage, rowsOf } from "../../lists/tables.ts";
import { transactionRow, transactionRowTable } from "../../lists/transaction-rows.ts";
import { BASE58_ID, ROOT, SECOND } from "../../openapi/dev-examples.ts";
import { type Call, get, post, type ReadCall, routesOf } from "../../route.ts";
import { AddressText, Amount, Timestamp, TransactionId } from "../../schemas/common.ts";
import { BAD_ADDRESS_OR_PARAMETER, refusesTransaction } from "../../schemas/failures.ts";
import { ActiveLeaseSchema, TransactionSchema } from "../../schemas/transactions.ts";
import { broadcast, signRequestedTransaction } from "../transactions/transaction-request.ts";

/** Only the JSON of version 1 has `signature`, which clients of these routes expect. */
const DEFAULT_VERSION = new JsonNumber("1");

/** Sets a missing version. @throws ApiError error 1 without a sender */
function leaseRequest(json: JsonValue): JsonValue {
  if (!(json instanceof Map)) return json;
  if ((json.get("sender") ?? null) === null) {
    const missing: JsonProblem = { msg: ["error.path.missing"], args: [] };
    throw new ApiError(invalidJson(null, new Map([["obj.sender", [missing]]])));
  }
  return new Map(json).set("version", json.get("version") ?? DEFAULT_VERSION);
}

async function submit(call: Call, typeName: string): Promise<JsonOut> {
  // `call.json()` would answer 404, like routes of the reference.
  if (call.bytes().length === 0) throw new ApiError(invalidJson("the request has no body"));
  const transaction = await signRequestedTransaction(call, leaseRequest(call.json()), { typeName });
  await broadcast(call.api, transaction);
  return transactionOnlyJson(transaction);
}

const table = { ...transactionRowTable, name: "leases" };

function answerActive(call: ReadCall): Reply {
  const address = call.address();
  const page = parseTablePage(call, cursors.transactions);
  return call.read((chain) => {
    const found = chain.leases.active(address, page && withOneMore(page));
    const { shown, next } = pageOf(found, page, cursors.transactions, transactionPosition);
    return (
      fileReply(call, chain, table, mapLazily(shown, transactionRow), next) ??
      listReply(call, mapLazily(shown, transactionAtHeightJson), next)
    );
  });
}

const commonMembers = {
  sender: AddressText,
  fee: Amount,
  timestamp: Type.Optional(Timestamp),
  version: Type.Optional(Type.Integer({ minimum: 1, maximum: 3, description: "1 by default." })),
};
const REFUSED = { 400: refusesTransaction };

export const leasingRoutes = routesOf("leasing", [
  get("/leasing/active/:address", {
    tail: "segments",
    summary: "Active leases of an account, incoming and outgoing, newest first",
    request: {
      params: { address: AddressText },
      query: { ...pageParameters(cursors.transactions), ...formatParameter },
    },
    answers: {
      ...fileAnswers(Type.Array(ActiveLeaseSchema), rowsOf(table)),
      failures: BAD_ADDRESS_OR_PARAMETER,
    },
    runsInReader: true,
    handle: answerActive,
  }),
  post("/leasing/lease", {
    summary: "Leases tokens of a wallet account",
    access: "key:wallet",
    request: {
      body: {
        kind: "json",
        schema: Type.Object({ ...commonMembers, recipient: AddressText, amount: Amount }),
      },
      example: { body: { sender: ROOT, recipient: SECOND, amount: 500_000_000, fee: 100_000_000 } },
    },
    answers: { ok: TransactionSchema, failures: REFUSED },
    handle: (call) => submit(call, "lease"),
  }),
  post("/leasing/cancel", {
    summary: "Cancels a lease of a wallet account",
    access: "key:wallet",
    request: {
      body: { kind: "json", schema: Type.Object({ ...commonMembers, leaseId: TransactionId }) },
      example: { body: { sender: ROOT, leaseId: BASE58_ID, fee: 100_000_000 } },
    },
    answers: { ok: TransactionSchema, failures: REFUSED },
    handle: (call) => submit(call, "cancel-lease"),
  }),
]);

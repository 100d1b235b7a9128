/** Holdfast only. */
import Type from "typebox";
import { mapLazily } from "../../../http/responses/chunked-json.ts";
import type { Reply } from "../../../http/responses/reply.ts";
import type { ChainSnapshot, ChainTransaction, NewestTransactions } from "../../../interfaces.ts";
import { movedTokens } from "../../../transactions/index.ts";
import { transactionInfoJson } from "../../chain-json.ts";
import { cursors } from "../../lists/cursors.ts";
import {
  amountParameters,
  parseAmounts,
  parseRange,
  parseTypes,
  parseWord,
  rangeParameters,
  typeParameter,
} from "../../lists/filters.ts";
import {
  cursorParameter,
  limitParameters,
  listReply,
  NextCursorHeader,
  pageOf,
  parseCursor,
  parseLimit,
} from "../../lists/pages.ts";
import { formatParameter, parseTableLimit, tableAnswers, tableReply } from "../../lists/tables.ts";
import { transactionRow, transactionRowTable } from "../../lists/transaction-rows.ts";
import { get, type ReadCall, routesOf } from "../../route.ts";
import { ChainTransactionSchema } from "../../schemas/transactions.ts";

const MAX_NEWEST = 100;
const DEFAULT_NEWEST = 25;

/** Filters may leave a page short although the list continues. */
function readNewest(call: ReadCall, limit: number): (chain: ChainSnapshot) => NewestTransactions {
  const types = parseTypes(call);
  const rangeOf = parseRange(call);
  const hasAmount = parseAmounts(call);
  const after = parseCursor(call, cursors.newestTransactions);
  const accepts = hasAmount && (({ transaction }: ChainTransaction) => hasAmount(movedTokens(transaction)));
  return (chain) => chain.transactions.newest({ ...rangeOf(chain), types, after, limit, accepts });
}

function answerNewest(call: ReadCall): Reply {
  const read = readNewest(call, parseLimit(call, { fallback: DEFAULT_NEWEST, max: MAX_NEWEST }));
  return call.read((chain) => {
    const { transactions, end } = read(chain);
    const rows = mapLazily(transactions, (found) => transactionInfoJson(chain, found));
    return listReply(call, rows, end && cursors.newestTransactions.encode(end));
  });
}

function answerRows(call: ReadCall): Reply {
  const read = readNewest(call, parseTableLimit(call));
  return call.read((chain) => {
    const { transactions, end } = read(chain);
    const next = end && cursors.newestTransactions.encode(end);
    return tableReply(call, chain, transactionRowTable, mapLazily(transactions, transactionRow), next);
  });
}

const PERIODS = ["day", "week", "all"] as const;

function answerLargest(call: ReadCall): Reply {
  const period = parseWord(call, "period", PERIODS) ?? "all";
  const limit = parseTableLimit(call);
  const after = parseCursor(call, cursors.largestTransfers);
  return call.read((chain) => {
    const found = chain.largestTransfers.transfers({ period, after, limit: limit + 1 });
    const { shown, next } = pageOf(
      found,
      { limit },
      cursors.largestTransfers,
      ({ transaction, height, position }) => {
        return { amount: movedTokens(transaction), height, position };
      },
    );
    return tableReply(call, chain, largestTable, mapLazily(shown, transactionRow), next);
  });
}

const largestTable = { ...transactionRowTable, name: "largest-transfers" };

const filters = { ...typeParameter, ...rangeParameters, ...amountParameters };

export const newestTransactionRoutes = routesOf("transactions", [
  get("/transactions/newest", {
    summary: "Transactions on the chain, newest first",
    request: {
      query: {
        limit: Type.Integer({ minimum: 1, maximum: MAX_NEWEST }),
        cursor: cursorParameter(cursors.newestTransactions),
        ...filters,
      },
      example: { query: { limit: 10, type: ["transfer"] } },
    },
    answers: {
      ok: Type.Array(ChainTransactionSchema),
      headers: NextCursorHeader,
      failures: { 400: "A parameter is not valid." },
    },
    cost: { cacheable: true },
    runsInReader: true,
    handle: answerNewest,
  }),
  get("/transactions/newest/rows", {
    summary: "Transactions on the chain as rows, newest first",
    request: {
      query: { ...limitParameters(cursors.newestTransactions), ...filters, ...formatParameter },
      example: { query: { limit: 10, type: ["transfer"] } },
    },
    answers: tableAnswers(transactionRowTable, "TransactionRow"),
    cost: { cacheable: true },
    runsInReader: true,
    handle: answerRows,
  }),
  get("/transactions/largest", {
    summary: "The largest transfers of a day, a week or the whole chain, highest amount first",
    request: {
      query: {
        ...limitParameters(cursors.largestTransfers),
        period: Type.Enum([...PERIODS], {
          description: "`day`: of the newest block's day in UTC; `week`: of seven days; `all`: default.",
        }),
        ...formatParameter,
      },
    },
    answers: tableAnswers(largestTable, "TransactionRow"),
    cost: { cacheable: true, indexes: ["largest"] },
    runsInReader: true,
    handle: answerLargest,
  }),
]);

/** Holdfast only. */
import Type from "typebox";
import { encodeBase58 } from "../../../bytes/base58.ts";
import { mapLazily } from "../../../http/responses/chunked-json.ts";
import type { Reply } from "../../../http/responses/reply.ts";
import type { AccountChange } from "../../../interfaces.ts";
import { cursors } from "../../lists/cursors.ts";
import { limitParameters, pageOf, parseCursor } from "../../lists/pages.ts";
import { formatParameter, parseTableLimit, type Row, tableAnswers, tableReply } from "../../lists/tables.ts";
import { get, type ReadCall, routesOf } from "../../route.ts";
import { AddressText, BlockId, Count, Height, Timestamp, TransactionId } from "../../schemas/common.ts";
import { BAD_ADDRESS_OR_PARAMETER } from "../../schemas/failures.ts";
import { Balances, balancesJson } from "./balances.ts";

const MAX_IDS = 10;

function changeJson(change: AccountChange): Row {
  return {
    height: change.height,
    block: encodeBase58(change.id),
    timestamp: change.timestamp,
    ...balancesJson(change),
    forged: change.hasForged,
    transactionCount: change.transactionCount,
    transactions: change.transactions.map(encodeBase58),
  };
}

function answerChanges(call: ReadCall): Reply {
  const address = call.address();
  const limit = parseTableLimit(call);
  const before = parseCursor(call, cursors.units);
  return call.read((chain) => {
    const list = chain.accounts.changes(address, { before, limit: limit + 1, maxIds: MAX_IDS });
    const { shown, next } = pageOf(list, { limit }, cursors.units, (change) => change);
    return tableReply(call, chain, table, mapLazily(shown, changeJson), next);
  });
}

const table = {
  name: "balance-changes",
  members: {
    height: Height,
    block: BlockId,
    timestamp: Timestamp,
    ...Balances,
    forged: Type.Boolean({ description: "True if the account generated the block." }),
    transactionCount: Count,
    transactions: Type.Array(TransactionId, {
      description: `The first ${MAX_IDS} ids. Empty if only fees, a reward or the end of an unbonding changed the balance.`,
    }),
  },
} as const;

export const accountChangeRoutes = routesOf("addresses", [
  get("/addresses/balance/changes/:address", {
    summary: "Balance changes of an account with their transactions, newest first",
    request: {
      params: { address: AddressText },
      query: { ...limitParameters(cursors.units), ...formatParameter },
    },
    answers: { ...tableAnswers(table, "BalanceChange"), failures: BAD_ADDRESS_OR_PARAMETER },
    cost: { cacheable: true },
    runsInReader: true,
    handle: answerChanges,
  }),
]);

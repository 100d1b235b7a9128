/** Holdfast only. */
import Type from "typebox";
import { bytesEqual } from "../../../bytes/compare.ts";
import { addressText } from "../../../crypto/addresses.ts";
import { mapLazily } from "../../../http/responses/chunked-json.ts";
import type { Reply } from "../../../http/responses/reply.ts";
import type { AccountEntry } from "../../../interfaces.ts";
import { cursors } from "../../lists/cursors.ts";
import {
  addressFilter,
  amountParameters,
  parseAddressFilter,
  parseAmounts,
  parseRange,
  parseTypes,
  parseWord,
  rangeParameters,
  typeParameter,
} from "../../lists/filters.ts";
import { limitParameters, parseCursor } from "../../lists/pages.ts";
import { formatParameter, parseTableLimit, type Row, tableAnswers, tableReply } from "../../lists/tables.ts";
import { recipientsOf, transactionTypeMembers, typeRow } from "../../lists/transaction-rows.ts";
import { SECOND } from "../../openapi/dev-examples.ts";
import { type Answer, get, type ReadCall, routesOf } from "../../route.ts";
import { AddressText, Amount, Count, Height, int64, object } from "../../schemas/common.ts";
import { BAD_ADDRESS_OR_PARAMETER } from "../../schemas/failures.ts";

const DIRECTIONS = ["in", "out", "self"] as const;

const table = {
  name: "account-transactions",
  members: {
    ...transactionTypeMembers,
    direction: Type.Enum([...DIRECTIONS], {
      description: "`self`: the account is sender and only recipient.",
    }),
    counterparty: Type.Optional(
      Type.String({
        ...AddressText,
        description: "Sender of a received transaction, or only recipient of a sent one.",
      }),
    ),
    recipients: Type.Integer({ ...Count, description: "Number of recipients." }),
    amount: int64(
      "Tokens that this account received (above 0) or sent (below 0), without fees, in units of 10^-8 token.",
    ),
    leased: int64("Tokens of the lease that starts or ends, units. They stay in the balance."),
    fee: int64("Fee that this account paid, units."),
    balance: Type.Optional(
      int64(
        "Balance after the transaction, units. Absent if a reward or a release changed the balance at the same time.",
      ),
    ),
  },
} as const;

function entryRow(entry: AccountEntry): Row {
  const { direction, counterparty, recipients, amount, leased, feePaid, balance } = entry;
  // A spread took a tenth of the time of a page.
  const { id, type, name, height, position, timestamp } = typeRow(entry);
  return {
    id,
    type,
    name,
    height,
    position,
    timestamp,
    direction,
    counterparty: counterparty && addressText(counterparty),
    recipients,
    amount,
    leased,
    fee: feePaid,
    balance,
  };
}

function parseEntryFilter(call: ReadCall): ((entry: AccountEntry) => boolean) | undefined {
  const direction = parseWord(call, "direction", DIRECTIONS);
  const counterparty = parseAddressFilter(call, "counterparty");
  const hasAmount = parseAmounts(call);
  if (direction === undefined && counterparty === undefined && hasAmount === undefined) return undefined;
  return (entry) =>
    (direction === undefined || entry.direction === direction) &&
    (counterparty === undefined || hasCounterparty(entry, counterparty)) &&
    (hasAmount === undefined || hasAmount(absolute(entry.amount === 0n ? entry.leased : entry.amount)));
}

/** A mass transfer may have many counterparties. */
function hasCounterparty(entry: AccountEntry, counterparty: Uint8Array): boolean {
  if (entry.counterparty !== undefined) return bytesEqual(entry.counterparty, counterparty);
  return recipientsOf(entry).some((one) => bytesEqual(one, counterparty));
}

function absolute(amount: bigint): bigint {
  return amount < 0n ? -amount : amount;
}

function answerEntries(call: ReadCall): Reply {
  const address = call.address();
  const types = parseTypes(call);
  const accepts = parseEntryFilter(call);
  const rangeOf = parseRange(call);
  const limit = parseTableLimit(call);
  const after = parseCursor(call, cursors.accountTransactions);
  return call.read((chain) => {
    const query = { ...rangeOf(chain), types, accepts, after, limit, includeBalances: true };
    const { entries, end } = chain.accounts.entries(address, query);
    const next = end && cursors.accountTransactions.encode(end);
    return tableReply(call, chain, table, mapLazily(entries, entryRow), next);
  });
}

function answerTotals(call: ReadCall): Answer {
  const address = call.address();
  const rangeOf = parseRange(call);
  return call.read((chain) => {
    const { from, to } = rangeOf(chain);
    const { isComplete, ...totals } = chain.accounts.totals(address, { from, to });
    const { opening, closing, received, sent, fees } = totals;
    const other = closing - opening - received.amount + sent.amount + fees;
    return { from, to, ...totals, ...(isComplete && { other }), complete: isComplete };
  });
}

const Sum = object({ count: Count, amount: Amount });

export const accountEntryRoutes = routesOf("addresses", [
  get("/addresses/transactions/:address", {
    summary: "Transactions of an account with direction, amount and balance, newest first",
    request: {
      params: { address: AddressText },
      query: {
        ...limitParameters(cursors.accountTransactions),
        ...typeParameter,
        ...rangeParameters,
        direction: Type.Enum([...DIRECTIONS]),
        counterparty: addressFilter("The other account."),
        ...amountParameters,
        ...formatParameter,
      },
      example: { query: { limit: 10, type: ["transfer"], direction: "out", counterparty: SECOND } },
    },
    answers: { ...tableAnswers(table, "AccountEntry"), failures: BAD_ADDRESS_OR_PARAMETER },
    cost: { cacheable: true },
    runsInReader: true,
    handle: answerEntries,
  }),
  get("/addresses/totals/:address", {
    summary: "Amounts that an account received and sent in a part of the chain",
    request: { params: { address: AddressText }, query: rangeParameters },
    answers: {
      ok: object({
        from: Height,
        to: Height,
        opening: int64("Balance before the first block, units."),
        closing: int64("Balance after the last block, units."),
        received: Sum,
        sent: Sum,
        fees: Amount,
        transactions: Type.Integer({
          ...Count,
          description: "Number of transactions, including those that move no tokens.",
        }),
        other: Type.Optional(
          int64("Change of the balance for other reasons, such as rewards; absent unless `complete`."),
        ),
        complete: Type.Boolean({
          description: "False if the sums contain only the newest 10,000 transactions of the part.",
        }),
      }),
      failures: BAD_ADDRESS_OR_PARAMETER,
    },
    cost: { cacheable: true },
    runsInReader: true,
    handle: answerTotals,
  }),
]);

/** Holdfast only. */
import Type from "typebox";
import { compareBytes } from "../../../bytes/compare.ts";
import { addressText } from "../../../crypto/addresses.ts";
import { mapLazily } from "../../../http/responses/chunked-json.ts";
import type { Reply } from "../../../http/responses/reply.ts";
import type { RichAccount } from "../../../interfaces.ts";
import { cursors, type RankPosition } from "../../lists/cursors.ts";
import { limitParameters, pageOf, parseCursor } from "../../lists/pages.ts";
import { formatParameter, parseTableLimit, tableAnswers, tableReply } from "../../lists/tables.ts";
import { get, type ReadCall, routesOf } from "../../route.ts";
import { AddressText, Count, int64 } from "../../schemas/common.ts";

const table = {
  name: "richest-accounts",
  members: {
    rank: Type.Integer({ ...Count, description: "From 1." }),
    address: AddressText,
    balance: int64("Regular balance, units of 10^-8 token."),
    effective: int64(
      "Effective balance, units: with tokens leased to the account, without those it leased out.",
    ),
    share: Type.Number({ minimum: 0, description: "Balance as a share of the supply." }),
  },
} as const;

function isAfter(one: RichAccount, after: RankPosition | undefined): boolean {
  if (after === undefined || one.balance < after.rank) return true;
  return one.balance === after.rank && compareBytes(one.address, after.address) > 0;
}

function answerRichest(call: ReadCall): Reply {
  const limit = parseTableLimit(call);
  const after = parseCursor(call, cursors.richestAccounts);
  return call.read((chain) => {
    const all = chain.richest.accounts();
    const start = after === undefined ? 0 : all.findIndex((one) => isAfter(one, after));
    const found = start < 0 ? [] : all.slice(start, start + limit + 1);
    const supply = call.info.network.genesis.initialBalance - chain.network.burned();
    const { shown, next } = pageOf(found, { limit }, cursors.richestAccounts, ({ address, balance }) => {
      return { rank: balance, tieBreak: 0n, address };
    });
    let rank = start;
    const rows = mapLazily(shown, ({ address, balance }) => {
      rank++;
      const { leaseIn, leaseOut } = chain.accounts.info(address);
      return {
        rank,
        address: addressText(address),
        balance,
        effective: balance + leaseIn - leaseOut,
        share: supply === 0n ? 0 : Number(balance) / Number(supply),
      };
    });
    return tableReply(call, chain, table, rows, next);
  });
}

export const richestRoutes = routesOf("addresses", [
  get("/addresses/richest", {
    summary: "Accounts with the highest regular balances, highest first; at most 10,000",
    request: { query: { ...limitParameters(cursors.richestAccounts), ...formatParameter } },
    answers: tableAnswers(table, "RichAccount"),
    cost: { cacheable: true, indexes: ["richest"] },
    runsInReader: true,
    handle: answerRichest,
  }),
]);

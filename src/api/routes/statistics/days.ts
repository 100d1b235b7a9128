/** Routes that the indexer lacks. */
import Type from "typebox";
import { DAY } from "../../../bytes/durations.ts";
import type { JsonOut } from "../../../bytes/json.ts";
import { printList } from "../../../http/responses/chunked-json.ts";
import { ChunkedBody, Reply } from "../../../http/responses/reply.ts";
import type { ChainSnapshot } from "../../../interfaces.ts";
import { get, indexRoutesOf, type ReadCall } from "../../route.ts";
import { AddressText, Amount, Count, Height, object } from "../../schemas/common.ts";
import { fails, failsEither, failsInIndex } from "../../schemas/failures.ts";
import { indexError, parseCount } from "./index-query.ts";
import { dayOf, requireStatistics, STATISTICS_DISABLED } from "./statistics.ts";

/** About 11 years. */
const MAX_DAYS = 4_000;
const DEFAULT_DAYS = 100;
/** Largest day that the index can store. */
const MAX_DAY = 0xffff_fffe;

const BAD_PARAMETER = failsInIndex("A day or the limit is not valid.");
const DayText = Type.String({ description: "`YYYY-MM-DD` in UTC." });
const query = {
  from: Type.String({
    description: "First day in UTC: a date, or ms since 1970 (digits only).",
    examples: ["2025-12-31"],
  }),
  to: Type.String({ description: "Last day in UTC.", examples: ["2026-01-02"] }),
  limit: Type.Integer({
    minimum: 1,
    maximum: MAX_DAYS,
    description: `Maximum number of days, ${DEFAULT_DAYS} by default; the newest are chosen.`,
    examples: [30],
  }),
};

/** @throws ApiError 400 */
function parseDay(call: ReadCall, name: "from" | "to", fallback: number): number {
  const text = call.query(name);
  const day = text === undefined ? fallback : dayOf(text);
  if (day === undefined) throw indexError(`invalid ${name} date given`);
  return Math.min(Math.max(day, 0), MAX_DAY);
}

/** @throws ApiError 400 for an invalid parameter, 404 without the index */
function answerDays<Row extends { readonly day: number }>(
  call: ReadCall,
  read: (chain: ChainSnapshot, from: number, to: number, limit: number) => readonly Row[] | undefined,
): Reply {
  const from = parseDay(call, "from", 0);
  const to = parseDay(call, "to", MAX_DAY);
  const limit = parseCount(call, "limit", { fallback: DEFAULT_DAYS, max: MAX_DAYS });
  const rows = call.read((chain) => requireStatistics(read(chain, from, to, limit)));
  return new Reply({ body: new ChunkedBody(printList(rows.map(rowJson))) });
}

function rowJson<Row extends { readonly day: number }>({ day, ...row }: Row): JsonOut {
  return { day: new Date(day * DAY).toISOString().slice(0, 10), ...row };
}

export const dayRoutes = indexRoutesOf("statistics", [
  get("/stats/days", {
    summary: "Transactions, fees, senders, anchors and supply per day, oldest first",
    request: { query },
    answers: {
      ok: Type.Array(
        object({
          day: DayText,
          height: Type.Integer({ ...Height, description: "Height of the day's last block." }),
          blocks: Count,
          transactions: Count,
          transfers: Count,
          anchorTransactions: Count,
          associations: Count,
          anchors: Type.Integer({ ...Count, description: "Number of anchored hashes." }),
          fees: Amount,
          senders: Type.Integer({
            ...Count,
            description: "Estimated number of accounts that sent transactions.",
          }),
          supply: Amount,
          leased: Amount,
        }),
      ),
      failures: { 400: BAD_PARAMETER, 404: STATISTICS_DISABLED },
    },
    cost: { cacheable: true, indexes: ["statistics"] },
    runsInReader: true,
    handle: (call) => answerDays(call, (chain, ...range) => chain.statistics.activity(...range)),
  }),
  get("/stats/generator/:address", {
    summary: "Blocks and rewards of a generator per day, oldest first",
    request: { params: { address: AddressText }, query },
    answers: {
      ok: Type.Array(
        object({
          day: DayText,
          blocks: Count,
          reward: Amount,
          allBlocks: Type.Integer({ ...Count, description: "Blocks of all generators." }),
        }),
      ),
      failures: {
        400: failsEither(BAD_PARAMETER, fails("The address is not valid on this network.")),
        404: STATISTICS_DISABLED,
      },
    },
    cost: { cacheable: true, indexes: ["statistics"] },
    runsInReader: true,
    handle: (call) => {
      const address = call.address();
      return answerDays(call, (chain, ...range) => chain.statistics.forgedByDay(address, ...range));
    },
  }),
]);

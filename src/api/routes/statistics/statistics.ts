/** Page 07 §13. The indexer lacks the supply per day and the generators of a period. */
import Type from "typebox";
import { compareBytes } from "../../../bytes/compare.ts";
import { parseUtc } from "../../../bytes/dates.ts";
import { DAY } from "../../../bytes/durations.ts";
import type { JsonOut } from "../../../bytes/json.ts";
import { addressText } from "../../../crypto/addresses.ts";
import { TextError } from "../../../http/errors.ts";
import { Reply } from "../../../http/responses/reply.ts";
import type { ChainSnapshot, DayStatistics, ForgerInfo } from "../../../interfaces.ts";
import { lockedSupplyAt, noLockedSupply } from "../../../profiles/locked-supply.ts";
import { entryJsonValue } from "../../../transactions/index.ts";
import { type CursorCodec, cursors, type RankPosition } from "../../lists/cursors.ts";
import { pageOf, pageParameters, pageReply } from "../../lists/pages.ts";
import { fileAnswers, fileReply, formatParameter, isFileRequested, rowsOf } from "../../lists/tables.ts";
import { type Answer, type Call, get, indexRoutesOf, type ReadCall } from "../../route.ts";
import { AddressText, Amount, Count, object } from "../../schemas/common.ts";
import { failsEither, failsInIndex, failsInText } from "../../schemas/failures.ts";
import { indexError, parseIndexPage, refuseFormat } from "./index-query.ts";

/** Maximum of `to - from`. */
const MAX_DAYS = 100;
const MAX_FORGERS = 1_000;
const DEFAULT_FORGERS = 100;
const MAX_INFO_ENTRIES = 100;

/** First and last day, in days since 1970-01-01 UTC. */
interface Period {
  readonly from: number;
  readonly to: number;
}

/** Accepts ms since 1970 (digits only) or a date. Page 07 §13.1. */
export function dayOf(text: string): number | undefined {
  const time = /\D/.test(text) ? parseUtc(text) : new Date(Number(text)).getTime();
  return Number.isNaN(time) ? undefined : Math.floor(time / DAY);
}

/** Checks in the order of page 07 §13.1. @throws ApiError 400 */
function periodOf(call: ReadCall): Period {
  const from = dayOf(call.param("from"));
  if (from === undefined) throw indexError("invalid from date given");
  const to = dayOf(call.param("to"));
  if (to === undefined) throw indexError("invalid to date given");
  if (to <= from || to - from > MAX_DAYS) throw indexError("invalid period range given");
  return { from, to };
}

function periodText(day: number): string {
  return new Date(day * DAY).toISOString().replace(/T.*/, " 00:00:00");
}

const noActivity: DayStatistics = {
  blocks: 0,
  operations: 0,
  transactions: 0,
  leaseIn: 0n,
  leaseOut: 0n,
  supply: 0n,
  leased: 0n,
};

function readDays(call: ReadCall, group?: string) {
  const { from, to } = periodOf(call);
  return { from, to, sums: call.read((chain) => chain.statistics.days(from, to, group)) };
}

/** Without the index, the sums are zero. */
function rowsByDay(
  { from, to, sums }: ReturnType<typeof readDays>,
  row: (day: DayStatistics) => Readonly<Record<string, JsonOut>>,
): JsonOut {
  return Array.from({ length: to - from + 1 }, (_, i) => ({
    period: periodText(from + i),
    ...row(sums?.[i] ?? noActivity),
  }));
}

function answerTransactions(call: ReadCall): JsonOut {
  const type = call.param("type");
  const groups = call.read((chain) => chain.transactionGroups.names());
  if (!groups.includes(type)) throw new TextError(400, "invalid type given");
  return rowsByDay(readDays(call, type), (day) => ({ count: day.transactions }));
}

/** Without the index, Holdfast's own routes answer 404; the indexer's routes answer zeros. */
export function requireStatistics<T>(statistics: T | undefined): T {
  if (statistics === undefined) throw indexError("statistics are disabled", 404);
  return statistics;
}

function answerSupplyByDay(call: ReadCall): JsonOut {
  const days = readDays(call);
  requireStatistics(days.sums);
  return rowsByDay(days, ({ supply, leased }) => {
    return { supply, leased, leasedShare: supply === 0n ? 0 : Number(leased) / Number(supply) };
  });
}

function compareRanks(a: RankPosition, b: RankPosition): number {
  if (a.rank !== b.rank) return a.rank < b.rank ? 1 : -1;
  if (a.tieBreak !== b.tieBreak) return a.tieBreak < b.tieBreak ? 1 : -1;
  return compareBytes(a.address, b.address);
}

/** @throws ApiError 400 that names a parameter */
function rankedPage<T>(
  call: ReadCall,
  codec: CursorCodec<RankPosition>,
  all: readonly T[],
  positionOf: (one: T) => RankPosition,
  defaultLimit: number,
): ReturnType<typeof pageOf<T, RankPosition>> {
  const fallback = isFileRequested(call, refuseFormat) ? MAX_FORGERS : defaultLimit;
  const { limit, offset, after } = parseIndexPage(call, codec, { fallback, max: MAX_FORGERS });
  const remaining = all
    .filter((one) => after === undefined || compareRanks(positionOf(one), after) > 0)
    .sort((a, b) => compareRanks(positionOf(a), positionOf(b)));
  return pageOf(remaining.slice(offset), { limit }, codec, positionOf);
}

function answerForgers(call: ReadCall): Reply {
  const { from, to } = periodOf(call);
  const positionOf = (one: ForgerInfo): RankPosition => {
    return { rank: BigInt(one.blocks), tieBreak: one.reward, address: one.address };
  };
  return call.read((chain) => {
    const all = requireStatistics(chain.statistics.forgedBetween(from, to));
    const { shown, next } = rankedPage(call, cursors.forgers, all, positionOf, DEFAULT_FORGERS);
    const blocks = all.reduce((sum, one) => sum + one.blocks, 0);
    const generators = shown.map((one) => ({
      generator: addressText(one.address),
      blocks: one.blocks,
      reward: one.reward,
      share: blocks === 0 ? 0 : one.blocks / blocks,
    }));
    const reward = all.reduce((sum, one) => sum + one.reward, 0n);
    const json = { blocks, reward, total: all.length, generators };
    return fileReply(call, chain, forgersTable, generators, next) ?? pageReply(call, json, next);
  });
}

/** Data entries with a key `a:b` are members of `a`. Page 07 §13.6. */
function generatorInfo(chain: ChainSnapshot, address: Uint8Array): JsonOut {
  const info = new Map<string, JsonOut>();
  for (const entry of chain.accounts.dataEntries(address, { offset: 0, limit: MAX_INFO_ENTRIES })) {
    const value = entryJsonValue(entry);
    const [name, inner] = entry.key.split(":", 2);
    if (inner === undefined) info.set(entry.key, value);
    else {
      const group = info.get(name);
      info.set(name, new Map([...(group instanceof Map ? group : []), [inner, value]]));
    }
  }
  return info;
}

function answerGenerators(call: ReadCall): Reply {
  return call.read((chain) => {
    const all = Array.from(chain.generators.all(), (one) => ({
      ...one,
      balance: chain.accounts.generatingBalance(one.address),
    }));
    const sum = all.reduce((before, { balance }) => before + balance, 0n);
    const positionOf = ({ address, balance }: (typeof all)[number]): RankPosition => {
      return { rank: balance, tieBreak: 0n, address };
    };
    const { shown, next } = rankedPage(call, cursors.generators, all, positionOf, MAX_FORGERS);
    const rows = shown.map(({ address, blocks, reward, balance }) => ({
      generator: addressText(address),
      blocks,
      reward,
      balance,
      share: sum === 0n ? null : Number(balance) / Number(sum),
      info: generatorInfo(chain, address),
    }));
    return fileReply(call, chain, generatorsTable, rows, next) ?? pageReply(call, rows, next);
  });
}

/** Page 07 §13.5. */
function tokensText(amount: bigint): string {
  return `${amount / UNITS_PER_TOKEN}.${String(amount % UNITS_PER_TOKEN).padStart(8, "0")}`;
}

const UNITS_PER_TOKEN = 100_000_000n;

/** In units. Page 07 §18.6. */
function computeMaxSupply(call: ReadCall): bigint {
  return call.info.network.genesis.initialBalance - call.read((chain) => chain.network.burned());
}

function computeCirculatingSupply(call: Call): bigint {
  const locked =
    BigInt(lockedSupplyAt(call.info.lockedSupply ?? noLockedSupply, call.api.clock.now())) * UNITS_PER_TOKEN;
  const circulating = computeMaxSupply(call) - locked;
  return circulating < 0n ? 0n : circulating;
}

function supplyAnswer(call: ReadCall, name: string, amount: bigint): Answer {
  const text = tokensText(amount);
  if (call.query("output") !== "raw") return { [name]: text };
  return new Reply({ type: "text/plain; charset=utf-8", body: text });
}

function supplyRoute<const Path extends string, const Name extends string>(
  path: Path,
  name: Name,
  summary: string,
  amount: (call: Call) => bigint,
) {
  const Supply = object({ [name]: Type.String({ description: "In whole tokens, with 8 decimals." }) });
  const Raw = Type.String();
  return get(path, {
    summary,
    request: {
      query: { output: Type.Enum(["json", "raw"], { description: "`raw`: the number as plain text." }) },
    },
    answers: { ok: Type.Union([Supply, Raw]), forms: { "application/json": Supply, "text/plain": Raw } },
    handle: (call) => supplyAnswer(call, name, amount(call)),
  });
}

const dayParameter = (ordinal: string, example: string) =>
  Type.String({
    description: `${ordinal} day in UTC: a date, or ms since 1970 (digits only).`,
    examples: [example],
  });
const PERIOD = { from: dayParameter("First", "2025-12-31"), to: dayParameter("Last", "2026-01-02") };
const PeriodText = Type.String({ description: "`YYYY-MM-DD 00:00:00` in UTC." });
const Counts = Type.Array(object({ period: PeriodText, count: Count }));
const BAD_PERIOD = failsInIndex("A day is not valid, or the period is not 2 to 101 days.");
export const STATISTICS_DISABLED = failsInIndex("The statistics are disabled.");
const Share = Type.Number({ minimum: 0 });

const forgersTable = {
  name: "generators-of-period",
  members: { generator: AddressText, blocks: Count, reward: Amount, share: Share },
} as const;

const generatorsTable = {
  name: "generators",
  members: {
    generator: AddressText,
    blocks: Count,
    reward: Amount,
    balance: Amount,
    share: Type.Union([Share, Type.Null()], {
      description: "Share of the balances of all listed generators.",
    }),
    info: Type.Record(Type.String(), Type.Unknown(), {
      description: "Data of the account; entries with a key `a:b` are members of `a`.",
    }),
  },
} as const;
const Generators = rowsOf(generatorsTable);

export const statisticsRoutes = indexRoutesOf("statistics", [
  get("/stats/operations/:from/:to", {
    summary: "Operations per day: a transaction counts once, or once for each hash or transfer in it",
    request: { params: PERIOD },
    answers: { ok: Counts, failures: { 400: BAD_PERIOD } },
    cost: { cacheable: true, indexes: ["statistics"] },
    handle: (call) => rowsByDay(readDays(call), ({ operations }) => ({ count: operations })),
  }),
  get("/stats/transactions/:type/:from/:to", {
    summary: "Transactions per day, of a group or of all types",
    request: {
      params: {
        type: Type.String({
          description: "Name of a group, e.g. `anchor`, `all_transfers`; or `all`.",
          examples: ["all"],
        }),
        ...PERIOD,
      },
    },
    answers: {
      ok: Counts,
      failures: { 400: failsEither(BAD_PERIOD, failsInText("The group does not exist.")) },
    },
    cost: { cacheable: true, indexes: ["statistics"] },
    handle: answerTransactions,
  }),
  get("/stats/lease/:from/:to", {
    summary: "Tokens leased and unleased per day",
    request: { params: PERIOD },
    answers: {
      ok: Type.Array(object({ period: PeriodText, in: Amount, out: Amount })),
      failures: { 400: BAD_PERIOD },
    },
    cost: { cacheable: true, indexes: ["statistics"] },
    handle: (call) => rowsByDay(readDays(call), ({ leaseIn, leaseOut }) => ({ in: leaseIn, out: leaseOut })),
  }),
  supplyRoute(
    "/stats/supply/circulating",
    "circulatingSupply",
    "Circulating supply: maximum supply without locked tokens",
    computeCirculatingSupply,
  ),
  supplyRoute(
    "/stats/supply/max",
    "maxSupply",
    "Maximum supply: initial supply without burned tokens",
    computeMaxSupply,
  ),
  get("/stats/supply/:from/:to", {
    summary: "Supply and leased tokens at the end of each day",
    request: { params: PERIOD },
    answers: {
      ok: Type.Array(object({ period: PeriodText, supply: Amount, leased: Amount, leasedShare: Share })),
      failures: { 400: BAD_PERIOD, 404: STATISTICS_DISABLED },
    },
    cost: { cacheable: true, indexes: ["statistics"] },
    handle: answerSupplyByDay,
  }),
  get("/stats/generators/:from/:to", {
    summary: "Generators of a period, most blocks first",
    request: {
      params: PERIOD,
      query: { ...pageParameters(cursors.forgers, MAX_FORGERS, 0), ...formatParameter },
    },
    answers: {
      ...fileAnswers(
        object({
          blocks: Count,
          reward: Amount,
          total: Type.Integer({ minimum: 0, description: "Number of generators." }),
          generators: rowsOf(forgersTable),
        }),
        rowsOf(forgersTable),
      ),
      failures: {
        400: failsInIndex("A day or a parameter is not valid, or the period is not 2 to 101 days."),
        404: STATISTICS_DISABLED,
      },
    },
    cost: { cacheable: true, indexes: ["statistics"] },
    runsInReader: true,
    handle: answerForgers,
  }),
  get("/generators", {
    summary: "Recent generators with their current generating balances, highest first",
    request: { query: { ...pageParameters(cursors.generators, MAX_FORGERS, 0), ...formatParameter } },
    answers: {
      ...fileAnswers(Generators, Generators),
      failures: { 400: failsInIndex("A parameter is not valid.") },
    },
    cost: { cacheable: true, indexes: ["generators"] },
    runsInReader: true,
    handle: answerGenerators,
  }),
]);

import type { Answer } from "../../../client/index.ts";
import { afterKeyBlocks, TEN_MINUTES_MS, useAnswer } from "../../data/use-query.ts";
import type { Attempt, PageContext } from "../../page.ts";
import type { DayChart } from "../../parts/charts/day-plot.tsx";
import { chartTexts as texts } from "./texts.ts";

type Days = Answer<"GET /stats/days">;

/** The newest `limit` days, oldest first. */
export function useDays(context: PageContext, limit: number): Attempt<Days> | undefined {
  return useAnswer(context, afterKeyBlocks(context, TEN_MINUTES_MS), "GET /stats/days", { query: { limit } });
}

const { titles, series: labels } = texts;

export const dayCharts = {
  transactions: {
    title: titles.transactions,
    name: "transactions",
    unit: "count",
    shape: "bars",
    labels,
    values: {
      transfers: (day) => day.transfers,
      anchors: (day) => day.anchorTransactions,
      associations: (day) => day.associations,
      others: (day) => day.transactions - day.transfers - day.anchorTransactions - day.associations,
    },
  },
  fees: {
    title: titles.fees,
    name: "fees",
    unit: "tokens",
    shape: "line",
    labels,
    values: { fees: (day) => day.fees },
  },
  senders: {
    title: titles.senders,
    name: "active-accounts",
    unit: "count",
    shape: "line",
    labels,
    values: { senders: (day) => day.senders },
  },
  anchors: {
    title: titles.anchors,
    name: "anchors",
    unit: "count",
    shape: "line",
    labels,
    values: { hashes: (day) => day.anchors },
  },
  supply: {
    title: titles.supply,
    name: "supply",
    unit: "tokens",
    shape: "line",
    labels,
    values: { supply: (day) => day.supply, leased: (day) => day.leased },
  },
} as const satisfies Readonly<Record<string, DayChart<Days[number]>>>;

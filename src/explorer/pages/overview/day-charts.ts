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

type Chart = DayChart<Days[number]>;

const lineChart = (title: string, name: string, unit: Chart["unit"], values: Chart["values"]): Chart => ({
  title,
  name,
  unit,
  shape: "line",
  labels,
  values,
});

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
  fees: lineChart(titles.fees, "fees", "tokens", { fees: (day) => day.fees }),
  senders: lineChart(titles.senders, "active-accounts", "count", { senders: (day) => day.senders }),
  anchors: lineChart(titles.anchors, "anchors", "count", { hashes: (day) => day.anchors }),
  supply: lineChart(titles.supply, "supply", "tokens", {
    supply: (day) => day.supply,
    leased: (day) => day.leased,
  }),
} as const satisfies Readonly<Record<string, Chart>>;

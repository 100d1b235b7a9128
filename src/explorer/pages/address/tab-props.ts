import type { PageContext, QueryOptions } from "../../page.ts";

export const tabNames = [
  "transactions",
  "changes",
  "data",
  "associations",
  "identity",
  "script",
  "sponsors",
  "certificate",
] as const;

export type TabName = (typeof tabNames)[number];

export function parseTab(text: string | null): TabName {
  return tabNames.find((name) => name === text) ?? "transactions";
}

export interface TabProps {
  readonly address: string;
  readonly context: PageContext;
  /** Of queries about the account. */
  readonly options: QueryOptions;
  readonly query: URLSearchParams;
}

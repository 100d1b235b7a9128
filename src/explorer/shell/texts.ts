import { catalogue } from "../text/catalogue.ts";
import { countText, numberText } from "../text/text.ts";
import type { Health } from "./health.ts";

export const shellTexts = catalogue("shellTexts", {
  name: "Holdfast",
  pages: "Pages",
  navigation: {
    "": "Overview",
    blocks: "Blocks",
    transactions: "Transactions",
    anchor: "Check a file",
    charts: "Charts",
    forgers: "Forgers",
    trust: "Trust",
    node: "Node",
    accounts: "Accounts",
  },
  skip: "Skip to the page",
  search: "Search",
  suggestions: "Suggestions",
  searchLabel: "Height, block, transaction, address, DID or hash",
  searchPlaceholder: "height, id, address, DID, hash, or drop a file",
  chainId: "chain id",
  otherNode: "Data from {url}",
  theme: { system: "Theme: system", dark: "Theme: dark", light: "Theme: light" },

  connecting: "connecting",
  live: "live",
  stale: {
    blocks: (age: string) => `stale, last block ${age} ago`,
    data: (silence: string) => `stale, no data for ${silence}`,
  },
  behind: "syncing with other nodes",
  lost: (problem: string) => `${problem} Trying again.`,
  well: "healthy",
  /** @param message of the node, in English */
  reason: (_code: Health["reasons"][number]["code"], message: string) => message,
  forging: { on: "forging", waiting: "cannot forge now", off: undefined },
  reorganisation: {
    blocks: (count: number) => `A fork replaced ${countText(count, "block")}:`,
    block: (height: number) => `block ${numberText(height)}`,
    all: "all reorganisations",
    seen: "Seen",
  },
  height: "height",
  peers: (count: number) => countText(count, "peer"),

  pageNotFound: "This page does not exist.",
  pageNotFoundAdvice: "Use the search field above, or start with the overview.",
  codeNotLoaded: "Cannot load this part of the explorer.",
  codeNotLoadedAdvice:
    "The node that serves it is down or was updated: check that it is running, and reload the page.",
  source: "All data comes from {api} and nowhere else.",
  api: "the node's API",
});

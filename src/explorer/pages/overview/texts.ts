import { catalogue } from "../../text/catalogue.ts";
import { countText, numberText } from "../../text/text.ts";

export const overviewTexts = catalogue("overviewTexts", {
  title: "Overview",
  syncing: (height: number, target?: number, percent?: string, timeLeft?: string) =>
    [
      `The node is syncing: block ${numberText(height)}`,
      target === undefined ? "" : ` of about ${numberText(target)}`,
      percent === undefined ? "" : ` (${percent})`,
      timeLeft === undefined ? "" : `, ${timeLeft} left`,
      ". This page shows the chain up to this block.",
    ].join(""),
  blocks: {
    title: "Newest blocks",
    loading: "Loading the newest blocks…",
    onlyFirst: "The chain has only its first block. No forger has made the second one yet.",
  },
  transactions: {
    title: "Live transactions",
    newRows: (count: number) => countText(count, "new transaction"),
    filter: "Show",
    caption: "Newest transactions",

    pending: "in the pool",
    reverted: "reverted",
    revertedBy: "reverted by {block}",
    otherBlock: "another block",
    empty: "No transactions yet. New ones appear here immediately.",
  },
  days: { link: "All charts" },
  forgers: {
    title: "Forgers",
    caption: "Forgers of the newest blocks, by blocks and by stake",

    blocks: "of blocks",
    stake: "of stake",
    empty: "No blocks forged yet.",
    rings: "Outer ring: blocks; inner ring: stake.",
    link: "All forgers and the next block",
  },
  supply: {
    title: "Supply",
    total: "Total supply",
    burned: "Net burned",
    burnedHint: "Burned tokens minus mining rewards",
    leased: "Leased",
  },
  fees: {
    title: "Fees",
    next: "Next fee price",
    nextPrice: (vote: string) => `{price} (${vote}), from block {height}`,
  },
});

export const chartTexts = catalogue("chartTexts", {
  title: "Charts",
  titles: {
    transactions: "Transactions per day",
    fees: "Fees per day",
    senders: "Active accounts per day",
    anchors: "Anchored hashes per day",
    supply: "Supply at the end of each day",
  },
  series: {
    transfers: "transfers",
    anchors: "anchors",
    associations: "associations",
    others: "others",
    fees: "fees",
    senders: "accounts",
    hashes: "hashes",
    supply: "supply",
    leased: "leased",
  },
  sendersNote:
    "Accounts that sent a transaction. Their number is estimated, with an error below 1 % up to 1,000 accounts.",
});

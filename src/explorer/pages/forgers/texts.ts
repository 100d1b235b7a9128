import { catalogue } from "../../text/catalogue.ts";
import { countText, numberText } from "../../text/text.ts";

export const forgersTexts = catalogue("forgersTexts", {
  title: "Forgers",
  next: {
    title: "Next block",
    none: "No recent forger can make the next block. Any other account with enough stake can.",
    noBlocks: "No blocks forged yet: any account with enough stake can make the next one.",
    candidates: (height: number) => `Recent forgers that can make block ${numberText(height)}:`,
    note: "Earliest possible times, based on the newest block. All nodes accept the first valid block.",
    ineligible: "not eligible",
  },
  shares: {
    ringCaption: "Forgers by blocks and by stake",
    title: "Blocks and stake",
    caption: (window: number) => `Forgers of the newest ${countText(window, "block")}`,
    blockShare: "Share of blocks",
    stake: "Stake",
    stakeShare: "Share of stake",
    ratio: "Blocks / stake",
  },
  earnings: {
    title: (days: number) => `Earnings, last ${countText(days, "day")}`,
    blocks: "Blocks",
    expected: "Expected blocks",
    reward: "Earned",
    perDay: "Per day",
    lease: "Lease in tokens",
    estimate: "Share for the lease",
    empty: "No forger earned anything.",
    formula:
      "Expected blocks are the forger's present share of the stake, times all blocks of these days. Share for the lease = earned × lease ÷ (stake + lease). This estimate assumes the present stake, and that the forger passes on everything. Forgers need not pay anything to those who lease to them. A new lease counts after 1,000 blocks.",
  },
  forger: {
    earned: "Earnings and blocks",
    earnings: "Earnings per day",
    blocks: "Blocks per day",
    estimate: (days: number) => `Share of the lease, last ${countText(days, "day")}:`,
    leases: "Leases",
    history: "Lease history",
    noHistory: "This account never leased, and nobody leased to it.",
  },
  missed: {
    title: "Missed blocks",
    note: (window: number) =>
      `The table lists those of the newest ${countText(window, "block")} that another recent forger could have made earlier, because its delay was shorter. That forger was offline, or its block came too late.`,
    shortest: "Shortest delay",
    earlier: "Earlier by",
    generator: "Made by",
    none: "No block was missed.",
  },
  blocks: {
    title: (count: number) => `Newest ${countText(count, "block")}`,
    times: (average: string, longest: string) => `Average block time ${average}, longest ${longest}.`,
    plot: "Block time",
    series: "Time since parent block",
    caption: "Newest blocks and their forgers",
  },
});

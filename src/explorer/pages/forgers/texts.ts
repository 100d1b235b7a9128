import { countText, numberText } from "../../text/measures.ts";

export const forgersTexts = {
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
    ring: (window: number) => `Newest ${countText(window, "block")}`,
    ringCaption: "Forgers by blocks and by stake",
    title: "Blocks and stake",
    caption: (window: number) => `Forgers of the newest ${countText(window, "block")}`,
    blocks: "Blocks",
    blockShare: "Share of blocks",
    stake: "Stake",
    stakeShare: "Share of stake",
    ratio: "Blocks / stake",
    nextBlock: "Next block",
  },
  blocks: {
    title: (count: number) => `Newest ${countText(count, "block")}`,
    times: (average: string, longest: string) => `Average block time ${average}, longest ${longest}.`,
    plot: "Block time",
    series: "Time since parent block",
    caption: "Newest blocks and their forgers",
    blockTime: "Block time",
  },
};

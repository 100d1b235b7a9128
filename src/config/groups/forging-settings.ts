/** Forging blocks and voting in them. */
import { list, oneOf, path, whole, yesNo } from "../kinds/kinds.ts";
import { DAY, duration } from "../kinds/quantity-kinds.ts";
import { withDefault } from "./define-setting.ts";

export const forgingSettings = {
  enabled: withDefault("forge", yesNo, true, {
    container: "ENABLE_MINING",
    reference: "miner.enable",
    about: "Forge blocks with the accounts of the wallet",
    negated: "Do not forge",
  }),
  quorum: withDefault("forge-quorum", whole(0, 10_000), 0, {
    reference: "miner.quorum",
    about: "Connections to other nodes without which nothing is forged",
  }),
  minimalBlockGenerationOffsetMs: withDefault("minimal-block-generation-offset", duration(0, 3_600_000), 0, {
    reference: "miner.minimal-block-generation-offset",
    about: "Shortest wait before a block is forged",
  }),
  features: withDefault("features", list(whole(1, 32_767, "a feature id"), "ID,..."), [], {
    container: "FEATURES",
    reference: "features.supported",
    about: "Ids of the features that blocks of this node vote for",
    defaultText: "none",
  }),
  feeVote: withDefault("fee-vote", oneOf(["decrease", "maintain", "increase"]), "maintain", {
    about: "Vote on the fee price in blocks of this node",
  }),
  feeVoteFile: withDefault("fee-vote-file", path, (_, dataDir) => `${dataDir}/fee-vote`, {
    reference: "miner.fee-vote-file",
    about:
      "File whose first line changes the vote while the node runs: DECREASE, MAINTAIN or INCREASE. " +
      "It is deleted at start",
    defaultText: "<data-dir>/fee-vote",
  }),
  microBlockIntervalMs: withDefault(
    "micro-block-interval",
    duration(1, 3_600_000),
    (network) => network.forging.microBlockIntervalMs,
    {
      reference: "miner.micro-block-interval",
      about: "Time between micro blocks of this node",
      defaultText: "that of the network: 100ms on dev, 5s on mainnet and testnet",
    },
  ),
  minMicroBlockAgeMs: withDefault(
    "min-micro-block-age",
    duration(0, 3_600_000),
    (network) => network.forging.minMicroBlockAgeMs,
    {
      reference: "miner.min-micro-block-age",
      about: "How old a micro block must be for a key block of this node to build on it",
      defaultText: "that of the network: 0ms on dev and custom, else 6s",
    },
  ),
  maxTransactionsInMicroBlock: withDefault(
    "max-transactions-in-micro-block",
    whole(1, 500),
    (network) => network.forging.maxTransactionsInMicroBlock,
    {
      reference: "miner.max-transactions-in-micro-block",
      about: "Transactions that a micro block of this node holds at most",
      defaultText: "that of the network: 255",
    },
  ),
  intervalAfterLastBlockMs: withDefault<number | undefined>(
    "interval-after-last-block",
    duration(1_000, 100_000 * DAY),
    (network) => network.forging.intervalAfterLastBlockMs,
    {
      reference: "miner.interval-after-last-block-then-generation-is-allowed",
      about: "Forge only while the last block is younger than this",
      defaultText: "that of the network: no limit on dev, else 30d",
    },
  ),
} as const;

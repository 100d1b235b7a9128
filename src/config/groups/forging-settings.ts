/** Forging blocks and voting in them. */
import type { NetworkProfile } from "../../profiles/index.ts";
import { list, oneOf, path, whole, yesNo } from "../kinds/kinds.ts";
import { DAY, duration } from "../kinds/quantity-kinds.ts";
import { always, maybe } from "./define-setting.ts";

export const forgingSettings = {
  forge: always(
    {
      name: "forge",
      group: "forging",
      container: "ENABLE_MINING",
      reference: "miner.enable",
      about: "Forge blocks with the accounts of the wallet",
      on: true,
      negated: "Do not forge",
    },
    yesNo,
    true,
  ),
  forgeQuorum: always(
    {
      name: "forge-quorum",
      group: "forging",
      reference: "miner.quorum",
      about: "Connections to other nodes without which nothing is forged",
    },
    whole(0, 10_000),
    0,
  ),
  minimalBlockGenerationOffsetMs: always(
    {
      name: "minimal-block-generation-offset",
      group: "forging",
      reference: "miner.minimal-block-generation-offset",
      about: "Shortest wait before a block is forged",
    },
    duration(0, 3_600_000),
    0,
  ),
  features: always(
    {
      name: "features",
      group: "forging",
      container: "FEATURES",
      reference: "features.supported",
      about: "Ids of the features that blocks of this node vote for",
      standardText: "none",
    },
    list(whole(1, 32_767, "a feature id"), "ID,..."),
    [],
  ),
  stopOnUnsupportedFeature: always(
    {
      name: "stop-on-unsupported-feature",
      group: "forging",
      reference: "features.auto-shutdown-on-unsupported-feature",
      about: "Stop when a feature becomes active that this version does not know",
      on: true,
      negated: "Do not stop when a feature becomes active that this version does not know",
    },
    yesNo,
    true,
  ),
  feeVote: always(
    {
      name: "fee-vote",
      group: "forging",
      about: "Vote on the fee price in blocks of this node",
    },
    oneOf(["decrease", "maintain", "increase"]),
    "maintain",
  ),
  feeVoteFile: always(
    {
      name: "fee-vote-file",
      group: "forging",
      reference: "miner.fee-vote-file",
      about:
        "File whose first line changes the vote while the node runs: DECREASE, MAINTAIN or INCREASE. " +
        "It is deleted at start",
      standardText: "<data-dir>/fee-vote",
    },
    path,
    (_, dataDir) => `${dataDir}/fee-vote`,
  ),
  feeVoteIntervalMs: always(
    {
      name: "fee-vote-interval",
      group: "forging",
      reference: "miner.fee-vote-watch-interval",
      about: "How often that file is read",
    },
    duration(100, DAY),
    60_000,
  ),
  microBlockIntervalMs: always(
    {
      name: "micro-block-interval",
      group: "forging",
      reference: "miner.micro-block-interval",
      about: "Time between micro blocks of this node",
      standardText: "that of the network: 100ms on dev, 5s on mainnet and testnet",
    },
    duration(1, 3_600_000),
    (network) => network.forging.microBlockIntervalMs,
  ),
  minMicroBlockAgeMs: always(
    {
      name: "min-micro-block-age",
      group: "forging",
      reference: "miner.min-micro-block-age",
      about: "How old a micro block must be for a key block of this node to build on it",
      standardText: "that of the network: 0ms on dev and custom, else 6s",
    },
    duration(0, 3_600_000),
    (network) => network.forging.minMicroBlockAgeMs,
  ),
  maxTransactionsInMicroBlock: always(
    {
      name: "max-transactions-in-micro-block",
      group: "forging",
      reference: "miner.max-transactions-in-micro-block",
      about: "Transactions that a micro block of this node holds at most",
      standardText: "that of the network: 255",
    },
    whole(1, 500),
    (network) => network.forging.maxTransactionsInMicroBlock,
  ),
  intervalAfterLastBlockMs: {
    ...maybe(
      {
        name: "interval-after-last-block",
        group: "forging",
        reference: "miner.interval-after-last-block-then-generation-is-allowed",
        about: "Forge only while the last block is younger than this",
        standardText: "that of the network: no limit on dev, else 30d",
      },
      duration(1_000, 100_000 * DAY),
    ),
    standard: (network: NetworkProfile): number | undefined => network.forging.intervalAfterLastBlockMs,
  },
} as const;

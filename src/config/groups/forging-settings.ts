import { booleanKind, list, oneOf, path, whole } from "../kinds/kinds.ts";
import { DAY, duration } from "../kinds/quantity-kinds.ts";
import { withDefault } from "./define-setting.ts";

export const forgingSettings = {
  enabled: withDefault("forge", booleanKind, true, {
    container: "ENABLE_MINING",
    reference: "miner.enable",
    basic: true,
    about: "Forge blocks with the accounts of the wallet",
    negated: "Do not forge",
  }),
  quorum: withDefault("forge-quorum", whole(0, 10_000), 0, {
    reference: "miner.quorum",
    about: "Forge only with at least this many connections to other nodes",
  }),
  features: withDefault("features", list(whole(1, 32_767, "a feature id"), "ID,..."), [], {
    container: "FEATURES",
    reference: "features.supported",
    about: "Ids of the features to vote for",
    defaultText: "none",
  }),
  feeVote: withDefault("fee-vote", oneOf(["decrease", "maintain", "increase"]), "maintain", {
    about: "Vote on the fee price",
  }),
  feeVoteFile: withDefault("fee-vote-file", path, (_, dataDir) => `${dataDir}/fee-vote`, {
    reference: "miner.fee-vote-file",
    about:
      "File whose first line changes the vote of the running node: DECREASE, MAINTAIN or INCREASE. " +
      "The node deletes the file when it starts",
    defaultText: "<data-dir>/fee-vote",
  }),
  microBlockIntervalMs: withDefault(
    "micro-block-interval",
    duration(1, 3_600_000),
    (network) => network.forging.microBlockIntervalMs,
    {
      reference: "miner.micro-block-interval",
      about: "Time between micro blocks",
      defaultText: "depends on the network: 100ms on dev, 5s on mainnet and testnet",
    },
  ),
  intervalAfterLastBlockMs: withDefault<number | undefined>(
    "interval-after-last-block",
    duration(1_000, 100_000 * DAY),
    (network) => network.forging.intervalAfterLastBlockMs,
    {
      reference: "miner.interval-after-last-block-then-generation-is-allowed",
      about: "Forge only if the last block is younger than this",
      defaultText: "depends on the network: no limit on dev, else 30d",
    },
  ),
} as const;

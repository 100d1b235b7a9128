/** Rollbacks, checkpoints and features of the chain. */
import { base58, checkpointItem, list, whole, yesNo } from "../kinds/kinds.ts";
import { withDefault } from "./define-setting.ts";

export const chainSettings = {
  rollbackDepth: withDefault(
    "rollback-depth",
    whole(100, 1_000_000_000),
    (network) => network.rollbackDepth,
    {
      reference: "max-rollback-depth",
      about: "Blocks that can be rolled back, and for which balances at a height are known",
      defaultText: "that of the network: 1000000 on dev and custom, else 2000",
    },
  ),
  checkpointKey: withDefault<Uint8Array | undefined>(
    "checkpoint-key",
    base58(32),
    (network) => network.checkpointKey,
    {
      reference: "checkpoints.public-key",
      about:
        "Ed25519 key, in Base58, whose signed checkpoints `POST /blocks/checkpoint` accepts: blocks that contradict " +
        "one are removed. Without a key none is accepted",
      defaultText: "that of the network: mainnet has one, others none",
    },
  ),
  checkpoints: withDefault("checkpoints", list(checkpointItem, "HEIGHT:ID,..."), [], {
    reference: "checkpoints.blocks",
    about: "Blocks that no other may replace at their heights, until a signed checkpoint is accepted",
    defaultText: "none",
  }),
  stopOnUnsupportedFeature: withDefault("stop-on-unsupported-feature", yesNo, true, {
    reference: "features.auto-shutdown-on-unsupported-feature",
    about: "Stop when a feature becomes active that this version does not know",
    negated: "Do not stop when a feature becomes active that this version does not know",
  }),
} as const;

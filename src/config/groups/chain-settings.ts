import { base58, booleanKind, checkpointItem, list, whole } from "../kinds/kinds.ts";
import { withDefault } from "./define-setting.ts";

export const chainSettings = {
  rollbackDepth: withDefault(
    "rollback-depth",
    whole(100, 1_000_000_000),
    (network) => network.rollbackDepth,
    {
      reference: "max-rollback-depth",
      about: "Number of blocks that can be rolled back, and for which past balances are known",
      defaultText: "depends on the network: 1000000 on dev and custom, else 2000",
    },
  ),
  checkpointKey: withDefault<Uint8Array | undefined>(
    "checkpoint-key",
    base58(32),
    (network) => network.checkpointKey,
    {
      reference: "checkpoints.public-key",
      about:
        "Ed25519 key (Base58) that signs the checkpoints for `POST /blocks/checkpoint`. Blocks that contradict a " +
        "checkpoint are removed. Without a key, no checkpoint is accepted",
      defaultText: "depends on the network: mainnet has one, others have none",
    },
  ),
  checkpoints: withDefault("checkpoints", list(checkpointItem, "HEIGHT:ID,..."), [], {
    reference: "checkpoints.blocks",
    about: "Required blocks at given heights, until a signed checkpoint is accepted",
    defaultText: "none",
  }),
  stopOnUnsupportedFeature: withDefault("stop-on-unsupported-feature", booleanKind, true, {
    reference: "features.auto-shutdown-on-unsupported-feature",
    about: "Stop when a feature is activated that this version does not know",
    negated: "Do not stop when a feature is activated that this version does not know",
  }),
} as const;

/** What of the chain can change, and what cannot any more. */
import type { NetworkProfile } from "../../profiles/index.ts";
import { base58, checkpointItem, list, whole } from "../kinds/kinds.ts";
import { always, maybe } from "./define-setting.ts";

export const chainSettings = {
  rollbackDepth: always(
    {
      name: "rollback-depth",
      group: "chain",
      reference: "max-rollback-depth",
      about: "Blocks that can be rolled back, and for which balances at a height are known",
      standardText: "that of the network: 1000000 on dev and custom, else 2000",
    },
    whole(100, 1_000_000_000),
    (network) => network.rollbackDepth,
  ),
  checkpointKey: {
    ...maybe(
      {
        name: "checkpoint-key",
        group: "chain",
        reference: "checkpoints.public-key",
        about:
          "Ed25519 key, in Base58, whose signed checkpoints `POST /blocks/checkpoint` accepts: blocks that contradict " +
          "one are removed. Without a key none is accepted",
        standardText: "that of the network: mainnet has one, others none",
      },
      base58(32),
    ),
    standard: (network: NetworkProfile): Uint8Array | undefined => network.checkpointKey,
  },
  checkpoints: always(
    {
      name: "checkpoints",
      group: "chain",
      reference: "checkpoints.blocks",
      about: "Blocks that no other may replace at their heights, until a signed checkpoint is accepted",
      standardText: "none",
    },
    list(checkpointItem, "HEIGHT:ID,..."),
    [],
  ),
} as const;

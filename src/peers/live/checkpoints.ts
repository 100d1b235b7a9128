/** Applies checkpoints of peers without passing them on. Page 04 §16. */
import type { Checkpoint } from "../../blocks/checkpoint.ts";
import { genericRefusal } from "../../chain/deciding/block-refusal.ts";
import { ChainBusyError } from "../../chain/writing/write-queue.ts";
import { TokenBucket } from "../../runtime/token-bucket.ts";
import { JournalPrunedError } from "../../storage/store.ts";
import type { Peer } from "../connections/peer.ts";
import type { PeerContext } from "../context.ts";

/** Shared by all peers: each checkpoint may cost a signature check. */
const CHECKPOINT_BUDGET = { perSecond: 1, burst: 20 };

export function handleCheckpoints({ network, chain, clock, log }: PeerContext): void {
  const budget = new TokenBucket(clock, CHECKPOINT_BUDGET);
  network.on("Checkpoint", async (peer, { checkpoint }) => {
    // Honest peers repeat the checkpoint in force: do not charge it.
    if (chain.isCheckpointInForce(checkpoint) || !budget.take()) return;
    await apply(peer, checkpoint);
  });

  const apply = async (peer: Peer, checkpoint: Checkpoint): Promise<void> => {
    try {
      // Reject unsigned checkpoints before they enter the write queue.
      let result = chain.checkCheckpoint(checkpoint);
      if (result.ok)
        result = await chain.whenFree(() =>
          chain.isCheckpointInForce(checkpoint) ? result : chain.acceptCheckpoint(checkpoint),
        );
      if (!result.ok)
        peer.blacklist(`${peer.label} Error processing checkpoint: ${genericRefusal(result.error).printed}`);
    } catch (error) {
      // The peer caused neither of these errors.
      if (error instanceof JournalPrunedError)
        log.error("A checkpoint contradicts blocks that are too deep to be removed", {
          peer: peer.label,
          height: error.unit.height,
        });
      else if (error instanceof ChainBusyError)
        log.warn("Checkpoint ignored: the chain is busy", { peer: peer.label });
      else throw error;
    }
  };
}

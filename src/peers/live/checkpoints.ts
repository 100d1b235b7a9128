/** Checkpoints that peers send: taken, never passed on. Page 04 §16. */
import type { Checkpoint } from "../../blocks/checkpoint.ts";
import { genericRefusal } from "../../chain/deciding/block-refusal.ts";
import { ChainBusyError } from "../../chain/writing/write-queue.ts";
import { TokenBucket } from "../../runtime/token-bucket.ts";
import { JournalPrunedError } from "../../storage/store.ts";
import type { Peer } from "../connections/peer.ts";
import type { PeerContext } from "../context.ts";

/** Checkpoints of all peers that are looked at: there is hardly ever one, and each may cost a signature. */
const CHECKPOINT_BUDGET = { perSecond: 1, burst: 20 };

/** Takes the checkpoints of peers; those who send one that is none are banned. */
export function handleCheckpoints({ network, chain, clock, log }: PeerContext): void {
  const budget = new TokenBucket(clock, CHECKPOINT_BUDGET);
  network.on("Checkpoint", async (peer, { checkpoint }) => {
    // The one in force is repeated by honest peers, and costs nothing.
    if (chain.isCheckpointInForce(checkpoint) || !budget.take()) return;
    await take(peer, checkpoint);
  });

  const take = async (peer: Peer, checkpoint: Checkpoint): Promise<void> => {
    try {
      // An unsigned checkpoint must not get into the queue of changes.
      let result = chain.checkCheckpoint(checkpoint);
      if (result.ok)
        result = await chain.whenFree(() =>
          chain.isCheckpointInForce(checkpoint) ? result : chain.acceptCheckpoint(checkpoint),
        );
      if (!result.ok)
        peer.blacklist(`${peer.label} Error processing checkpoint: ${genericRefusal(result.error).printed}`);
    } catch (error) {
      // Neither is the fault of the peer.
      if (error instanceof JournalPrunedError)
        log.error("A checkpoint contradicts blocks that are too deep to be removed", {
          peer: peer.label,
          height: error.unit.height,
        });
      else if (error instanceof ChainBusyError)
        log.warn("A checkpoint came while the chain was busy", { peer: peer.label });
      else throw error;
    }
  };
}

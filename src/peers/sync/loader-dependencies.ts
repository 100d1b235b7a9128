/** What the extension loader needs from other parts. */
import type { OfferedExtension, SentBlock } from "../../chain/checking/extension-intake.ts";
import type { Clock, Log } from "../../interfaces.ts";
import type { NetworkRules } from "../../transactions/index.ts";
import type { Ahead } from "../../verification/ahead.ts";
import type { Peer } from "../connections/peer.ts";
import type { SyncOptions } from "../options.ts";
import type { SyncPeer } from "../scores/score-observer.ts";
import type { BehindWatch } from "./behind-watch.ts";
import type { InvalidBlocks } from "./invalid-blocks.ts";

/** Where blocks go that may replace blocks of ours: `ExtensionIntake`. */
export interface BlockIntake {
  offer(blocks: readonly SentBlock[]): OfferedExtension;
}

/** Whom to ask, and what to say of those who were: the score observer. */
interface Candidates {
  /** The peer to sync from now; undefined: nobody says to be ahead of us. */
  readonly syncWith: SyncPeer<Peer> | undefined;
  /** Whether somebody else says to be ahead of us. */
  hasOther(peer: Peer): boolean;
  /** Whether the peer says now to be ahead of us, whatever it has shown. */
  claimsMore(peer: Peer): boolean;
  /** The peer has shown all that it has, or does not show it: it is asked again when its score changes. */
  unfounded(peer: Peer): void;
  /** What the peer sent made our chain better. */
  proved(peer: Peer): void;
  /** What was said against the peer holds no longer. */
  reconsider(peer: Peer): void;
}

export interface LoaderDependencies {
  readonly clock: Clock;
  readonly log: Log;
  readonly options: SyncOptions;
  readonly intake: BlockIntake;
  /** Checks signatures of blocks on arrival. */
  readonly checks: Ahead;
  readonly rules: NetworkRules;
  readonly invalid: InvalidBlocks;
  /** Is told of blocks that passed the checks and beat our chain, and whether the chain applied them. */
  readonly behind: Pick<BehindWatch, "found" | "settled">;
  readonly candidates: Candidates;
  /** Ids of our newest blocks, newest first. */
  readonly ownIds: (count: number) => readonly Uint8Array[];
}

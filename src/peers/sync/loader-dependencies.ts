import type { ExtensionResult } from "../../chain/chain.ts";
import type { ExtensionIntake } from "../../chain/checking/extension-intake.ts";
import type { Peer } from "../connections/peer.ts";
import type { PeerContext } from "../context.ts";
import type { SyncOptions } from "../options.ts";
import type { ScoreObserver } from "../scores/score-observer.ts";
import type { AssumedBlockSearch } from "./assumed-block-search.ts";
import type { BehindWatch } from "./behind-watch.ts";
import type { DeepBranchSearch } from "./deep-branch.ts";
import type { InvalidBlocks } from "./invalid-blocks.ts";

export type BlockIntake = Pick<ExtensionIntake, "offer">;

/** Result of an extension that this node was able to judge. */
export type Verdict = Exclude<ExtensionResult, { readonly kind: "unable" }>;

export interface LoaderDependencies extends Pick<PeerContext, "clock" | "log" | "checks" | "rules"> {
  readonly options: SyncOptions;
  readonly extensions: BlockIntake;
  readonly invalidBlocks: InvalidBlocks;
  readonly behindWatch: Pick<BehindWatch, "found" | "settled">;
  readonly deepSearch: Pick<DeepBranchSearch, "start" | "isSearching">;
  readonly assumedSearch: Pick<AssumedBlockSearch, "ask" | "receivedFrom">;
  readonly candidates: Pick<
    ScoreObserver<Peer>,
    "syncWith" | "hasOtherClaimant" | "claimsMore" | "markUnfounded" | "markProven" | "reconsider"
  >;
  /** Newest first. */
  readonly ownIds: (count: number) => readonly Uint8Array[];
  readonly onVerdict?: ((verdict: Verdict) => void) | undefined;
}

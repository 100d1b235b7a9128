import type { BlockRefusal } from "./block-refusal.ts";

/**
 * The result of an extension. If it was not applied, the chain is as before, including the micro blocks of the liquid
 * block. The only exception: after `unable`, blocks that a long extension added may have stayed. `kind` tells whom to
 * blame and whether to try again:
 *
 * - `applied`: the chain ends with its last block; `score` is the chain's new score, `blocks` the number of new
 *   blocks.
 * - `known`: the chain has all of its blocks.
 * - `not better`: the chain would have `score`, which is not higher than now. An honest branch in pieces gives this
 *   too, and may be offered again with its next piece. No peer is to blame.
 * - `unlinked`: a block does not refer to the one before it. The peer is to blame, not a block.
 * - `no common parent`: the parent of the first new block is unknown.
 * - `too deep`: the fork begins too far back.
 * - `checkpoint`: a block contradicts a checkpoint. The peer is to blame; do not remember the block.
 * - `malformed`: the bytes of a transaction are not readable: an error of the decoder; do not remember it.
 * - `bad block`: the block with this id was rejected. The peer is to blame. `remember`: it failed on its true parent
 *   for a reason that always holds for every node, so the next peer that lists it is to blame too.
 * - `future`: the block with this id is dated ahead of the clock until `dueAt` (local clock, ms). A little of that is
 *   not to blame.
 * - `unable`: this node cannot take it now: another change is running (`ChainBusyError`), the disk rejects writes
 *   (`DiskError`), signatures cannot be checked (`CheckerError`), it stops (`ChainClosedError`), or it does not know
 *   an active feature. No peer is to blame.
 */
export type ExtensionResult =
  | { readonly kind: "applied"; readonly score: bigint; readonly height: number; readonly blocks: number }
  | { readonly kind: "known" }
  | { readonly kind: "not better"; readonly score: bigint }
  | {
      readonly kind: "unlinked" | "no common parent" | "too deep" | "checkpoint" | "malformed";
      readonly refusal: BlockRefusal;
    }
  | {
      readonly kind: "bad block";
      readonly id: Uint8Array;
      readonly refusal: BlockRefusal;
      readonly remember: boolean;
    }
  | { readonly kind: "future"; readonly id: Uint8Array; readonly dueAt: number }
  | { readonly kind: "unable"; readonly error: Error };

import type { BlockRefusal } from "./block-refusal.ts";

/**
 * If an extension is not applied, the chain is as before, including micro blocks of the liquid block. With `unable`,
 * blocks of a long extension may remain.
 *
 * - `known`: the chain has all blocks.
 * - `not better`: the chain would have `score`, not higher than now. No peer is to blame.
 * - `unlinked`: a block does not refer to the previous one. Blame the peer, not a block.
 * - `no common parent`: the parent of the first new block is unknown.
 * - `too deep`: the fork begins too far back.
 * - `checkpoint`: a block contradicts a checkpoint. Blame the peer; do not remember the block as bad.
 * - `malformed`: a transaction cannot be decoded. Do not remember the block.
 * - `bad block`: the block with this id was rejected. Blame the peer. `remember`: every node rejects this block, so the
 *   next peer that lists it is to blame too.
 * - `future`: the block with this id is too far ahead of the clock until `dueAt` (local clock, ms). Do not blame the
 *   peer for a small difference.
 * - `unable`: another change is running (`ChainBusyError`), the disk rejects writes (`DiskError`), signatures cannot be
 *   checked (`CheckerError`), the node stops (`ChainClosedError`), or an unsupported feature is active. No peer is to
 *   blame.
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

import type { BlockRefusal } from "./block-refusal.ts";

/**
 * What became of an extension. Unless it was applied the chain is as it was, the micro blocks of the liquid block
 * included; only of a long one that `unable` ended, blocks that it added to the chain may have stayed. Whom to blame for it, and whether to come again, follows from `kind`:
 *
 * - `applied`: the chain ends with its last block; `score` is that of the chain now, `blocks` how many were new.
 * - `known`: the chain has all of its blocks.
 * - `not better`: with it the chain would have `score`, which is not more than it has. An honest branch that is fetched in
 *   pieces comes here: with the next piece behind it, it may be offered again. Nobody is to blame.
 * - `unlinked`: a block does not refer to the one before it. The peer is to blame, no block is.
 * - `no common parent`: the first new block stands upon a block that the chain does not have.
 * - `too deep`: it stands upon one that lies further back than a fork may begin.
 * - `checkpoint`: a block contradicts a checkpoint. The peer is to blame, the block is not to be remembered.
 * - `malformed`: the bytes of a transaction cannot be read. What the decoder would say had it read them; not to be
 *   remembered.
 * - `bad block`: the block with this id was refused. The peer is to blame. `remember`: it failed upon its true parent,
 *   and for a reason that is the same for everybody and for ever, so that who lists it next is to blame as well.
 * - `future`: the block with this id is dated ahead of the clock; from `dueAt` on (local clock, ms) it is not. Nobody is
 *   to blame for a little of that.
 * - `unable`: this node cannot take it now, whatever it is: others write (`ChainBusyError`), the disk does not take it
 *   (`DiskError`), signatures cannot be checked (`CheckerError`), it stops (`ChainClosedError`), or it does not know a
 *   feature that is active. Nobody is to blame.
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

/** Decides which blocks of a file are trusted (`--assume-valid`). */
import { scanBlock } from "../../blocks/block.ts";
import { BlockParseError } from "../../blocks/errors.ts";
import { bytesEqual } from "../../bytes/compare.ts";
import type { Chain } from "../chain.ts";
import { type BlockSource, BlockSourceError } from "../checking/block-source.ts";
import { headerRow } from "../reading/rows.ts";
import { yieldToEventLoop } from "../writing/time-slice.ts";
import type { BlockFile } from "./block-file.ts";

/**
 * `trusted`: the blocks `from` to `to` end with the block of `--assume-valid`. `known`: our chain has this block.
 * `absent`: the file's chain lacks it. In the last two cases, each new block is checked.
 */
export type Trust =
  | { readonly kind: "trusted"; readonly from: number; readonly to: number }
  | { readonly kind: "known"; readonly height: number }
  | { readonly kind: "absent" };

const BLOCKS_PER_SLICE = 1_000;

/**
 * Looks for the block `id` in the rest of a file. Each block up to it must reference the previous one, and the first
 * must reference our tip.
 * @param rest the file after the blocks that our chain has; its position is changed
 * @returns undefined if stopped
 */
export async function findTrust(
  chain: Chain,
  rest: BlockFile,
  id: Uint8Array,
  isStopped: () => boolean,
): Promise<Trust | undefined> {
  const height = chain.heightOf(id);
  if (height !== undefined) return { kind: "known", height };
  const from = rest.height + 1;
  let parent = chain.read((reader) => headerRow(reader, rest.height).signature);
  try {
    for (let block = rest.next(); block !== undefined; block = rest.next()) {
      const { reference, signature } = scanBlock(block.bytes).header;
      if (!bytesEqual(reference, parent)) break;
      if (bytesEqual(signature, id)) return { kind: "trusted", from, to: block.height };
      parent = signature;
      if (block.height % BLOCKS_PER_SLICE === 0) await yieldToEventLoop();
      if (isStopped()) return undefined;
    }
  } catch (error) {
    // The import will report an unreadable block.
    if (!(error instanceof BlockParseError || error instanceof BlockSourceError)) throw error;
  }
  return { kind: "absent" };
}

export function markTrusted(source: BlockFile, trust: Trust): BlockSource {
  if (trust.kind !== "trusted") return source;
  return {
    next() {
      const block = source.next();
      return block !== undefined && block.height <= trust.to ? { ...block, isTrusted: true } : block;
    },
  };
}

/** An extension of which nothing is known but its blocks: the writer finds out everything by itself. */
import { type Block, blockHeader } from "../../blocks/block.ts";
import type { Extension, ExtensionLimits } from "../chain.ts";

/** As peers have it by default: page 04 §23.2. */
export const standardLimits: ExtensionLimits = { maxRollback: 100 };

export function extensionOf(blocks: readonly Block[]): Extension {
  return {
    headers: blocks.map(blockHeader),
    block: (number) => ({ block: blocks[number] }),
    scripts: async () => {},
  };
}

/** An extension from blocks alone: signatures are checked when the chain asks for them. */
import { type Block, blockHeader, isBlockSigned } from "../../blocks/block.ts";
import { ok, type Result } from "../../errors/result.ts";
import type { Extension, ExtensionLimits } from "../chain.ts";

/** As peers have it by default: page 04 §23.2. */
export const standardLimits: ExtensionLimits = { maxRollback: 100 };

export function extensionOf(blocks: readonly Block[]): Extension {
  const signed: (Result<boolean, string> | undefined)[] = [];
  return {
    headers: blocks.map(blockHeader),
    block: (number) => ok({ block: blocks[number] }),
    signature: (number) => signed[number],
    checkSignatures: async (from, to) => {
      for (let number = from; number < to; number++) signed[number] = ok(isBlockSigned(blocks[number]));
    },
    runScripts: async () => {},
  };
}

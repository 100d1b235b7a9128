/** An extension of given blocks. Signatures are checked on demand. */
import { type Block, blockHeader, isBlockSigned } from "../../blocks/block.ts";
import { ok, type Result } from "../../errors/result.ts";
import type { Extension, ExtensionLimits } from "../chain.ts";

/** The default of peers: page 04 §23.2. */
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

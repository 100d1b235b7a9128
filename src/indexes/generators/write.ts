import type { Writer } from "../../storage/kv.ts";
import { tables } from "../../storage/tables.ts";
import type { ConfiguredIndex } from "../chain-index.ts";
import { forgedBlock } from "../forged-blocks.ts";

/**
 * Counts forged blocks in a sliding window, for all accounts that ever forged. A block enters the window with the next
 * key block, when its reward is final. Page 07 §13.6.
 * @param window number of blocks, at least 1
 */
export function generatorIndex(window: number): ConfiguredIndex {
  return {
    configuration: { names: ["generators"], text: `newest ${window} blocks` },
    apply(writer, { height, sequence }) {
      if (sequence > 0) return;
      countBlock(writer, height - 1, 1);
      countBlock(writer, height - 1 - window, -1);
    },
  };
}

function countBlock(writer: Writer, height: number, sign: 1 | -1): void {
  const block = forgedBlock(writer, height);
  if (block === undefined) return;
  const { blocks = 0, reward = 0n } = writer.get(tables.forged, block.generator) ?? {};
  const sums = { blocks: blocks + sign, reward: reward + BigInt(sign) * block.reward };
  writer.put(tables.forged, block.generator, sums);
}

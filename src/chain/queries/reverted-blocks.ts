/** Blocks that left the chain, for whoever still has their ids. */
import { bytesEqual } from "../../bytes/compare.ts";
import type { RevertedBlockInfo } from "../../interfaces.ts";
import type { Reader } from "../../storage/kv.ts";
import { tables } from "../../storage/tables.ts";
import { isOnChain } from "../reading/changes.ts";
import type { StoredBlockReader } from "./stored-blocks.ts";

/**
 * What is remembered of a block that left the chain, and what stands in its place.
 * @param id that of the block, or of one of its micro blocks, as it was then; undefined when none such is remembered
 */
export function revertedBlockOf(
  reader: Reader,
  blocks: StoredBlockReader,
  id: Uint8Array,
): RevertedBlockInfo | undefined {
  const unit = reader.get(tables.revertedUnits, id);
  if (unit === undefined) return undefined;
  const { height, sequence, header } = unit;
  const now = reader.get(tables.headers, height);
  const isBack = isOnChain(reader, { height, sequence, id });
  return {
    header: blocks.info(height, { ...header, signature: id }),
    isMicroBlock: sequence > 0,
    isOnChain: isBack,
    replacedBy: isBack || now === undefined ? undefined : blocks.info(height, now),
    keepsKeyBlock: now !== undefined && bytesEqual(now.baseSignature, header.baseSignature),
  };
}

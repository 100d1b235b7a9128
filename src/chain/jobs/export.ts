import { assembleBlock } from "../../blocks/block.ts";
import { bytesEqual } from "../../bytes/compare.ts";
import { tables } from "../../storage/tables.ts";
import { blockBody } from "../reading/bodies.ts";
import { headerRow } from "../reading/rows.ts";
import type { ReadableStore } from "../snapshot.ts";
import { yieldToEventLoop } from "../writing/time-slice.ts";
import { LENGTH_FIELD_BYTES } from "./block-file.ts";

export class ChainChangedError extends Error {
  override readonly name = "ChainChangedError";
  constructor(height: number) {
    super(`The chain changed at height ${height} during the export: run it again`);
  }
}

const BLOCKS_PER_READ = 64;
const BYTES_PER_READ = 1024 * 1024;

export interface ExportedBlock {
  readonly height: number;
  readonly transactionCount: number;
  /** `i32 length ‖ block bytes`. */
  readonly entry: Uint8Array;
}

/**
 * Yields the blocks from height 2. Page 03 §12.8.
 * @param upTo last height; if the chain is shorter, the last block is the tip, even if it is liquid
 * @throws ChainChangedError if yielded blocks have left the chain
 */
export async function* exportedBlocks(
  store: ReadableStore,
  upTo: number = Number.POSITIVE_INFINITY,
): AsyncGenerator<ExportedBlock> {
  let height = 1;
  let last = store.read((reader) => headerRow(reader, 1).signature);
  for (let isEnd = false; !isEnd; ) {
    const blocks: ExportedBlock[] = store.read((reader) => {
      // A child fixes the id of its parent, so another id at this height means that the exported block left the chain.
      const exported = reader.get(tables.headers, height);
      if (exported === undefined || !bytesEqual(exported.signature, last))
        throw new ChainChangedError(height);
      const tip = Math.min(reader.get(tables.tip, undefined)?.height ?? 0, upTo);
      const batch: ExportedBlock[] = [];
      let size = 0;
      while (height < tip && batch.length < BLOCKS_PER_READ && size < BYTES_PER_READ) {
        const row = headerRow(reader, ++height);
        last = row.signature;
        const bytes = assembleBlock(row, blockBody(reader, height));
        const entry = new Uint8Array(LENGTH_FIELD_BYTES + bytes.length);
        new DataView(entry.buffer).setInt32(0, bytes.length);
        entry.set(bytes, LENGTH_FIELD_BYTES);
        size += entry.length;
        batch.push({ height, transactionCount: row.transactionCount, entry });
      }
      isEnd = height >= tip;
      return batch;
    });
    yield* blocks;
    await yieldToEventLoop();
  }
}

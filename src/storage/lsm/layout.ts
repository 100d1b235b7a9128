import { readVarint, valueCodec, writeVarint } from "../codecs.ts";
import type { KeyCodec } from "../kv.ts";
import { fieldValue, structKey, u8, u32 } from "../values/fields.ts";

export interface SortedRun {
  /** Never reused. */
  readonly number: number;
  /** Number of entries. */
  readonly count: number;
  /** The runs that are merged into this one; empty once this run is complete. */
  readonly inputs: readonly CompactionInput[];
}

interface CompactionInput {
  readonly run: number;
  readonly mergedCount: number;
}

export interface ChunkKey {
  readonly tree: number;
  readonly run: number;
  readonly chunk: number;
}

export const chunkKey = structKey<ChunkKey>({ tree: u8, run: u32, chunk: u32 });

export const treeKey: KeyCodec<number> = fieldValue(u8);

export const sortedRunsValue = valueCodec<readonly SortedRun[]>(
  (writer, runs) => {
    for (const { number, count, inputs } of runs) {
      for (const part of [number, count, inputs.length]) writeVarint(writer, part);
      for (const { run, mergedCount } of inputs) {
        writeVarint(writer, run);
        writeVarint(writer, mergedCount);
      }
    }
  },
  (reader) => {
    const runs: SortedRun[] = [];
    while (reader.remaining > 0) {
      const [number, count] = [readVarint(reader), readVarint(reader)];
      const inputs: CompactionInput[] = new Array(readVarint(reader));
      for (let i = 0; i < inputs.length; i++)
        inputs[i] = { run: readVarint(reader), mergedCount: readVarint(reader) };
      runs.push({ number, count, inputs });
    }
    return runs;
  },
);

/** How the sorted runs of a tree are listed, and how the keys of their rows are written. The tables: `tables.ts`. */
import { readVarint, valueCodec, writeVarint } from "../codecs.ts";
import type { KeyCodec } from "../kv.ts";
import { fieldValue, structKey, u8, u32 } from "../values/fields.ts";

/** One sorted run of a tree. Its number is never given again. */
export interface SortedRun {
  readonly number: number;
  readonly count: number;
  /** What is being compacted into it; empty once it is whole. Only whole runs are read. */
  readonly inputs: readonly CompactionInput[];
}

/** A run that is being merged into another one. */
interface CompactionInput {
  /** Number of the run. */
  readonly run: number;
  /** Entries of it that are merged. */
  readonly taken: number;
}

/** A chunk of a run, counted from 0. */
export interface ChunkKey {
  /** Id of the tree. */
  readonly tree: number;
  /** Number of the run. */
  readonly run: number;
  readonly chunk: number;
}

/** tree id u8, run u32, chunk u32. */
export const chunkKey = structKey<ChunkKey>({ tree: u8, run: u32, chunk: u32 });

/** tree id u8. */
export const treeKey: KeyCodec<number> = fieldValue(u8);

/** For each run, varints: number, entries, number of inputs; for each input: run, entries taken. */
export const sortedRunsValue = valueCodec<readonly SortedRun[]>(
  (writer, runs) => {
    for (const { number, count, inputs } of runs) {
      for (const figure of [number, count, inputs.length]) writeVarint(writer, figure);
      for (const { run, taken } of inputs) {
        writeVarint(writer, run);
        writeVarint(writer, taken);
      }
    }
  },
  (reader) => {
    const runs: SortedRun[] = [];
    while (reader.remaining > 0) {
      const [number, count] = [readVarint(reader), readVarint(reader)];
      const inputs: CompactionInput[] = new Array(readVarint(reader));
      for (let i = 0; i < inputs.length; i++)
        inputs[i] = { run: readVarint(reader), taken: readVarint(reader) };
      runs.push({ number, count, inputs });
    }
    return runs;
  },
);

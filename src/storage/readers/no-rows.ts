import { TableReader } from "../kv.ts";

const none: readonly never[] = [];
const noCounts: ReadonlyMap<number, number> = new Map();

class NoRows extends TableReader {
  find(): undefined {}

  scan(): readonly never[] {
    return none;
  }

  findEntries(): readonly never[] {
    return none;
  }

  findEntriesUp(): readonly never[] {
    return none;
  }

  countsOf(): ReadonlyMap<number, number> {
    return noCounts;
  }
}

/** Tables without any row. */
export const noRows = new NoRows();

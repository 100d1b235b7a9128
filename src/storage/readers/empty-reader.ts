import { TableReader } from "../kv.ts";

const none: readonly never[] = [];
const noCounts: ReadonlyMap<number, number> = new Map();

class EmptyReader extends TableReader {
  find(): undefined {}

  scan(): readonly never[] {
    return none;
  }

  findEntries(): readonly never[] {
    return none;
  }

  findEntriesAscending(): readonly never[] {
    return none;
  }

  countsOf(): ReadonlyMap<number, number> {
    return noCounts;
  }
}

/** Tables without any row. */
export const emptyReader = new EmptyReader();

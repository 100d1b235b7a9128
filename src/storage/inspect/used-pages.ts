import { type FileState, freeRuns } from "../disk/lmdb-pages.ts";
import type { StoredRow } from "../disk/lmdb-walk.ts";

export class UsedPages {
  readonly #seen: Uint8Array;
  count = 0;

  constructor(state: FileState) {
    this.#seen = new Uint8Array(Number(state.lastPage) + 1);
    // Pages 0 and 1 describe the file.
    this.#seen.fill(1, 0, 2);
  }

  /** @returns false if the page is used already, or beyond the last one */
  add(page: number): boolean {
    if (this.#seen[page] !== 0) return false;
    this.#seen[page] = 1;
    this.count++;
    return true;
  }

  /** @returns the first page that cannot be added */
  addRun(first: number, count: number): number | undefined {
    let wrong: number | undefined;
    for (let page = first; page < first + count && wrong === undefined; page++)
      if (!this.add(page)) wrong = page;
    return wrong;
  }

  /** Adds the pages of a row of the free list. @returns the first page that cannot be added; 0 if the row is invalid */
  addFree({ valueBytes, value }: StoredRow): number | undefined {
    if (valueBytes < 8 || valueBytes % 8 !== 0) return 0;
    for (const [first, count] of freeRuns(value())) {
      const wrong = this.addRun(Number(first), Number(count));
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  }
}

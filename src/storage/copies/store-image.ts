/** The compact image of a store has only the pages in use, renumbered without gaps. */
import type { FileHandle } from "node:fs/promises";
import {
  BRANCH,
  DamagedFileError,
  FIRST_PAGE,
  type FileState,
  HEADER_BYTES,
  metaPages,
  NO_PAGE,
  ON_OVERFLOW_PAGES,
} from "../disk/lmdb-pages.ts";
import { childPage, nodeCount, readNode, type StoredRow, walkTree } from "../disk/lmdb-walk.ts";

/** Uses of a page. An overflow page has `OVERFLOW_USE` plus its bytes in use, and the first one also `HEAD_USE`. */
const UNUSED = 0;
const TREE_USE = 1;
const OVERFLOW_USE = 2;
const HEAD_USE = 0x8000_0000;
const PAGES_PER_COUNT = 64;

const FIRST_PAGE_NUMBER = Number(FIRST_PAGE);

export interface ImageOptions {
  readonly onRow?: (row: StoredRow) => void;
  readonly pause?: () => Promise<void>;
}

export class StoreImage {
  readonly #file: FileHandle;
  readonly #state: FileState;
  readonly #uses: Uint32Array;
  /** Item i is the number of pages in use before page i · `PAGES_PER_COUNT`. */
  readonly #usedBefore: Uint32Array;
  readonly #pause: () => Promise<void>;
  readonly #pageCount: number;

  private constructor(file: FileHandle, state: FileState, uses: Uint32Array, pause: () => Promise<void>) {
    this.#file = file;
    this.#state = state;
    this.#uses = uses;
    this.#pause = pause;
    this.#usedBefore = new Uint32Array(Math.ceil(uses.length / PAGES_PER_COUNT));
    let count = 0;
    for (let page = 0; page < uses.length; page++) {
      if (page % PAGES_PER_COUNT === 0) this.#usedBefore[page / PAGES_PER_COUNT] = count;
      if (uses[page] !== UNUSED) count++;
    }
    this.#pageCount = FIRST_PAGE_NUMBER + count;
  }

  /**
   * Finds the pages in use.
   * @param file the data file; the caller must prevent reuse of this state's pages
   * @throws DamagedFileError
   */
  static async scan(
    file: FileHandle,
    state: FileState,
    { onRow, pause = () => Promise.resolve() }: ImageOptions = {},
  ): Promise<StoreImage> {
    const { pageSize } = state;
    // The walk throws if a page in use is beyond the end of the file.
    const end = Math.min(Number(state.lastPage) + 1, Math.floor((await file.stat()).size / pageSize));
    const uses = new Uint32Array(end);
    const setUse = (page: number, use: number): void => {
      if (uses[page] !== UNUSED)
        throw new DamagedFileError(`its data file is damaged: page ${page} is used twice`);
      uses[page] = use;
    };
    const walk = walkTree(file.fd, state, state.main, true, {
      onPage: (page) => setUse(page, TREE_USE),
      onOverflow: (first, count, valueBytes) => {
        let remaining = HEADER_BYTES + valueBytes;
        for (let page = first; page < first + count; page++) {
          const head = page === first ? HEAD_USE : 0;
          setUse(page, head + OVERFLOW_USE + Math.min(remaining, pageSize));
          remaining -= pageSize;
        }
      },
      ...(onRow !== undefined && { onRow }),
    });
    for (const _ of walk) await pause();
    return new StoreImage(file, state, uses, pause);
  }

  get bytes(): number {
    return this.#pageCount * this.#state.pageSize;
  }

  /**
   * The last chunk may be shorter.
   * @param chunkBytes a multiple of 65536
   * @throws errors of the file system
   */
  async *chunks(chunkBytes: number): AsyncGenerator<Buffer> {
    const { pageSize } = this.#state;
    const end = this.#uses.length;
    let remaining = this.bytes;
    let chunk = Buffer.allocUnsafe(Math.min(chunkBytes, remaining));
    let filled = this.#metaPages().copy(chunk);
    for (let page = FIRST_PAGE_NUMBER; page < end; ) {
      if (this.#uses[page] === UNUSED) {
        page++;
        continue;
      }
      let next = page + 1;
      const room = (chunk.length - filled) / pageSize;
      while (next < end && next - page < room && this.#uses[next] !== UNUSED) next++;
      const run = chunk.subarray(filled, filled + (next - page) * pageSize);
      await this.#read(run, page);
      for (let number = page; number < next; number++)
        this.#renumber(run.subarray((number - page) * pageSize, (number - page + 1) * pageSize), number);
      filled += run.length;
      page = next;
      if (filled < chunk.length) continue;
      yield chunk;
      await this.#pause();
      remaining -= chunk.length;
      filled = 0;
      chunk = Buffer.allocUnsafe(Math.min(chunkBytes, remaining));
    }
    if (filled > 0) yield chunk;
  }

  #metaPages(): Buffer {
    const { main } = this.#state;
    return metaPages({
      ...this.#state,
      main: { ...main, root: main.root === NO_PAGE ? NO_PAGE : BigInt(this.#newNumber(Number(main.root))) },
      lastPage: BigInt(this.#pageCount - 1),
    });
  }

  async #read(target: Buffer, page: number): Promise<void> {
    const { pageSize } = this.#state;
    for (let done = 0; done < target.length; ) {
      const { bytesRead } = await this.#file.read(target, done, target.length - done, page * pageSize + done);
      if (bytesRead === 0) throw new DamagedFileError("its data file became shorter while it was read");
      done += bytesRead;
    }
  }

  #newNumber(page: number): number {
    let result = FIRST_PAGE_NUMBER + this.#usedBefore[Math.floor(page / PAGES_PER_COUNT)];
    for (let i = page - (page % PAGES_PER_COUNT); i < page; i++) if (this.#uses[i] !== UNUSED) result++;
    return result;
  }

  /** Writes new numbers into a page, and zeros into its unused parts. */
  #renumber(page: Buffer, number: number): void {
    const use = this.#uses[number];
    if (use !== TREE_USE) {
      if (use >= HEAD_USE) page.writeBigUInt64LE(BigInt(this.#newNumber(number)), 0);
      page.fill(0, (use & ~HEAD_USE) - OVERFLOW_USE);
      return;
    }
    page.writeBigUInt64LE(BigInt(this.#newNumber(number)), 0);
    page.fill(0, HEADER_BYTES + page.readUInt16LE(20), HEADER_BYTES + page.readUInt16LE(22));
    const isBranch = page.readUInt16LE(18) === BRANCH;
    for (let i = 0; i < nodeCount(page); i++) {
      const node = readNode(page, i, isBranch);
      if (isBranch) {
        const child = this.#newNumber(childPage(node));
        page.writeUInt32LE(child % 2 ** 32, node.at);
        page.writeUInt16LE(Math.floor(child / 2 ** 32), node.at + 4);
      } else if ((node.flags & ON_OVERFLOW_PAGES) !== 0) {
        const first = Number(page.readBigUInt64LE(node.valueAt));
        page.writeBigUInt64LE(BigInt(this.#newNumber(first)), node.valueAt);
      }
    }
  }
}

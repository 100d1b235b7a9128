/**
 * The compact image of a store: the pages in use, numbered anew without gaps, and zeros where pages hold no data. Unlike
 * the database's own compact copy, it does not fail if the database has lost a free page, and can be read in chunks.
 */
import type { FileHandle } from "node:fs/promises";
import {
  BRANCH,
  DamagedFileError,
  FIRST_PAGE,
  HEADER_BYTES,
  metaPages,
  NO_PAGE,
  ON_OVERFLOW_PAGES,
  type State,
} from "../disk/lmdb-pages.ts";
import { childOf, nodeCount, nodeOf, type StoredRow, walkTree } from "../disk/lmdb-walk.ts";

/** Uses of a page: `OVERFLOW_USE` plus the bytes in use on the page, and a flag for the first of a value. */
const UNUSED = 0;
const TREE_USE = 1;
const OVERFLOW_USE = 2;
const HEAD_USE = 0x8000_0000;
const RANK_PAGES = 64;

const FIRST = Number(FIRST_PAGE);

export interface ImageOptions {
  readonly onRow?: (row: StoredRow) => void;
  /** Called between slices of the work. */
  readonly pause?: () => Promise<void>;
}

export class StoreImage {
  readonly #file: FileHandle;
  readonly #state: State;
  readonly #uses: Uint32Array;
  /** Pages in use before every `RANK_PAGES`th page. */
  readonly #ranks: Uint32Array;
  readonly #pause: () => Promise<void>;
  readonly #pageCount: number;

  private constructor(file: FileHandle, state: State, uses: Uint32Array, pause: () => Promise<void>) {
    this.#file = file;
    this.#state = state;
    this.#uses = uses;
    this.#pause = pause;
    this.#ranks = new Uint32Array(Math.ceil(uses.length / RANK_PAGES));
    let count = 0;
    for (let page = 0; page < uses.length; page++) {
      if (page % RANK_PAGES === 0) this.#ranks[page / RANK_PAGES] = count;
      if (uses[page] !== UNUSED) count++;
    }
    this.#pageCount = FIRST + count;
  }

  /**
   * Finds the pages in use, and checks all of them.
   * @param file the data file; the caller must prevent that pages of this state are used again
   * @throws DamagedFileError
   */
  static async of(
    file: FileHandle,
    state: State,
    { onRow, pause = () => Promise.resolve() }: ImageOptions = {},
  ): Promise<StoreImage> {
    const { pageSize } = state;
    // Pages beyond the end of the file are free, or the walk finds that they are missing.
    const end = Math.min(Number(state.lastPage) + 1, Math.floor((await file.stat()).size / pageSize));
    const uses = new Uint32Array(end);
    const use = (page: number, value: number): void => {
      if (uses[page] !== UNUSED)
        throw new DamagedFileError(`its data file is damaged: page ${page} is used twice`);
      uses[page] = value;
    };
    const walk = walkTree(file.fd, state, state.main, true, {
      onPage: (page) => use(page, TREE_USE),
      onOverflow: (first, count, valueBytes) => {
        let left = HEADER_BYTES + valueBytes;
        for (let page = first; page < first + count; page++) {
          const head = page === first ? HEAD_USE : 0;
          use(page, head + OVERFLOW_USE + Math.min(left, pageSize));
          left -= pageSize;
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
   * Yields the image in order, in chunks of `chunkBytes` and a shorter last one.
   * @param chunkBytes a multiple of 65536
   * @throws errors of the file system
   */
  async *chunks(chunkBytes: number): AsyncGenerator<Buffer> {
    const { pageSize } = this.#state;
    const end = this.#uses.length;
    let left = this.bytes;
    let chunk = Buffer.allocUnsafe(Math.min(chunkBytes, left));
    let filled = this.#metaPages().copy(chunk);
    for (let page = FIRST; page < end; ) {
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
      left -= chunk.length;
      filled = 0;
      chunk = Buffer.allocUnsafe(Math.min(chunkBytes, left));
    }
    if (filled > 0) yield chunk;
  }

  #metaPages(): Buffer {
    const { main } = this.#state;
    return metaPages({
      ...this.#state,
      main: { ...main, root: main.root === NO_PAGE ? NO_PAGE : BigInt(this.#rank(Number(main.root))) },
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

  #rank(page: number): number {
    let rank = FIRST + this.#ranks[Math.floor(page / RANK_PAGES)];
    for (let i = page - (page % RANK_PAGES); i < page; i++) if (this.#uses[i] !== UNUSED) rank++;
    return rank;
  }

  #renumber(page: Buffer, number: number): void {
    const use = this.#uses[number];
    if (use !== TREE_USE) {
      if (use >= HEAD_USE) page.writeBigUInt64LE(BigInt(this.#rank(number)), 0);
      page.fill(0, (use & ~HEAD_USE) - OVERFLOW_USE);
      return;
    }
    page.writeBigUInt64LE(BigInt(this.#rank(number)), 0);
    page.fill(0, HEADER_BYTES + page.readUInt16LE(20), HEADER_BYTES + page.readUInt16LE(22));
    const isBranch = page.readUInt16LE(18) === BRANCH;
    for (let i = 0; i < nodeCount(page); i++) {
      const node = nodeOf(page, i, isBranch);
      if (isBranch) {
        const child = this.#rank(childOf(node));
        page.writeUInt32LE(child % 2 ** 32, node.at);
        page.writeUInt16LE(Math.floor(child / 2 ** 32), node.at + 4);
      } else if ((node.flags & ON_OVERFLOW_PAGES) !== 0) {
        const first = Number(page.readBigUInt64LE(node.valueAt));
        page.writeBigUInt64LE(BigInt(this.#rank(first)), node.valueAt);
      }
    }
  }
}

/** Pages of frames for streams of units. */
import { bytesEqual, bytesKey } from "../../bytes/compare.ts";
import { BoundedCache } from "../../collections/bounded-cache.ts";
import type { ChainCursor, ChainReader, ChainSnapshot, UnitFrame } from "../../interfaces.ts";
import { encodeFrame } from "../../units/frames.ts";

/** A page ends with the unit that reaches one of these limits. */
const PAGE_LIMITS = { units: 500, bytes: 256 * 1024 };
const PAGE_CACHE_BYTES = 8 * 2 ** 20;

export interface UnitPage {
  /** Frames; undefined if nothing follows the position. */
  readonly bytes: Uint8Array | undefined;
  /** Position after the page. */
  readonly next: ChainCursor;
  /** True if `next` is the source's newest unit. */
  readonly isComplete: boolean;
}

function isSame(a: ChainCursor, b: ChainCursor): boolean {
  return a.height === b.height && a.sequence === b.sequence && bytesEqual(a.id, b.id);
}

function tipFrame(chain: ChainSnapshot): UnitFrame {
  return {
    kind: "tip",
    cursor: chain.units.newest(),
    score: chain.blocks.score(),
    persistedHeight: chain.persistedHeight(),
  };
}

function makePage(chain: ChainSnapshot, from: ChainCursor): UnitPage | undefined {
  const common = chain.units.common(from);
  if (common === undefined) return undefined;
  const frames: UnitFrame[] = isSame(common, from) ? [] : [{ kind: "undo", to: common }];
  const { records, isComplete } = chain.units.after(common, PAGE_LIMITS);
  for (const record of records) frames.push({ kind: "unit", record });
  const { height, sequence, id } = records.at(-1) ?? common;
  const next = { height, sequence, id };
  if (frames.length === 0) return { bytes: undefined, next, isComplete };
  frames.push(tipFrame(chain));
  return { bytes: Buffer.concat(frames.map(encodeFrame)), next, isComplete };
}

export class UnitPages {
  readonly #reader: ChainReader;
  readonly #pages = new BoundedCache<UnitPage>({ weight: PAGE_CACHE_BYTES });

  constructor(reader: ChainReader) {
    this.#reader = reader;
  }

  /** Call this after each commit. */
  clear(): void {
    this.#pages.clear();
  }

  /** Returns true if a stream can begin at a position: it is on the chain, or in the log of reverted units. */
  knows(position: ChainCursor): boolean {
    return this.#reader.read((chain) => chain.units.common(position) !== undefined);
  }

  /** Returns the frame that tells the source's newest unit. */
  tip(): Uint8Array {
    return encodeFrame(this.#reader.read(tipFrame));
  }

  /** Returns the frames after a position; undefined if the position is unknown. */
  page(from: ChainCursor): UnitPage | undefined {
    const key = `${from.height}.${from.sequence}.${bytesKey(from.id)}`;
    const cached = this.#pages.get(key);
    if (cached !== undefined) return cached;
    const page = this.#reader.read((chain) => makePage(chain, from));
    // Pages of a follower that fills itself are read once.
    if (page?.isComplete === true) this.#pages.set(key, page, key.length + (page.bytes?.length ?? 0));
    return page;
  }
}

import { bytesKey } from "../../bytes/compare.ts";
import { BoundedCache } from "../../collections/bounded-cache.ts";
import type {
  ChainCursor,
  ChainReader,
  ChainSnapshot,
  FollowedPosition,
  UnitFrame,
} from "../../interfaces.ts";
import { encodeFrame } from "../../units/frames.ts";
import { isSameUnit } from "../../units/same-unit.ts";

/** A page ends with the unit that reaches one of these limits. */
const PAGE_LIMITS = { units: 500, bytes: 256 * 1024 };
const PAGE_CACHE_BYTES = 8 * 2 ** 20;

/** A position, and `UnitQueries.reverts` when the chain contained it. */
export interface StreamPosition extends ChainCursor {
  readonly reverts: number;
}

export interface UnitPage {
  /** Frames; undefined if nothing follows the position. */
  readonly bytes: Uint8Array | undefined;
  readonly next: StreamPosition;
  /** True if `next` is the source's newest unit. */
  readonly isComplete: boolean;
}

function tipFrame(chain: ChainSnapshot): UnitFrame {
  return {
    kind: "tip",
    cursor: chain.units.newest(),
    score: chain.blocks.score(),
    persistedHeight: chain.persistedHeight(),
  };
}

function streamPosition(chain: ChainSnapshot, { height, sequence, id }: ChainCursor): StreamPosition {
  return { height, sequence, id, reverts: chain.units.reverts() };
}

/** Makes a page without units: the undo frame, if the follower needs one, and the tip. */
function makeFirstPage(chain: ChainSnapshot, after: FollowedPosition): UnitPage | undefined {
  const ancestor = chain.units.common(after);
  if (ancestor === undefined) return undefined;
  const undo = isSameUnit(ancestor, after) ? [] : [encodeFrame({ kind: "undo", to: ancestor })];
  const bytes = Buffer.concat([...undo, encodeFrame(tipFrame(chain))]);
  return { bytes, next: streamPosition(chain, ancestor), isComplete: false };
}

function makePage(chain: ChainSnapshot, from: StreamPosition): UnitPage | undefined {
  const ancestor = chain.units.common(from);
  if (ancestor === undefined) return undefined;
  const frames: UnitFrame[] = isSameUnit(ancestor, from) ? [] : [{ kind: "undo", to: ancestor }];
  const { records, isComplete } = chain.units.after(ancestor, PAGE_LIMITS);
  for (const record of records) frames.push({ kind: "unit", record });
  const next = streamPosition(chain, records.at(-1) ?? ancestor);
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

  clear(): void {
    this.#pages.clear();
  }

  /**
   * Returns a stream's first page, which has no units; undefined if the position is neither on the chain nor in the log
   * of reverted units.
   */
  begin(after: FollowedPosition): UnitPage | undefined {
    return this.#reader.read((chain) => makeFirstPage(chain, after));
  }

  /** Returns the frames after a position; undefined if the log of reverted units no longer contains the position. */
  page(from: StreamPosition): UnitPage | undefined {
    const key = `${from.height}.${from.sequence}.${bytesKey(from.id)}.${from.reverts}`;
    const cached = this.#pages.get(key);
    if (cached !== undefined) return cached;
    const page = this.#reader.read((chain) => makePage(chain, from));
    // Followers share only pages at the tip.
    if (page?.isComplete === true) this.#pages.set(key, page, key.length + (page.bytes?.length ?? 0));
    return page;
  }
}

/** A follower that applies frames in order arrives at the chain, wherever its connection broke. */
import { expect, test } from "vitest";
import { bytesEqual } from "../../bytes/compare.ts";
import { chainStart } from "../../chain/reading/changes.ts";
import { chainReader } from "../../chain/snapshot.ts";
import { RandomChain } from "../../chain/testing/random-chain.ts";
import { defaultTrustNetwork } from "../../indexes/trust/trust-network.ts";
import type { ChainCursor, ChainReader, UnitFrame, UnitRecord } from "../../interfaces.ts";
import { SeededRandom } from "../../testing/seeded-random.ts";
import { FrameDecoder } from "../../units/frames.ts";
import { type StreamPosition, UnitPages } from "./pages.ts";

/** More by `npm run soak:undo -- --times N`. */
const CASES = Number(process.env.SOAK_TIMES ?? 2);
const FIRST_SEED = Number(process.env.SOAK_SEED ?? 1);
const STEPS = 50;

function readerOf({ store, profile, chain }: RandomChain): ChainReader {
  const trust = { network: defaultTrustNetwork, root: undefined };
  return chainReader(store, { profile, rules: chain.rules, indexAll: true, trust });
}

const isAt = (record: ChainCursor, { height, sequence, id }: ChainCursor): boolean =>
  record.height === height && record.sequence === sequence && bytesEqual(record.id, id);

class Follower {
  readonly records: UnitRecord[] = [];
  /** Where the source continues; undefined after a break. */
  #stream: StreamPosition | undefined;
  undone = 0;

  get position(): ChainCursor {
    return this.records.at(-1) ?? chainStart;
  }

  /** Reads a page. Returns true at the tip. @param cut how much of it arrives, percent */
  read(pages: UnitPages, cut = 100): boolean {
    const page = this.#stream === undefined ? pages.begin(this.position) : pages.page(this.#stream);
    if (page === undefined) throw new Error("the position is forgotten");
    this.#stream = cut < 100 ? undefined : page.next;
    const bytes = page.bytes ?? new Uint8Array(0);
    const end = Math.ceil((bytes.length * cut) / 100);
    const frames = [...new FrameDecoder("test").decode(bytes.subarray(0, end))];
    for (const frame of frames) this.#apply(frame);
    if (cut < 100) return false;
    expect(isAt(this.position, page.next)).toBe(true);
    const tip = frames.at(-1);
    if (page.isComplete && tip !== undefined)
      expect(tip.kind === "tip" && isAt(this.position, tip.cursor)).toBe(true);
    return page.isComplete;
  }

  #apply(frame: UnitFrame): void {
    if (frame.kind === "undo") {
      while (!isAt(this.position, frame.to)) {
        expect(this.records.pop()).toBeDefined();
        this.undone++;
      }
    } else if (frame.kind === "unit") {
      const { record } = frame;
      if (this.records.length > 0) expect(record.parent).toEqual(this.position.id);
      this.records.push(record);
    } else expect(frame.kind).toBe("tip");
  }
}

test(`${CASES} followers arrive at the chain, although their streams break anywhere`, {
  timeout: 600_000,
}, () => {
  let undone = 0;
  for (let seed = FIRST_SEED; seed < FIRST_SEED + CASES; seed++) {
    const random = new SeededRandom(seed);
    const chain = new RandomChain(random);
    const reader = readerOf(chain);
    let pages = new UnitPages(reader);
    const followers = [new Follower(), new Follower()];
    for (let step = 0; step < STEPS; step++) {
      const what = random.below(100);
      if (what < 80) chain.grow();
      else if (what < 90) chain.compete();
      else if (what < 94) chain.shrink();
      // A restart.
      else pages = new UnitPages(reader);
      pages.clear();
      for (const one of followers)
        for (let left = random.below(3); left > 0; left--)
          one.read(pages, random.chance(50) ? 100 : random.below(100));
    }
    const all = reader.read((snapshot) => snapshot.units.after(chainStart, { units: 1e6, bytes: 1e9 }));
    expect(all.isComplete).toBe(true);
    for (const one of followers) {
      while (!one.read(pages));
      expect(one.records).toEqual(all.records);
      undone += one.undone;
    }
  }
  // The run counts only if followers had units that the chain left.
  expect(undone).toBeGreaterThan(5 * CASES);
});

import { beforeAll, expect, test } from "vitest";
import { memoryStore } from "../../storage/memory-store.ts";
import { forgeBlocks, forgedProfile } from "../../testing/forged-chain.ts";
import { inlineVerifier } from "../../verification/testing/inline-verifier.ts";
import { storedBlockSource } from "../jobs/stored-block-source.ts";
import { type BlockSource, BlockSourceError, type SourceBlock } from "./block-source.ts";
import { type BatchInFlight, ReadAhead } from "./read-ahead.ts";

const HEIGHT = 8;
let blocks: SourceBlock[];

beforeAll(() => {
  const store = memoryStore();
  forgeBlocks(store, HEIGHT);
  const stored = storedBlockSource(store, HEIGHT);
  blocks = [];
  for (let block = stored.next(); block !== undefined; block = stored.next()) blocks.push(block);
});

const heights = (inFlight: BatchInFlight | undefined): number[] | undefined =>
  inFlight?.blocks.map(({ height }) => height);

/** A queue that the test fills. It returns a promise when empty. */
class Queue implements BlockSource {
  readonly #there: SourceBlock[] = [];
  #waiting: ((block: SourceBlock | undefined) => void) | undefined;
  asked = 0;

  next(): SourceBlock | Promise<SourceBlock | undefined> {
    this.asked++;
    return (
      this.#there.shift() ??
      new Promise((resolve) => {
        this.#waiting = resolve;
      })
    );
  }

  put(...given: readonly SourceBlock[]): void {
    this.#there.push(...given);
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting !== undefined) waiting(this.#there.shift());
  }

  end(): void {
    this.#waiting?.(undefined);
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("returns available blocks while the source waits, and ends at its end", async () => {
  const queue = new Queue();
  queue.put(...blocks.slice(0, 3));
  const reader = new ReadAhead(queue, inlineVerifier(forgedProfile));
  const first = await reader.next();
  expect(heights(first)).toEqual([2, 3, 4]);
  if (first !== undefined) reader.release(first);
  let next: BatchInFlight | undefined;
  const coming = reader.next().then((found) => {
    next = found;
  });
  await settled();
  expect(next).toBeUndefined();
  // One promise at a time.
  expect(queue.asked).toBe(4);
  queue.put(...blocks.slice(3, 5));
  await coming;
  expect(heights(next)).toEqual([5, 6]);
  const last = reader.next();
  await settled();
  queue.end();
  expect(await last).toBeUndefined();
  expect(await reader.next()).toBeUndefined();
  expect(reader.failure).toBeUndefined();
});

test("a source error about a block ends the blocks; any other error is a fault", async () => {
  const failing = (error: Error, promised: boolean): ReadAhead => {
    let given = 0;
    const next = (): SourceBlock | Promise<SourceBlock> => {
      const block = blocks[given++];
      if (given <= 2) return block;
      if (promised) return Promise.reject(error);
      throw error;
    };
    return new ReadAhead({ next }, inlineVerifier(forgedProfile));
  };
  for (const promised of [false, true]) {
    const cut = failing(new BlockSourceError(4, "cut short"), promised);
    expect(heights(await cut.next())).toEqual([2, 3]);
    expect(await cut.next()).toBeUndefined();
    expect(cut.failure).toEqual({ height: 4, reason: "cut short" });
    const broken = failing(new TypeError("a bug"), promised);
    expect(heights(await broken.next())).toEqual([2, 3]);
    await expect(broken.next()).rejects.toThrow("a bug");
  }
});

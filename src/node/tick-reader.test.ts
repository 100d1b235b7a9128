import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { dev } from "../profiles/index.ts";
import { memoryStore } from "../storage/memory-store.ts";
import { tables } from "../storage/tables.ts";
import { tickReader } from "./tick-reader.ts";

function reader() {
  const store = memoryStore();
  let opened = 0;
  const counting = {
    snapshot: () => {
      opened++;
      return store.snapshot();
    },
  };
  const context = {
    profile: dev,
    rules: { chainId: dev.chainId, functionality: dev.functionality, maxTransactionsInMicroBlock: 255 },
    indexAll: true,
    trust: { network: new Map(), root: undefined },
  };
  const commit = (height: number): void =>
    store.write((batch) => {
      batch.beginUnit({ height, sequence: 0 });
      batch.put(tables.heights, undefined, { height, persisted: height });
      batch.endUnit();
    });
  commit(1);
  return { chain: tickReader(counting, context), commit, opened: () => opened };
}

describe("the reader of a turn", () => {
  it("shows one state to all reads of a turn, and the newest in the next", async () => {
    const { chain, commit, opened } = reader();
    const height = (): number => chain.read((snapshot) => snapshot.height());
    expect(height()).toBe(1);
    commit(2);
    expect(height()).toBe(1);
    expect(opened()).toBe(1);
    await turn();
    expect(height()).toBe(2);
    expect(opened()).toBe(2);
  });

  it("shows the newest state after `renew`", () => {
    const { chain, commit } = reader();
    const height = (): number => chain.read((snapshot) => snapshot.height());
    expect(height()).toBe(1);
    commit(2);
    chain.renew();
    expect(height()).toBe(2);
  });

  it("takes nothing away from a reader", () => {
    const { chain } = reader();
    const height = chain.read((snapshot) => {
      chain.renew();
      return snapshot.height();
    });
    expect(height).toBe(1);
    expect(() =>
      chain.read(() => {
        throw new Error("a fault");
      }),
    ).toThrow("a fault");
    expect(chain.read((snapshot) => snapshot.height())).toBe(1);
  });
});

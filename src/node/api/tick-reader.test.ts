import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { putIndexState } from "../../chain/reading/index-states.ts";
import { dev } from "../../profiles/index.ts";
import type { WriteBatch } from "../../storage/batch/write-batch.ts";
import { CommitCounter } from "../../storage/disk/commit-counter.ts";
import { memoryStore } from "../../storage/memory-store.ts";
import { tables } from "../../storage/tables.ts";
import { tickReader } from "./tick-reader.ts";

function reader(commits?: CommitCounter) {
  const store = memoryStore();
  let opened = 0;
  const counting = {
    commits,
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
  return { store, chain: tickReader(counting, context), commit, opened: () => opened };
}

describe("the reader of a turn", () => {
  it("tells states of the chain apart: another block, a final block, a complete index", () => {
    const { store, chain } = reader();
    const names = new Set<string>();
    const name = (): number => {
      chain.renew();
      names.add(chain.read((snapshot) => snapshot.state()));
      return names.size;
    };
    let sequence = 0;
    const unit = (write: (batch: WriteBatch) => void): void =>
      store.write((batch) => {
        batch.beginUnit({ height: 2, sequence: sequence++ });
        write(batch);
        batch.endUnit();
      });
    expect(name()).toBe(1);
    expect(name()).toBe(1);
    const tip = (id: number) => ({ height: 2, sequence: 0, id: new Uint8Array(64).fill(id) });
    unit((batch) => batch.put(tables.tip, undefined, tip(1)));
    expect(name()).toBe(2);
    expect(name()).toBe(2);
    unit((batch) => batch.put(tables.tip, undefined, tip(2)));
    expect(name()).toBe(3);
    unit((batch) => batch.put(tables.heights, undefined, { height: 2, persisted: 2 }));
    expect(name()).toBe(4);
    unit((batch) =>
      putIndexState(batch, "anchors", { kind: "partial", configurationText: "", next: tip(2) }),
    );
    expect(name()).toBe(4);
    unit((batch) => putIndexState(batch, "anchors", { kind: "whole", configurationText: "" }));
    expect(name()).toBe(5);
  });

  it("shows one state to all reads of a turn, and the newest to the next", async () => {
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

  it("reads the state again only after a commit", async () => {
    const commits = new CommitCounter();
    const { chain, commit, opened } = reader(commits);
    const first = chain.state?.();
    await turn();
    expect(chain.state?.()).toBe(first);
    expect(opened()).toBe(1);
    commit(2);
    commits.increment();
    expect(chain.state?.()).not.toBe(first);
    expect(opened()).toBe(2);
  });

  it("keeps the snapshot of a reader", () => {
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

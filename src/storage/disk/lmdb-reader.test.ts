import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openStore, type Store } from "../store.ts";
import { tables } from "../tables.ts";

let home = "";
let store: Store;
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), "holdfast-peek-"));
  store = await openStore(home, { network: "test W" });
});
afterEach(async () => {
  await store.close();
  rmSync(home, { recursive: true, force: true });
});

const key = (chunk: number) => ({ tree: 200, run: 1, chunk });

function fill(lengths: readonly number[]): void {
  store.write((batch) => {
    for (const [chunk, length] of lengths.entries())
      batch.put(tables.runChunks, key(chunk), new Uint8Array(length).fill(chunk + 1));
  });
}

describe("peek", () => {
  it("passes exactly the value, of any length", () => {
    const lengths = [1, 5_000, 70_000, 2 ** 20, 2 ** 20 + 1, 3_000_000, 7];
    fill(lengths);
    store.read((reader) => {
      for (const [chunk, length] of lengths.entries()) {
        const picked = reader.peek(tables.runChunks, key(chunk), (bytes) => [
          bytes.length,
          bytes.every((byte) => byte === chunk + 1),
        ]);
        expect(picked).toEqual([length, true]);
      }
    });
  });

  it("returns undefined without a call if there is no row", () => {
    fill([10]);
    store.read((reader) => {
      const picked = reader.peek(tables.runChunks, key(1), () => {
        throw new Error("There is no row");
      });
      expect(picked).toBeUndefined();
    });
  });

  it("keeps the outer value during reads within it, also after one that throws", () => {
    fill([100, 200, 300]);
    store.read((reader) => {
      for (let time = 0; time < 2; time++) {
        reader.peek(tables.runChunks, key(0), (outer) => {
          const inner = reader.peek(tables.runChunks, key(1), (bytes) => {
            expect(reader.get(tables.runChunks, key(2))?.length).toBe(300);
            return `${bytes.length} ${bytes[199]}`;
          });
          expect(inner).toBe("200 2");
          expect([outer.length, outer[0], outer[99]]).toEqual([100, 1, 1]);
        });
        const failing = () =>
          reader.peek(tables.runChunks, key(0), () => {
            throw new Error("refused");
          });
        expect(failing).toThrow("refused");
      }
    });
  });
});

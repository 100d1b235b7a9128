import { beforeAll, describe, expect, test } from "vitest";
import { blockBytes, isBlockSigned } from "../../blocks/block.ts";
import { parseBlock } from "../../blocks/testing/parse-block.ts";
import { bytesEqual } from "../../bytes/compare.ts";
import { addressOf } from "../../crypto/addresses.ts";
import type { ChainIndex, StoredUnit } from "../../indexes/chain-index.ts";
import { recordedAt } from "../../storage/ledger/recorded-transactions.ts";
import { memoryStore } from "../../storage/memory-store.ts";
import type { UnitKey } from "../../storage/places.ts";
import { tables } from "../../storage/tables.ts";
import { forgeBlocks, forgedProfile, forgerKeyPair } from "../../testing/forged-chain.ts";
import { silentLog } from "../../testing/silent-log.ts";
import { Chain } from "../chain.ts";
import { atOnce } from "../testing/at-once.ts";
import { blockBody, unitBody } from "./bodies.ts";
import { lastSequence, unitPlaceOf } from "./micro-blocks.ts";
import { readBlock, storedBlockBytes } from "./rows.ts";
import { type ChainUnit, unitAt, unitsFrom, unitsOfBlock } from "./stored-units.ts";

const HEIGHT = 9;
const store = memoryStore();
/** The units as the indexes saw them when appended, without replaced ones. */
const applied = new Map<string, StoredUnit & { readonly id: Uint8Array }>();
const name = ({ height, sequence }: UnitKey): string => `${height}/${sequence}`;

const listener: ChainIndex = {
  apply(writer, unit) {
    for (const key of applied.keys()) {
      const [height = 0, sequence = 0] = key.split("/").map(Number);
      if (height > unit.height || (height === unit.height && sequence >= unit.sequence)) applied.delete(key);
    }
    const id = writer.get(tables.tip, undefined)?.id ?? new Uint8Array(0);
    applied.set(name(unit), { ...unit, id });
  },
};

beforeAll(() => {
  const { blocks, microBlocks, clock, chain: forged } = forgeBlocks(memoryStore(), HEIGHT);
  const chain = Chain.open({
    store,
    profile: forgedProfile,
    indexes: [listener],
    clock,
    log: silentLog,
    options: { stopOnUnsupportedFeature: true },
  });
  let next = 0;
  for (const block of blocks) {
    expect(atOnce(chain.accept(block)).ok).toBe(true);
    for (; next < microBlocks.length && bytesEqual(microBlocks[next].reference, chain.tip.id); next++)
      expect(atOnce(chain.acceptMicroBlock(microBlocks[next])).ok).toBe(true);
  }
  expect(chain.tip.id).toEqual(forged.tip.id);
});

const units = (from: UnitKey, below?: number): ChainUnit[] => [
  ...unitsFrom(store, forgedProfile, from, below),
];
const first: UnitKey = { height: 1, sequence: 0 };

describe("the units of a chain", () => {
  test("are those appended, with the results of applying them, also after the block is persisted", () => {
    const all = units(first);
    expect(all.map(name)).toEqual([...applied.keys()]);
    expect(all.filter(({ sequence }) => sequence > 0).length).toBeGreaterThan(HEIGHT);
    for (const unit of all) {
      const seen = applied.get(name(unit));
      if (seen === undefined) throw new Error(`unit ${name(unit)} was never appended`);
      expect(unit.id).toEqual(seen.id);
      expect(unit.timestamp).toBe(seen.timestamp);
      expect(unit.generator).toEqual(seen.generator);
      expect(unit.transactionCount).toBe(seen.transactions.length);
      expect(unit.transactions).toEqual(
        seen.transactions.map(({ transaction, id, position, effectiveFee, effectiveSponsor }) => ({
          transaction,
          id,
          position,
          effectiveFee,
          effectiveSponsor,
        })),
      );
    }
    expect(all.at(-1)?.generator).toEqual(addressOf(forgerKeyPair.publicKey, forgedProfile.chainId));
  });

  test("refer to each other", () => {
    let parent: Uint8Array | undefined;
    const all = units(first);
    for (const [i, unit] of all.entries()) {
      // A key block may refer to an older micro block: then that is the last one left.
      if (i > 0) expect(unit.reference).toEqual(parent);
      parent = unit.id;
    }
    expect(all.at(-1)?.id).toEqual(store.get(tables.tip, undefined)?.id);
  });

  test("can be read from any of them, up to any height", () => {
    const all = units(first);
    for (const [i, unit] of all.entries()) {
      expect(units(unit).map(name)).toEqual(all.slice(i).map(name));
      const next = { height: unit.height, sequence: unit.sequence + 1 };
      expect(units(next).map(name)).toEqual(all.slice(i + 1).map(name));
      expect(units(unit, unit.height + 1).map(name)).toEqual(
        all.slice(i).flatMap((other) => (other.height === unit.height ? [name(other)] : [])),
      );
      const one = unitAt(store, forgedProfile, unit);
      expect(one?.id).toEqual(unit.id);
      expect(one?.transactions).toEqual(unit.transactions);
    }
    expect(units({ height: HEIGHT + 1, sequence: 0 })).toEqual([]);
    const beyond = [
      { height: HEIGHT, sequence: 999 },
      { height: HEIGHT + 1, sequence: 0 },
    ];
    for (const unit of beyond) expect(unitAt(store, forgedProfile, unit)).toBeUndefined();
  });
});

describe("a transaction", () => {
  test("is found in its unit by its place in the block", () => {
    for (let height = 1; height <= HEIGHT; height++) {
      const parts = [...unitsOfBlock(store, forgedProfile, height)];
      expect(lastSequence(store, height)).toBe(parts.length - 1);
      for (const unit of parts) {
        for (const [index, bytes] of unit.transactionBytes.entries()) {
          const place = { height, position: unit.firstPosition + index };
          expect(unitPlaceOf(store, place)).toEqual({ height, sequence: unit.sequence, index });
          expect(unitBody(store, unitPlaceOf(store, place))[index]).toEqual(bytes);
          expect(recordedAt(store, place)?.id).toEqual(unit.transactions[index]?.id);
        }
      }
      expect(blockBody(store, height)).toEqual(parts.flatMap(({ transactionBytes }) => transactionBytes));
    }
  });
});

test("a block can be read as of each of its units", () => {
  for (const unit of units({ height: 2, sequence: 0 })) {
    const { height, sequence } = unit;
    const bytes = storedBlockBytes(store, height, sequence);
    if (bytes === undefined) throw new Error("there is such a block");
    const block = parseBlock(bytes, forgedProfile);
    expect(block.signature).toEqual(unit.id);
    expect(isBlockSigned(block)).toBe(true);
    const read = readBlock(store, height, forgedProfile, sequence);
    expect(read && blockBytes(read)).toEqual(bytes);
    if (sequence === lastSequence(store, height)) expect(storedBlockBytes(store, height)).toEqual(bytes);
  }
  expect(storedBlockBytes(store, HEIGHT, 999)).toBeUndefined();
  expect(storedBlockBytes(store, HEIGHT + 1)).toBeUndefined();
});

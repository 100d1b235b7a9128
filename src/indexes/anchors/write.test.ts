import { describe, expect, it } from "vitest";
import { encodeHex } from "../../bytes/hex.ts";
import { fastHash } from "../../crypto/hashes.ts";
import { Overlay } from "../../storage/batch/overlay.ts";
import { invertedIndexes } from "../../storage/postings/all.ts";
import { tables } from "../../storage/tables.ts";
import { journaledRows } from "../../storage/testing/dump.ts";
import type { Transaction } from "../../transactions/index.ts";
import { addresses, IndexChain, people, timeOf, transactionOf, unitOf } from "../testing/index-chain.ts";
import { sourceOf } from "../testing/query-source.ts";
import { AnchorQuery } from "./query.ts";
import { anchorIndex } from "./write.ts";

const [one, two] = people;
const hash = (byte: number, length = 32): Uint8Array => new Uint8Array(length).fill(byte);

function anchor(...anchors: readonly Uint8Array[]): Transaction {
  return transactionOf(one, 15, { anchors }, timeOf(1));
}

function mapped(sender: typeof one, ...anchors: readonly (readonly [Uint8Array, Uint8Array])[]): Transaction {
  return transactionOf(sender, 22, { anchors }, timeOf(1));
}

function transfer(): Transaction {
  const members = { recipient: addresses[1], amount: 1n, attachment: new Uint8Array(0) };
  return transactionOf(one, 4, members, timeOf(1));
}

/** Returns the first place of a hash as `height/position`, and checks the transaction id. */
function placeOf(chain: IndexChain, of: Uint8Array): string | undefined {
  const found = new AnchorQuery(sourceOf(chain.store)).first(of);
  if (found === undefined) return undefined;
  const { height, position, transactionId } = found;
  const all = chain.units.filter((unit) => unit.height === height).flatMap((unit) => unit.transactions);
  expect(transactionId).toEqual(all.find((entry) => entry.position === position)?.id);
  return `${height}/${position}`;
}

function pairsOf(chain: IndexChain, key: Uint8Array): string[] {
  return [...new AnchorQuery(sourceOf(chain.store)).mapped(key)].map(
    ({ height, position, sender, value, transactionId }) => {
      const unit = chain.units.find(
        (candidate) =>
          candidate.height === height && candidate.transactions.some((entry) => entry.position === position),
      );
      const entry = unit?.transactions.find((candidate) => candidate.position === position);
      expect(transactionId).toEqual(entry?.id);
      expect(sender).toEqual(entry?.transaction.senderAddress);
      return `${height}/${position} ${encodeHex(value)}`;
    },
  );
}

describe("the first anchor of a hash", () => {
  it("is in the first of several transactions of a unit", () => {
    const chain = new IndexChain([anchorIndex()]);
    chain.apply(
      unitOf(1, 0, 0, [
        transfer(),
        anchor(hash(1)),
        anchor(hash(2), hash(1), hash(3)),
        mapped(two, [hash(9), hash(3)]),
      ]),
    );
    expect([1, 2, 3, 9].map((byte) => placeOf(chain, hash(byte)))).toEqual(["1/1", "1/2", "1/2", undefined]);
  });

  it("is in the first of several units, with positions in the whole block", () => {
    const chain = new IndexChain([anchorIndex()]);
    chain.apply(unitOf(2, 0, 0, [transfer(), transfer()]));
    chain.apply(unitOf(2, 1, 2, [transfer(), anchor(hash(1))]));
    chain.apply(unitOf(2, 2, 4, [anchor(hash(2), hash(1))]));
    chain.apply(unitOf(3, 0, 0, [anchor(hash(1), hash(2), hash(3))]));
    expect([1, 2, 3].map((byte) => placeOf(chain, hash(byte)))).toEqual(["2/3", "2/4", "3/0"]);
    chain.undo();
    chain.undo();
    expect([1, 2, 3].map((byte) => placeOf(chain, hash(byte)))).toEqual(["2/3", undefined, undefined]);
  });

  it("is neither in an undone unit nor in one that replaced it", () => {
    const chain = new IndexChain([anchorIndex()]);
    const value = hash(7);
    chain.apply(unitOf(1, 0, 0, [anchor(hash(1))]));
    chain.apply(unitOf(2, 0, 0, [anchor(hash(2)), mapped(one, [hash(5), value])]));
    chain.undo();
    // The entries are still there.
    const { tree, tag } = invertedIndexes.anchors;
    const places = () => [...chain.store.findEntries(tree, tag(hash(2)))];
    expect(places()).toEqual([{ height: 2, position: 0 }]);
    expect(placeOf(chain, hash(2))).toBeUndefined();
    expect(pairsOf(chain, hash(5))).toEqual([]);
    // Another unit at the same place, with other anchors.
    chain.apply(unitOf(2, 0, 0, [anchor(hash(3)), mapped(one, [hash(6), value])]));
    expect([2, 3].map((byte) => placeOf(chain, hash(byte)))).toEqual([undefined, "2/0"]);
    expect(pairsOf(chain, hash(5))).toEqual([]);
    expect(pairsOf(chain, hash(6))).toEqual([`2/1 ${encodeHex(value)}`]);
    chain.apply(unitOf(3, 0, 0, [anchor(hash(4)), anchor(hash(2))]));
    expect(placeOf(chain, hash(2))).toBe("3/1");
    // The original unit returns.
    chain.undo();
    chain.undo();
    chain.apply(unitOf(2, 0, 0, [anchor(hash(2))]));
    expect([2, 3].map((byte) => placeOf(chain, hash(byte)))).toEqual(["2/0", undefined]);
    expect(places()).toEqual([
      { height: 3, position: 0 },
      { height: 2, position: 0 },
    ]);
  });

  it("differs from those of longer and shorter hashes with the same beginning, of 0 to 80 bytes", () => {
    const chain = new IndexChain([anchorIndex()]);
    // Page 02 §10.8: any length is allowed.
    const all = Array.from({ length: 81 }, (_, length) => hash(0, length));
    chain.apply(unitOf(1, 0, 0, [...all.slice(1).map((bytes) => anchor(bytes))]));
    chain.apply(unitOf(2, 0, 0, [anchor(...all)]));
    const places = all.map((bytes) => placeOf(chain, bytes));
    expect(places).toEqual(["2/0", ...all.slice(1).map((_, i) => `1/${i}`)]);
    for (const length of [81, 255, 256, 1_000]) expect(placeOf(chain, hash(0, length))).toBeUndefined();

    const keys = new IndexChain([anchorIndex()]);
    keys.apply(
      unitOf(
        1,
        0,
        0,
        all.map((bytes) => mapped(one, [bytes, hash(bytes.length, 1)])),
      ),
    );
    for (const [i, bytes] of all.entries())
      expect(pairsOf(keys, bytes)).toEqual([`1/${i} ${encodeHex(Uint8Array.of(i))}`]);
    for (const length of [81, 256]) expect(pairsOf(keys, hash(0, length))).toEqual([]);
  });

  it("is looked up by a hash of the anchor, which cannot be chosen", () => {
    for (const { tag } of [invertedIndexes.anchors, invertedIndexes.mappedAnchors])
      for (const length of [0, 1, 32, 80])
        expect(tag(hash(1, length)).slice(0, 8)).toEqual(fastHash(hash(1, length)).slice(0, 8));
  });

  it("throws if the chain has no such transaction", () => {
    const chain = new IndexChain([anchorIndex()]);
    chain.apply(unitOf(1, 0, 0, [anchor(hash(1)), mapped(one, [hash(2), hash(3)])]));
    const damaged = new Overlay(chain.store);
    damaged.remove(tables.recorded, { height: 1, position: 0 });
    expect(() => new AnchorQuery(sourceOf(damaged)).first(hash(1))).toThrow(RangeError);
    expect(() => [...new AnchorQuery(sourceOf(damaged)).mapped(hash(2))]).toThrow(RangeError);
  });
});

describe("the pairs of a mapped anchor", () => {
  it("come newest first, with every occurrence", () => {
    const chain = new IndexChain([anchorIndex()]);
    const key = hash(1);
    const [a, b] = [hash(0xa, 1), hash(0xb, 1)];
    chain.apply(unitOf(1, 0, 0, [mapped(one, [key, a]), mapped(one, [key, b], [hash(2), b])]));
    chain.apply(unitOf(1, 1, 2, [mapped(two, [key, a]), anchor(key), mapped(one, [key, a])]));
    chain.apply(unitOf(2, 0, 0, [mapped(two, [key, new Uint8Array(0)])]));
    expect(pairsOf(chain, key)).toEqual(["2/0 ", "1/4 0a", "1/2 0a", "1/1 0b", "1/0 0a"]);
    expect(pairsOf(chain, hash(2))).toEqual(["1/1 0b"]);
    // Values are anchors, keys are not; but this key was also anchored itself.
    expect([a, b, new Uint8Array(0), key, hash(2)].map((bytes) => placeOf(chain, bytes))).toEqual([
      "1/0",
      "1/1",
      "2/0",
      "1/3",
      undefined,
    ]);
  });
});

describe("a unit", () => {
  it("lists the position of a hash once per transaction", () => {
    const chain = new IndexChain([anchorIndex()]);
    const value = hash(3);
    chain.apply(unitOf(1, 0, 0, [mapped(one, [hash(1), value], [hash(2), value]), anchor(value)]));
    const items = [...(chain.store.get(tables.anchors, { height: 1, sequence: 0 }) ?? [])];
    expect(items).toEqual([{ key: value, value: Uint8Array.of(0, 1) }]);
  });

  it("without counting anchors writes nothing", () => {
    const plain = new IndexChain([anchorIndex()]);
    plain.apply(unitOf(1, 0, 0, [transfer(), anchor()]));
    const strangers = new IndexChain([anchorIndex("trust")]);
    strangers.apply(unitOf(1, 0, 0, [anchor(hash(1)), mapped(one, [hash(2), hash(3)])]));
    for (const { store } of [plain, strangers]) {
      expect(
        journaledRows(store).filter((row) => !/^(?:recorded|blockFacts|blockTotals) /.test(row)),
      ).toEqual([]);
      for (const { tree, tag } of [invertedIndexes.anchors, invertedIndexes.mappedAnchors])
        for (const byte of [1, 2, 3]) expect([...store.findEntries(tree, tag(hash(byte)))]).toEqual([]);
    }
  });

  it("has the anchors of trusted accounts in the mode trust", () => {
    const chain = new IndexChain([
      anchorIndex("trust", {
        text: "the second",
        includes: (_, address) => encodeHex(address) === encodeHex(addresses[1]),
      }),
    ]);
    const trusted = transactionOf(two, 15, { anchors: [hash(1)] }, timeOf(1));
    chain.apply(
      unitOf(1, 0, 0, [anchor(hash(1), hash(2)), trusted, mapped(two, [hash(4), hash(5)]), anchor(hash(3))]),
    );
    expect([1, 2, 3, 4, 5].map((byte) => placeOf(chain, hash(byte)))).toEqual([
      "1/1",
      undefined,
      undefined,
      undefined,
      "1/2",
    ]);
    expect(pairsOf(chain, hash(4))).toEqual([`1/2 ${encodeHex(hash(5))}`]);
  });
});

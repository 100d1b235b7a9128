/** Reading detects whether a transaction was read from its canonical bytes. Page 02 §6. */
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { concatBytes } from "../bytes/compare.ts";
import { encodeHex } from "../bytes/hex.ts";
import { ByteWriter } from "../bytes/writer.ts";
import { secureHash } from "../crypto/hashes.ts";
import type { CompiledLayout } from "./define.ts";
import {
  bodyBytes,
  copyTransaction,
  definitionOf,
  definitions,
  isCanonical,
  parseTransaction,
  type Transaction,
  TransactionParseError,
  transactionBytes,
} from "./index.ts";
import { writeProofs } from "./proofs.ts";
import { transactionArbitrary } from "./testing/arbitrary.ts";
import { sponsorAccount } from "./wire.ts";

const network = { chainId: 0x5a, payment: true };

/** A writer that records the positions of flags, types, counts and lengths. */
class MarkingWriter extends ByteWriter {
  readonly marks: { at: number; width: 1 | 2 }[] = [];
  override u8(value: number): this {
    this.marks.push({ at: this.length, width: 1 });
    return super.u8(value);
  }
  override u16(value: number): this {
    this.marks.push({ at: this.length, width: 2 });
    return super.u16(value);
  }
}

function layoutOf(tx: Transaction): CompiledLayout {
  const layout = definitionOf(tx).layouts.get(tx.version);
  if (layout === undefined) throw new Error("no layout");
  return layout;
}

/** Returns the bytes with the positions of everything that can be read in several ways. */
function markedBytes(tx: Transaction): MarkingWriter {
  const layout = layoutOf(tx);
  const writer = new MarkingWriter();
  const members = tx as unknown as Record<string, unknown>;
  if (layout.header === "modern") writer.u8(0);
  if (layout.envelope === "signature first") writer.u8(tx.type).bytes(tx.proofs[0]);
  writer.u8(tx.type);
  if (layout.header !== "type") writer.u8(tx.version);
  for (const { member, wire } of layout.steps) wire.write(writer, members[member]);
  if (layout.envelope === "signature last") writer.bytes(tx.proofs[0]);
  if (layout.envelope === "sponsor and proofs") sponsorAccount.write(writer, tx.sponsor);
  if (layout.envelope === "proofs" || layout.envelope === "sponsor and proofs")
    writeProofs(writer, tx.proofs);
  return writer;
}

/** A change of bytes: an operation, its position and its arguments. */
interface Mutation {
  readonly kind: "mark" | "resize" | "flip" | "insert" | "cut" | "append" | "double" | "none";
  readonly position: number;
  readonly value: number;
  readonly size: number;
  readonly filling: Uint8Array;
}

const mutation: fc.Arbitrary<Mutation> = fc.record({
  kind: fc.constantFrom(
    "mark",
    "mark",
    "resize",
    "resize",
    "flip",
    "insert",
    "cut",
    "append",
    "double",
    "none",
  ),
  position: fc.nat(),
  value: fc.oneof(fc.constantFrom(0, 1, 2, 3, 4, 0x7f, 0x80, 0xff, 0xffff, 0x8000, 0x7fff), fc.nat(0xffff)),
  size: fc.oneof(fc.nat(4), fc.nat(40)),
  filling: fc.oneof(
    fc.uint8Array({ maxLength: 70 }),
    fc.constantFrom(
      Uint8Array.of(0),
      Uint8Array.of(0xc0),
      Uint8Array.of(0xef, 0xbf, 0xbd),
      Uint8Array.of(0xed, 0xa0, 0x80),
    ),
  ),
});

function spliced(bytes: Uint8Array, at: number, cut: number, filling: Uint8Array): Uint8Array {
  return concatBytes(bytes.subarray(0, at), filling, bytes.subarray(Math.min(at + cut, bytes.length)));
}

function mutated(writer: MarkingWriter, { kind, position, value, size, filling }: Mutation): Uint8Array {
  const bytes = writer.toBytes();
  const at = position % bytes.length;
  const mark = writer.marks[position % writer.marks.length];
  const view = new DataView(bytes.buffer);
  switch (kind) {
    case "none":
      return bytes;
    case "mark":
      if (mark.width === 1) bytes[mark.at] = value;
      else view.setUint16(mark.at, value);
      return bytes;
    case "resize": {
      // A length or count, and what follows it.
      if (mark.width === 1) return spliced(bytes, mark.at, 1 + size, filling);
      const length = view.getUint16(mark.at);
      const cut = Math.min(size, length);
      view.setUint16(mark.at, length - cut + filling.length);
      return spliced(bytes, mark.at + 2, cut, filling);
    }
    case "flip":
      bytes[at] ^= 1 << (value & 7);
      return bytes;
    case "insert":
      return spliced(bytes, at, 0, filling);
    case "cut":
      return spliced(bytes, at, size, filling.subarray(0, 0));
    case "append":
      return spliced(bytes, bytes.length, 0, filling);
    case "double":
      return spliced(bytes, at, 0, bytes.subarray(at, at + size));
  }
}

/** Serializes the members again, ignoring cached bytes. */
function reserialized(tx: Transaction): { bytes: string; body: string } {
  const bytes = transactionBytes(copyTransaction(tx, {}));
  return { bytes: encodeHex(bytes), body: encodeHex(bodyBytes(copyTransaction(tx, {}))) };
}

function expectConsistentBytes(tx: Transaction, read: Uint8Array): void {
  const { bytes, body } = reserialized(tx);
  if (isCanonical(tx)) expect(encodeHex(read)).toBe(bytes);
  // Body and bytes can be requested in either order.
  expect(encodeHex(bodyBytes(tx))).toBe(body);
  expect(encodeHex(transactionBytes(tx))).toBe(bytes);
  const again = parseTransaction(read, network);
  expect(encodeHex(transactionBytes(again))).toBe(bytes);
  expect(encodeHex(bodyBytes(again))).toBe(body);
}

const counts = { canonical: 0, changedAndCanonical: 0, lenient: 0, falseAlarms: 0 };

describe.each(
  definitions.flatMap(({ type, name, layouts }) =>
    [...layouts.keys()].map((version) => ({ type, name, version })),
  ),
)("$name version $version", ({ type, version }) => {
  const arbitrary = transactionArbitrary({ network, types: [type], versions: [version] });

  it("is canonical only if it was read from the bytes that it serializes, whatever bytes change", () => {
    fc.assert(
      fc.property(arbitrary, fc.array(mutation, { minLength: 20, maxLength: 20 }), (tx, mutations) => {
        const writer = markedBytes(tx);
        const whole = writer.toBytes();
        expect(encodeHex(whole)).toBe(encodeHex(transactionBytes(tx)));
        for (const change of mutations) {
          const bytes = mutated(writer, change);
          let read: Transaction;
          try {
            read = parseTransaction(bytes, network);
          } catch (error) {
            expect(error).toBeInstanceOf(TransactionParseError);
            continue;
          }
          if (!isCanonical(read)) {
            counts.lenient++;
            if (encodeHex(bytes) === reserialized(read).bytes) counts.falseAlarms++;
          } else if (encodeHex(bytes) === encodeHex(whole)) counts.canonical++;
          else counts.changedAndCanonical++;
          expectConsistentBytes(read, bytes);
        }
      }),
      { seed: 11, numRuns: 40 },
    );
  });
});

afterAll(() => {
  // Each kind occurs often, and false alarms are rare.
  expect(counts.canonical).toBeGreaterThan(1_000);
  expect(counts.changedAndCanonical).toBeGreaterThan(1_000);
  expect(counts.lenient).toBeGreaterThan(1_000);
  expect(counts.falseAlarms).toBeLessThan(counts.lenient / 10);
});

function sample(
  type: number,
  version: number,
  accept: (tx: Transaction) => boolean = () => true,
): Transaction {
  const arbitrary = transactionArbitrary({ network, types: [type], versions: [version] }).filter(accept);
  return fc.sample(arbitrary, { seed: 12, numRuns: 1 })[0];
}

/** No sponsor, no proofs. */
const NO_FOOTER = Uint8Array.of(0, 1, 0, 0);

/** Version 3 of a type with these bytes as members and footer. */
function withMembers(type: number, members: Uint8Array, footer: Uint8Array = NO_FOOTER): Uint8Array {
  const plain = copyTransaction(
    sample(type, 3, (tx) => tx.sender.keyType === "ed25519"),
    {
      sponsor: undefined,
      proofs: [],
    },
  );
  const base = 1 + 52;
  return concatBytes(transactionBytes(plain).subarray(0, base), members, footer);
}

function hasMembers(type: number, members: Uint8Array, footer?: Uint8Array): boolean {
  const bytes = withMembers(type, members, footer);
  const read = parseTransaction(bytes, network);
  expectConsistentBytes(read, bytes);
  return isCanonical(read);
}

describe("non-canonical input", () => {
  const pairs = (...keys: number[]) =>
    new ByteWriter()
      .u16(keys.length)
      .bytes(Uint8Array.from(keys.flatMap((key) => [0, 1, key, 0, 1, 7])))
      .toBytes();

  it("includes repeated pairs, or pairs in another order than the map's", () => {
    expect(hasMembers(22, pairs(1, 2, 3, 4))).toBe(true);
    expect(hasMembers(22, pairs(4, 3, 2, 1))).toBe(true);
    expect(hasMembers(22, pairs(1, 2, 1))).toBe(false);
    const many = Array.from({ length: 12 }, (_, i) => i);
    const read = parseTransaction(withMembers(22, pairs(...many)), network);
    if (read.type !== 22) throw new Error("another type");
    const order = read.anchors.map(([key]) => key[0]);
    expect(order).not.toEqual(many);
    expect(hasMembers(22, pairs(...many))).toBe(false);
    expect(hasMembers(22, pairs(...order))).toBe(true);
  });

  it("includes repaired texts", () => {
    const entry = (text: Uint8Array, type = 3) =>
      new ByteWriter().u16(1).u16(text.length).bytes(text).u8(type).u16(text.length).bytes(text).toBytes();
    const utf8 = new TextEncoder();
    expect(hasMembers(12, entry(utf8.encode("\ufeffkäse 💶")))).toBe(true);
    for (const text of [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xe2, 0x82], [0x41, 0x80]])
      expect(hasMembers(12, entry(Uint8Array.from(text)))).toBe(false);
  });

  it("includes booleans other than 0 and 1", () => {
    const entry = (byte: number) => Uint8Array.of(0, 1, 0, 1, 0x41, 1, byte);
    expect([0, 1, 2, 255].map((byte) => hasMembers(12, entry(byte)))).toEqual([true, true, false, false]);
  });

  it("includes scripts that are serialized differently", () => {
    const script = (...expression: number[]) => {
      const content = Uint8Array.of(1, ...expression);
      const bytes = concatBytes(content, secureHash(content).subarray(0, 4));
      return new ByteWriter().u16(bytes.length).bytes(bytes).toBytes();
    };
    expect(hasMembers(13, script(6))).toBe(true);
    expect(hasMembers(13, script(2, 0, 0, 0, 1, 0x41))).toBe(true);
    // Malformed UTF-8.
    expect(hasMembers(13, script(2, 0, 0, 0, 1, 0xff))).toBe(false);
  });

  it("includes negative lengths, with which the reader reaches the end twice", () => {
    // The second proof starts at the length of the first one, and its length is the number of proofs.
    const proofs = Uint8Array.of(0, 1, 0, 2, 0xff, 0xfc);
    expect(hasMembers(21, new ByteWriter().i64(1n).toBytes(), proofs)).toBe(false);
    // The key is read again as the footer: no sponsor, and one proof of three bytes.
    const entry = Uint8Array.of(0, 1, 0, 6, 0, 1, 0, 1, 0, 3, 3, 0xff, 0xf7);
    expect(hasMembers(12, entry, new Uint8Array(0))).toBe(false);
  });

  it("includes a modern header on a layout with an old one", () => {
    for (const type of [4, 8, 9, 11]) {
      const old = transactionBytes(sample(type, 1));
      expect(isCanonical(parseTransaction(old, network))).toBe(true);
      const header = type === 11 ? [0] : [0, type, 1];
      const bytes = concatBytes(Uint8Array.from(header), old.subarray(type === 11 ? 0 : 1));
      const read = parseTransaction(bytes, network);
      expect(isCanonical(read)).toBe(false);
      expectConsistentBytes(read, bytes);
      expect(encodeHex(transactionBytes(read))).toBe(encodeHex(old));
    }
  });

  it("includes trailing bytes", () => {
    for (const { type, layouts } of definitions)
      for (const version of layouts.keys()) {
        const bytes = concatBytes(transactionBytes(sample(type, version)), Uint8Array.of(0));
        expect(isCanonical(parseTransaction(bytes, network))).toBe(false);
      }
  });

  it("excludes transactions that were built, not read", () => {
    expect(isCanonical(sample(4, 3))).toBe(false);
  });
});

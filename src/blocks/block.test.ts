import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compareBytes, concatBytes } from "../bytes/compare.ts";
import { printJson } from "../bytes/json.ts";
import { keyPairFromSeed } from "../crypto/seeds.ts";
import {
  copyTransaction,
  parseTransaction,
  type Transaction,
  transactionBytes,
} from "../transactions/index.ts";
import { transactionArbitrary } from "../transactions/testing/arbitrary.ts";
import { parseAnnouncement } from "./announcement.ts";
import {
  type Block,
  type BlockTemplate,
  blockBytes,
  blockHeader,
  buildBlock,
  isBlockSigned,
  scanBlock,
} from "./block.ts";
import { parseCheckpoint } from "./checkpoint.ts";
import { BlockParseError, BlockStructureError } from "./errors.ts";
import { canonicalFeatures } from "./features.ts";
import { buildMicroBlock, isMicroBlockSigned, microBlockBytes, scanMicroBlock } from "./micro-block.ts";
import { blockJson } from "./testing/block-json.ts";
import { parseMicroBlock, totalBlock } from "./testing/micro-blocks.ts";
import { parseBlock } from "./testing/parse-block.ts";
import { parseTransactionsAt } from "./transactions-section.ts";

const network = { chainId: 90, payment: true };
const keys = keyPairFromSeed(Uint8Array.of(1));
const int64 = fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n);
const bytesOf = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const transaction = transactionArbitrary({ network });
const options = { seed: 1, numRuns: 200 };

const template: fc.Arbitrary<BlockTemplate> = fc.integer({ min: 1, max: 4 }).chain((version) =>
  fc.record({
    version: fc.constant(version),
    timestamp: int64,
    reference: bytesOf(64),
    baseTarget: int64,
    generationSignature: bytesOf(32),
    transactions: fc.array(transaction, { maxLength: 4 }),
    features:
      version < 3 ? fc.constant([]) : fc.array(fc.integer({ min: -32_768, max: 32_767 }), { maxLength: 64 }),
    feeVote: version < 4 ? fc.constant(0) : fc.integer({ min: -128, max: 127 }),
  }),
);

/** Replaces transactions by their bytes, since they may have more than their fields. */
function comparable({ transactions, ...fields }: Block) {
  return { ...fields, transactions: transactions.map(transactionBytes) };
}

function anyTransaction(): Transaction {
  const [first] = fc.sample(transactionArbitrary({ network, types: [4] }), { seed: 1, numRuns: 1 });
  return first;
}

test("the transactions of a block equal those parsed one by one, and keep few bytes of the others", () => {
  fc.assert(
    fc.property(fc.array(transaction, { minLength: 1, maxLength: 40 }), (transactions) => {
      const parts = transactions.map(transactionBytes);
      const source = concatBytes(...parts);
      const offsets = new Int32Array(2 * parts.length);
      for (let i = 0, at = 0; i < parts.length; at += parts[i++].length)
        offsets.set([at, at + parts[i].length], 2 * i);
      const parsed = parseTransactionsAt(source, offsets, network);
      expect(parsed).toEqual(parts.map((part) => parseTransaction(part, network)));
      source.fill(0);
      expect(parsed.map(transactionBytes)).toEqual(parts);
      for (const read of parsed) {
        const { buffer, length } = transactionBytes(read);
        expect(buffer.byteLength).toBeLessThanOrEqual(Math.max(8_192, length));
      }
    }),
    { seed: 1, numRuns: 50 },
  );
});

function plainTemplate(change: Partial<BlockTemplate> = {}): BlockTemplate {
  return {
    version: 4,
    timestamp: 1n,
    reference: new Uint8Array(64),
    baseTarget: 1n,
    generationSignature: new Uint8Array(32),
    transactions: [],
    features: [],
    feeVote: 0,
    ...change,
  };
}

describe("blocks", () => {
  test("round-trip through bytes with their signature", () => {
    fc.assert(
      fc.property(template, bytesOf(3), (fields, tail) => {
        const block = buildBlock(fields, keys);
        const bytes = blockBytes(block);
        const read = parseBlock(concatBytes(bytes, tail), network);
        expect(comparable(read)).toEqual(comparable(block));
        expect(blockBytes(read)).toEqual(bytes);
        expect(isBlockSigned(read)).toBe(true);
        expect(scanBlock(bytes).header).toEqual(blockHeader(read));
      }),
      options,
    );
  });

  test("detect a change of any signed byte", () => {
    const block = buildBlock(plainTemplate({ features: [15, 17], transactions: [anyTransaction()] }), keys);
    const bytes = blockBytes(block);
    for (let i = 0; i < bytes.length; i++) {
      const changed = bytes.slice();
      changed[i] ^= 0x55;
      let read: Block;
      try {
        read = parseBlock(changed, network);
      } catch (error) {
        expect(error).toBeInstanceOf(BlockParseError);
        continue;
      }
      // Either the signature fails, or the canonical form drops the change (page 03 §2.7).
      expect(isBlockSigned(read) && compareBytes(blockBytes(read), bytes) !== 0).toBe(false);
    }
  });

  test("are rewritten canonically after non-canonical input, whatever bytes change", () => {
    const CONSENSUS_LENGTH = 73;
    const SECTION_LENGTH = 117;
    let canonical = 0;
    let lenient = 0;
    fc.assert(
      fc.property(
        template,
        fc.constantFrom("none", "consensus", "section", "count", "transaction", "features", "noise", "tail"),
        fc.nat(),
        fc.uint8Array({ minLength: 1, maxLength: 8 }),
        (fields, kind, place, noise) => {
          const whole = blockBytes(buildBlock(fields, keys));
          const bytes = whole.slice();
          const view = new DataView(bytes.buffer);
          const insert = (at: number) => concatBytes(bytes.subarray(0, at), noise, bytes.subarray(at));
          const longer = (at: number) => view.setInt32(at, view.getInt32(at) + noise.length);
          const countSize = fields.version < 3 ? 1 : 4;
          const sectionEnd = SECTION_LENGTH + 4 + view.getInt32(SECTION_LENGTH);
          let bent: Uint8Array = bytes;
          if (kind === "consensus") {
            longer(CONSENSUS_LENGTH);
            bent = insert(CONSENSUS_LENGTH + 4 + (place % 40));
          } else if (kind === "section") {
            longer(SECTION_LENGTH);
            bent = insert(sectionEnd);
          } else if (kind === "count") {
            bytes[SECTION_LENGTH + 4] = 0x80 | noise[0];
          } else if (kind === "transaction" && fields.transactions.length > 0) {
            longer(SECTION_LENGTH);
            longer(SECTION_LENGTH + 4 + countSize);
            const first = SECTION_LENGTH + 4 + countSize + 4;
            bent = insert(first + transactionBytes(fields.transactions[0]).length);
          } else if (kind === "features" && fields.version >= 3 && view.getInt32(sectionEnd) > 0) {
            const at = sectionEnd + 4 + 2 * (place % view.getInt32(sectionEnd));
            view.setInt16(at, view.getInt16(noise[0] % 2 === 0 ? sectionEnd + 4 : at) + (noise[0] >> 6));
          } else if (kind === "noise") {
            bytes.set(noise.subarray(0, bytes.length - (place % bytes.length)), place % bytes.length);
          } else if (kind === "tail") {
            bent = insert(bytes.length);
          }
          let read: Block;
          try {
            read = parseBlock(bent, network);
          } catch (error) {
            expect(error).toBeInstanceOf(BlockParseError);
            return;
          }
          const copies = read.transactions.map((tx) => copyTransaction(tx, {}));
          const anew = blockBytes({ ...read, transactions: copies });
          expect(blockBytes(read)).toEqual(anew);
          const { length } = scanBlock(bent);
          if (compareBytes(anew, bent.subarray(0, length)) === 0) canonical++;
          else lenient++;
        },
      ),
      { seed: 3, numRuns: 600 },
    );
    expect(canonical).toBeGreaterThan(100);
    expect(lenient).toBeGreaterThan(100);
  });

  test("reject malformed bytes with one kind of error", () => {
    fc.assert(
      fc.property(template, fc.nat(), fc.uint8Array({ maxLength: 8 }), (fields, at, noise) => {
        const bytes = blockBytes(buildBlock(fields, keys)).slice();
        const start = at % bytes.length;
        bytes.set(noise.subarray(0, bytes.length - start), start);
        for (const candidate of [bytes, bytes.subarray(0, start), noise]) {
          try {
            expect(blockBytes(parseBlock(candidate, network)).length).toBeGreaterThan(0);
          } catch (error) {
            expect(error).toBeInstanceOf(BlockParseError);
          }
        }
      }),
      options,
    );
  });

  test.each<[string, Partial<BlockTemplate>]>([
    ["Incorrect reference", { reference: new Uint8Array(63) }],
    ["Incorrect consensusData.generationSignature", { generationSignature: new Uint8Array(33) }],
    ["Block version 2 could not contain feature votes", { version: 2, features: [1] }],
    [
      "Block could not contain more than 64 feature votes",
      { features: Array.from({ length: 65 }, (_, i) => i) },
    ],
    ["Block version 3 could not contain fee votes", { version: 3, feeVote: 1 }],
    [
      "Block version 1 could not contain more than 127 transactions",
      { version: 1, transactions: Array.from({ length: 128 }, anyTransaction) },
    ],
  ])("are rejected when built: %s", (message, change) => {
    expect(() => buildBlock(plainTemplate(change), keys)).toThrow(new BlockStructureError(message));
  });

  test("are signed only with ed25519", () => {
    expect(() => buildBlock(plainTemplate(), { ...keys, keyType: "secp256k1" })).toThrow(
      new BlockStructureError("Incorrect signer.publicKey"),
    );
  });

  test("hold distinct features in canonical order", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -32_768, max: 32_767 })), (ids) => {
        const order = canonicalFeatures(ids);
        expect(new Set(order)).toEqual(new Set(ids));
        expect(order).toHaveLength(new Set(ids).size);
        expect(canonicalFeatures(order)).toEqual(order);
        if (order.length > 4) expect(canonicalFeatures([...ids].reverse())).toEqual(order);
        else expect(order).toEqual([...new Set(ids)]);
      }),
      options,
    );
  });

  test("list JSON members in order", () => {
    const block = buildBlock(plainTemplate({ version: 3, features: [17], baseTarget: 2n ** 60n }), keys);
    const text = printJson(blockJson(block, network.chainId));
    const names = [...text.matchAll(/"([a-zA-Z-]+)":/g)].map(([, name]) => name);
    expect(names).toEqual([
      ...[
        "version",
        "timestamp",
        "reference",
        "nxt-consensus",
        "base-target",
        "generation-signature",
        "features",
      ],
      ...["feeVote", "generator", "signature", "blocksize", "transactionCount", "transactions"],
    ]);
    expect(text).toContain('"base-target":1152921504606846976');
    const old = buildBlock(plainTemplate({ version: 2 }), keys);
    expect(blockJson(old, network.chainId).has("features")).toBe(false);
  });
});

describe("micro blocks", () => {
  const list = fc.array(transaction, { minLength: 1, maxLength: 4 });

  test("round-trip through bytes and form the total", () => {
    fc.assert(
      fc.property(template, list, list, (fields, one, two) => {
        const base = buildBlock({ ...fields, version: 4, feeVote: 0 }, keys);
        const first = buildMicroBlock(base, one, keys);
        const second = buildMicroBlock(first.total, two, keys);
        const read = [first, second].map(({ micro }) => parseMicroBlock(microBlockBytes(micro), network));
        expect(read.map(microBlockBytes)).toEqual([first, second].map(({ micro }) => microBlockBytes(micro)));
        expect(read.every(isMicroBlockSigned)).toBe(true);
        const { header, offsets } = scanMicroBlock(microBlockBytes(first.micro));
        expect({ ...header, transactions: read[0].transactions }).toEqual(read[0]);
        expect(offsets).toHaveLength(2 * one.length);
        expect(second.micro.reference).toEqual(first.micro.totalSignature);
        const total = totalBlock(base, read);
        expect(isBlockSigned(total)).toBe(true);
        expect(blockBytes(total)).toEqual(blockBytes(second.total));
        expect(totalBlock(base, [])).toBe(base);
        // The signature covers all transactions.
        expect(isBlockSigned({ ...total, transactions: total.transactions.slice(1) })).toBe(false);
      }),
      { seed: 1, numRuns: 50 },
    );
  });

  test("hold 1 to 500 transactions", () => {
    const base = buildBlock(plainTemplate(), keys);
    const tx = anyTransaction();
    expect(() => buildMicroBlock(base, [], keys)).toThrow(
      new BlockStructureError("cannot create empty MicroBlock"),
    );
    expect(() => buildMicroBlock(base, Array(501).fill(tx), keys)).toThrow(
      new BlockStructureError("too many txs in MicroBlock: allowed: 500, actual: 501"),
    );
    const { micro } = buildMicroBlock(base, Array(500).fill(tx), keys);
    expect(parseMicroBlock(microBlockBytes(micro), network).transactions).toHaveLength(500);
    // A count of zero or less is an empty micro block.
    const bytes = microBlockBytes(micro).slice();
    for (const count of [0, 0xff]) {
      bytes.fill(count, 133, 137);
      expect(() => parseMicroBlock(bytes, network)).toThrow(
        new BlockParseError("GenericError(cannot create empty MicroBlock)"),
      );
    }
  });

  test("reject malformed bytes with one kind of error", () => {
    const bytes = microBlockBytes(
      buildMicroBlock(buildBlock(plainTemplate(), keys), [anyTransaction()], keys).micro,
    );
    for (let length = 0; length < bytes.length; length++) {
      expect(() => parseMicroBlock(bytes.subarray(0, length), network)).toThrow(BlockParseError);
    }
    for (const version of [0, 5, 255]) {
      const changed = bytes.slice();
      changed[0] = version;
      expect(() => parseMicroBlock(changed, network)).toThrow(BlockParseError);
    }
    expect(() => parseAnnouncement(bytes.subarray(0, 223))).toThrow(BlockParseError);
    expect(() => parseCheckpoint(Uint8Array.of(0, 0, 0, 11))).toThrow(BlockParseError);
    expect(() => parseCheckpoint(Uint8Array.of(0xff, 0xff, 0xff, 0xff))).toThrow(BlockParseError);
  });

  test("reject a transaction of another network", () => {
    const block = buildBlock(plainTemplate({ transactions: [anyTransaction()] }), keys);
    expect(() => parseBlock(blockBytes(block), { ...network, chainId: 84 })).toThrow(BlockParseError);
    expect(parseTransaction(transactionBytes(anyTransaction()), network).type).toBe(4);
  });
});

/** Checks the sections of `blocks.json` about bytes, ids and signatures. Page 03 §2-§4, §15. */
import { describe, expect, test } from "vitest";
import { expectKnown, hasVectors, loadVectors } from "../../test/vectors.ts";
import { decodeBase58, encodeBase58 } from "../bytes/base58.ts";
import { decodeHex, encodeHex } from "../bytes/hex.ts";
import { encodeUtf8 } from "../bytes/utf8.ts";
import { addressOf, addressText, parseAddress } from "../crypto/addresses.ts";
import { accountSeed, keyPairFromAccountSeed } from "../crypto/seeds.ts";
import { mainnet, type NetworkProfile, testnet } from "../profiles/index.ts";
import { parseTransaction, transactionBytes, transactionId } from "../transactions/index.ts";
import {
  announcementBytes,
  isAnnouncementSigned,
  parseAnnouncement,
  signAnnouncement,
} from "./announcement.ts";
import { type Block, blockBytes, blockUnsignedBytes, buildBlock, isBlockSigned, scanBlock } from "./block.ts";
import {
  checkpointBytes,
  checkpointUnsignedBytes,
  fitsCheckpoint,
  isCheckpointSigned,
  parseCheckpoint,
} from "./checkpoint.ts";
import { BlockParseError } from "./errors.ts";
import { canonicalFeatures } from "./features.ts";
import { genesisBlock, genesisKeyPair } from "./genesis.ts";
import {
  buildMicroBlock,
  isMicroBlockSigned,
  microBlockBytes,
  microBlockUnsignedBytes,
} from "./micro-block.ts";
import { blockJson } from "./testing/block-json.ts";
import { parseMicroBlock, totalBlock } from "./testing/micro-blocks.ts";
import { parseBlock } from "./testing/parse-block.ts";
import { signCheckpoint } from "./testing/sign-checkpoint.ts";

const TESTNET = { chainId: 84, payment: false };

interface Signer {
  readonly seedHex: string;
  readonly ed25519SeedHex: string;
  readonly publicKeyHex: string;
  readonly publicKeyBase58: string;
  readonly secretKey64Hex?: string;
  readonly addressTestnet: string;
  readonly addressMainnet?: string;
}

interface BlockFields {
  readonly version: number;
  readonly timestamp: string;
  readonly referenceHex: string;
  readonly baseTarget: string;
  readonly generationSignatureHex: string;
  readonly transactions: readonly string[];
  readonly features: readonly number[] | null;
  readonly feeVote: number | null;
  readonly generatorPublicKeyHex: string;
}

interface BlockVector {
  readonly name: string;
  readonly fields: BlockFields;
  readonly partsHex: Record<string, string>;
  readonly bytesToSignHex: string;
  readonly signatureHex: string;
  readonly blockId: string;
  readonly blockBytesHex: string;
  readonly blockSize: number;
}

interface MicroBlockVector {
  readonly name: string;
  readonly version: number;
  readonly prevResBlockSigHex: string;
  readonly totalResBlockSigHex: string;
  readonly transactions: readonly string[];
  readonly transactionsSectionHex: string;
  readonly senderPublicKeyHex: string;
  readonly bytesToSignHex: string;
  readonly signatureHex: string;
  readonly microBlockBytesHex: string;
  readonly size: number;
  readonly microBlockInv: {
    readonly chainId: string;
    readonly signatureHex: string;
    readonly messagePayloadHex: string;
  };
}

interface GenesisVector {
  readonly chainId: string;
  readonly chainIdByte: number;
  readonly version: number;
  readonly blockTimestamp: string;
  readonly timestamp: string;
  readonly baseTarget: string;
  readonly initialBalance: string;
  readonly averageBlockDelaySeconds: number;
  readonly transactions: readonly {
    readonly recipient: string;
    readonly amount: string;
    readonly bytesHex: string;
    readonly idHex: string;
  }[];
  readonly generatorPublicKeyHex: string;
  readonly generatorAddress: string;
  readonly bytesToSignHex: string;
  readonly signatureBase58: string;
  readonly blockId: string;
  readonly blockBytesHex: string;
  readonly blockSize: number;
}

interface Vectors {
  readonly genesisSigner: Signer;
  readonly genesisTransactions: readonly {
    readonly chainId: string;
    readonly recipientPublicKeyHex?: string;
    readonly recipient: string;
    readonly amount: string;
    readonly timestamp: string;
    readonly expectedIdBase58?: string;
    readonly bytesHex: string;
  }[];
  readonly genesis: Record<string, GenesisVector>;
  readonly genesisGenerator: readonly { readonly genesis: GenesisVector }[];
  readonly featureOrder: readonly {
    readonly input: readonly number[];
    readonly serialisedOrder: readonly number[];
  }[];
  readonly sampleSigner: Signer;
  readonly sampleTransactions: readonly {
    readonly senderSeedUtf8: string;
    readonly senderPublicKeyHex: string;
    readonly idHex: string;
    readonly bytesHex: string;
  }[];
  readonly blocks: readonly BlockVector[];
  readonly wireEdgeCases: readonly {
    readonly name: string;
    readonly wireHex: string;
    readonly canonicalHex: string | null;
    readonly outcome: string;
    readonly note: string;
  }[];
  readonly ng: {
    readonly keyBlock: BlockVector;
    readonly totalAfterMicro1: BlockVector;
    readonly totalAfterMicro2: BlockVector;
    readonly microBlocks: readonly MicroBlockVector[];
  };
  readonly checkpoint: {
    readonly items: readonly { readonly height: number; readonly signature: string }[];
    readonly signerPublicKeyHex: string;
    readonly bytesToSignHex: string;
    readonly signatureHex: string;
    readonly messagePayloadHex: string;
  };
}

const sampleKeys = keyPairFromAccountSeed(new Uint8Array(32));

function expectSigner(signer: Signer, seed: Uint8Array): void {
  const pair = keyPairFromAccountSeed(seed);
  expect(encodeHex(pair.privateKey.subarray(0, 32))).toBe(signer.ed25519SeedHex);
  if (signer.secretKey64Hex !== undefined) expect(encodeHex(pair.privateKey)).toBe(signer.secretKey64Hex);
  expect(encodeHex(pair.publicKey)).toBe(signer.publicKeyHex);
  expect(encodeBase58(pair.publicKey)).toBe(signer.publicKeyBase58);
  expect(addressText(addressOf(pair.publicKey, 84))).toBe(signer.addressTestnet);
  if (signer.addressMainnet !== undefined) {
    expect(addressText(addressOf(pair.publicKey, 76))).toBe(signer.addressMainnet);
  }
}

function expectFields(block: Block, fields: BlockFields): void {
  expect(block.version).toBe(fields.version);
  expect(block.timestamp).toBe(BigInt(fields.timestamp));
  expect(encodeHex(block.reference)).toBe(fields.referenceHex);
  expect(block.baseTarget).toBe(BigInt(fields.baseTarget));
  expect(encodeHex(block.generationSignature)).toBe(fields.generationSignatureHex);
  expect(block.transactions.map((tx) => encodeHex(transactionBytes(tx)))).toEqual(fields.transactions);
  expect(block.features).toEqual(fields.features ?? []);
  expect(block.feeVote).toBe(fields.feeVote ?? 0);
  expect(encodeHex(block.generator)).toBe(fields.generatorPublicKeyHex);
}

function expectBlock(vector: BlockVector): void {
  const block = parseBlock(decodeHex(vector.blockBytesHex), TESTNET);
  expectFields(block, vector.fields);
  expect(encodeHex(block.signature)).toBe(vector.signatureHex);
  expect(encodeBase58(block.signature)).toBe(vector.blockId);
  expect(encodeHex(blockBytes(block))).toBe(vector.blockBytesHex);
  expect(encodeHex(blockUnsignedBytes(block))).toBe(vector.bytesToSignHex);
  expect(Object.values(vector.partsHex).join("")).toContain(vector.bytesToSignHex);
  expect(blockBytes(block)).toHaveLength(vector.blockSize);
  expect(isBlockSigned(block)).toBe(true);
  // Signatures are deterministic: the rebuilt block is equal.
  const built = buildBlock(
    {
      version: vector.fields.version,
      timestamp: BigInt(vector.fields.timestamp),
      reference: decodeHex(vector.fields.referenceHex),
      baseTarget: BigInt(vector.fields.baseTarget),
      generationSignature: decodeHex(vector.fields.generationSignatureHex),
      transactions: vector.fields.transactions.map((hex) => parseTransaction(decodeHex(hex), TESTNET)),
      features: vector.fields.features ?? [],
      feeVote: vector.fields.feeVote ?? 0,
    },
    sampleKeys,
  );
  expect(encodeHex(blockBytes(built))).toBe(vector.blockBytesHex);
}

/** A profile with the genesis of a vector; everything else comes from the test network. */
function profileOf(vector: GenesisVector): NetworkProfile {
  return {
    ...testnet,
    chainId: vector.chainIdByte,
    genesis: {
      averageBlockDelaySeconds: vector.averageBlockDelaySeconds,
      initialBaseTarget: BigInt(vector.baseTarget),
      timestamp: BigInt(vector.timestamp),
      blockTimestamp: BigInt(vector.blockTimestamp),
      initialBalance: BigInt(vector.initialBalance),
      transactions: vector.transactions.map(({ recipient, amount }) => ({
        recipient: parseAddress(recipient, vector.chainIdByte),
        amount: BigInt(amount),
      })),
      signature: decodeBase58(vector.signatureBase58, 1_000),
    },
  };
}

function expectGenesis(profile: NetworkProfile, vector: GenesisVector): void {
  const block = genesisBlock(profile);
  expect(block.version).toBe(vector.version);
  expect(encodeHex(blockBytes(block))).toBe(vector.blockBytesHex);
  expect(blockBytes(block)).toHaveLength(vector.blockSize);
  expect(encodeHex(blockUnsignedBytes(block))).toBe(vector.bytesToSignHex);
  expect(encodeBase58(block.signature)).toBe(vector.blockId);
  expect(isBlockSigned(block)).toBe(true);
  expect(addressText(addressOf(block.generator, vector.chainIdByte))).toBe(vector.generatorAddress);
  expect(block.transactions.map((tx) => encodeHex(transactionBytes(tx)))).toEqual(
    vector.transactions.map(({ bytesHex }) => bytesHex),
  );
  expect(block.transactions.map((tx) => encodeHex(transactionId(tx)))).toEqual(
    vector.transactions.map(({ idHex }) => idHex),
  );
  // Without a stated signature the result is the same.
  const { signature: _, ...genesis } = profile.genesis;
  expect(genesisBlock({ ...profile, genesis }).signature).toEqual(block.signature);
}

function expectMicroBlock(vector: MicroBlockVector, base: Block): void {
  const micro = parseMicroBlock(decodeHex(vector.microBlockBytesHex), TESTNET);
  expect(micro.version).toBe(vector.version);
  expect(encodeHex(micro.reference)).toBe(vector.prevResBlockSigHex);
  expect(encodeHex(micro.totalSignature)).toBe(vector.totalResBlockSigHex);
  expect(micro.transactions.map((tx) => encodeHex(transactionBytes(tx)))).toEqual(vector.transactions);
  expect(encodeHex(micro.generator)).toBe(vector.senderPublicKeyHex);
  expect(encodeHex(micro.signature)).toBe(vector.signatureHex);
  expect(encodeHex(microBlockBytes(micro))).toBe(vector.microBlockBytesHex);
  expect(encodeHex(microBlockUnsignedBytes(micro))).toBe(vector.bytesToSignHex);
  expect(vector.microBlockBytesHex).toContain(vector.transactionsSectionHex);
  expect(microBlockBytes(micro)).toHaveLength(vector.size);
  expect(isMicroBlockSigned(micro)).toBe(true);
  const built = buildMicroBlock(base, micro.transactions, sampleKeys);
  expect(encodeHex(microBlockBytes(built.micro))).toBe(vector.microBlockBytesHex);
  expect(blockBytes(built.total)).toEqual(blockBytes(totalBlock(base, [micro])));

  const chainId = vector.microBlockInv.chainId.charCodeAt(0);
  const announcement = signAnnouncement(micro, sampleKeys, chainId);
  expect(encodeHex(announcement.signature)).toBe(vector.microBlockInv.signatureHex);
  expect(encodeHex(announcementBytes(announcement))).toBe(vector.microBlockInv.messagePayloadHex);
  const read = parseAnnouncement(decodeHex(vector.microBlockInv.messagePayloadHex));
  expect(read).toEqual(announcement);
  expect(isAnnouncementSigned(read, chainId)).toBe(true);
  // The signed address binds it to the network.
  expect(isAnnouncementSigned(read, chainId + 1)).toBe(false);
}

const builtIn: Record<string, NetworkProfile> = { mainnet, testnet };

/** One test per entry of each section. */
const sections: Record<string, (vectors: Vectors) => void> = {
  genesisSigner({ genesisSigner }) {
    test("belongs to the empty seed", () => {
      expectSigner(genesisSigner, decodeHex(genesisSigner.seedHex));
      expect(encodeHex(genesisKeyPair().publicKey)).toBe(genesisSigner.publicKeyHex);
    });
  },
  genesisTransactions({ genesisTransactions }) {
    test.each(genesisTransactions.map((entry, i) => [i + 1, entry] as const))("%i", (_, entry) => {
      const chainId = entry.chainId.charCodeAt(0);
      const tx = parseTransaction(decodeHex(entry.bytesHex), { chainId, payment: false });
      if (tx.type !== 1) throw new Error("no genesis transaction");
      expect(addressText(tx.recipient)).toBe(entry.recipient);
      if (entry.recipientPublicKeyHex !== undefined) {
        expect(tx.recipient).toEqual(addressOf(decodeHex(entry.recipientPublicKeyHex), chainId));
      }
      expect(tx.amount).toBe(BigInt(entry.amount));
      expect(tx.timestamp).toBe(BigInt(entry.timestamp));
      if (entry.expectedIdBase58 !== undefined) {
        expect(encodeBase58(transactionId(tx))).toBe(entry.expectedIdBase58);
      }
      expect(encodeHex(transactionBytes(tx))).toBe(entry.bytesHex);
    });
  },
  genesis({ genesis }) {
    test.each(Object.entries(genesis))("%s", (name, vector) => {
      expectGenesis(builtIn[name], vector);
      expectGenesis(profileOf(vector), vector);
    });
  },
  genesisGenerator({ genesisGenerator }) {
    test.each(genesisGenerator.map((entry, i) => [i + 1, entry] as const))("%i", (_, entry) => {
      expectGenesis(profileOf(entry.genesis), entry.genesis);
    });
  },
  featureOrder({ featureOrder }) {
    test.each(featureOrder.map(({ input, serialisedOrder }) => [input, serialisedOrder] as const))(
      "%j",
      (input, serialisedOrder) => expect(canonicalFeatures(input)).toEqual(serialisedOrder),
    );
  },
  sampleSigner({ sampleSigner }) {
    test("belongs to 32 zero bytes", () => expectSigner(sampleSigner, decodeHex(sampleSigner.seedHex)));
  },
  sampleTransactions({ sampleTransactions }) {
    test.each(sampleTransactions.map((entry, i) => [i + 1, entry] as const))("%i", (_, entry) => {
      const tx = parseTransaction(decodeHex(entry.bytesHex), TESTNET);
      expect(encodeHex(transactionId(tx))).toBe(entry.idHex);
      expect(encodeHex(tx.sender.bytes)).toBe(entry.senderPublicKeyHex);
      const seeds = [encodeUtf8(entry.senderSeedUtf8), accountSeed(encodeUtf8(entry.senderSeedUtf8), 0)];
      const keys = seeds.map((seed) => encodeHex(keyPairFromAccountSeed(seed).publicKey));
      expect(keys).toContain(entry.senderPublicKeyHex);
    });
  },
  blocks({ blocks }) {
    test.each(blocks.map((vector) => [vector.name, vector] as const))("%s", (_, vector) =>
      expectBlock(vector),
    );
  },
  wireEdgeCases({ wireEdgeCases }) {
    test.each(wireEdgeCases.map((entry) => [`${entry.name}: ${entry.note}`, entry] as const))(
      "%s",
      (_, entry) => {
        const wire = decodeHex(entry.wireHex);
        if (entry.outcome === "parse-failure") {
          expect(() => parseBlock(wire, TESTNET)).toThrow(BlockParseError);
          const text = /^(Block could not contain|Incorrect).*/.exec(entry.note)?.[0];
          if (text !== undefined) expect(() => parseBlock(wire, TESTNET)).toThrow(text);
          return;
        }
        const block = parseBlock(wire, TESTNET);
        expect(encodeHex(blockBytes(block))).toBe(entry.canonicalHex);
        expect(["valid", "invalid-signature"]).toContain(entry.outcome);
        expect(isBlockSigned(block)).toBe(entry.outcome === "valid");
      },
    );
  },
  ng({ ng }) {
    test("match for key block and totals", () => {
      for (const vector of [ng.keyBlock, ng.totalAfterMicro1, ng.totalAfterMicro2]) expectBlock(vector);
    });
    test("match for micro blocks and announcements", () => {
      const key = parseBlock(decodeHex(ng.keyBlock.blockBytesHex), TESTNET);
      const totals = [ng.keyBlock, ng.totalAfterMicro1].map((total) =>
        parseBlock(decodeHex(total.blockBytesHex), TESTNET),
      );
      expect(ng.microBlocks).toHaveLength(2);
      ng.microBlocks.forEach((vector, i) => {
        expectMicroBlock(vector, totals[i]);
      });
      const micros = ng.microBlocks.map((vector) =>
        parseMicroBlock(decodeHex(vector.microBlockBytesHex), TESTNET),
      );
      expect(encodeHex(blockBytes(totalBlock(key, micros)))).toBe(ng.totalAfterMicro2.blockBytesHex);
    });
  },
  checkpoint({ checkpoint }) {
    test("is parsed, serialized and signed as stated", () => {
      const items = checkpoint.items.map(({ height, signature }) => ({
        height,
        id: decodeBase58(signature, 1_000),
      }));
      expect(encodeHex(checkpointUnsignedBytes(items))).toBe(checkpoint.bytesToSignHex);
      const signed = signCheckpoint(items, sampleKeys);
      expect(encodeHex(signed.signature)).toBe(checkpoint.signatureHex);
      expect(encodeHex(checkpointBytes(signed))).toBe(checkpoint.messagePayloadHex);
      const read = parseCheckpoint(decodeHex(checkpoint.messagePayloadHex));
      expect(read).toEqual(signed);
      expect(isCheckpointSigned(read, decodeHex(checkpoint.signerPublicKeyHex))).toBe(true);
      expect(isCheckpointSigned(read, genesisKeyPair().publicKey)).toBe(false);
      expect(fitsCheckpoint(items, 1, items[0].id)).toBe(true);
      expect(fitsCheckpoint(items, 1, signed.signature)).toBe(false);
      expect(fitsCheckpoint(items, 2, signed.signature)).toBe(true);
    });
  },
};

/** Sections that tests of `consensus/` check. */
const elsewhere = [
  "generationSignature",
  "delays",
  "baseTargets",
  "scores",
  "activationWindows",
  "feePrice",
  "fractions",
  "feeSplits",
  "miningRewards",
  "generatingBalances",
];

describe("blocks.json", () => {
  if (!hasVectors("blocks.json")) {
    test.skip("blocks.json is absent");
    return;
  }
  const vectors = loadVectors<Vectors & Record<string, unknown>>("blocks.json");

  test("has only known sections", () => {
    expectKnown(Object.keys(vectors), ["meta", ...Object.keys(sections), ...elsewhere], "blocks.json");
    expectKnown(Object.keys(vectors.genesis ?? {}), Object.keys(builtIn), "genesis");
  });

  for (const [name, compare] of Object.entries(sections)) {
    if (vectors[name] === undefined) test.skip(`${name}: absent`);
    else {
      describe(name, () => {
        test("has cases", () => expect(Object.keys(vectors[name] as object).length).toBeGreaterThan(0));
        compare(vectors);
      });
    }
  }

  test("scanning and parsing give the same header", () => {
    for (const { blockBytesHex } of vectors.blocks ?? []) {
      const bytes = decodeHex(blockBytesHex);
      const { header, offsets, length } = scanBlock(bytes);
      const { transactions, ...fields } = parseBlock(bytes, TESTNET);
      expect(header).toEqual({ ...fields, transactionCount: transactions.length });
      expect(offsets).toHaveLength(2 * transactions.length);
      expect(length).toBe(bytes.length);
      const names = [...blockJson({ ...fields, transactions }, 84).keys()];
      expect(names.includes("features")).toBe(header.version >= 3);
      expect(names.slice(-3)).toEqual(["blocksize", "transactionCount", "transactions"]);
    }
  });
});

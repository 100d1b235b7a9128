/** The recorded chains: bytes, signatures, ids, headers, and the consensus fields of each block. Page 03. */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { hasVectors, plain, vectorsPath } from "../../test/vectors.ts";
import { type Block, blockBytes, blockHeader, isBlockSigned } from "../blocks/block.ts";
import { genesisBlock } from "../blocks/genesis.ts";
import { blockHeaderJson } from "../blocks/testing/block-json.ts";
import { parseBlock } from "../blocks/testing/parse-block.ts";
import { bytesEqual } from "../bytes/compare.ts";
import { type JsonObject, parseJson, printJson } from "../bytes/json.ts";
import { ByteReader } from "../bytes/reader.ts";
import { Feature } from "../profiles/features.ts";
import { customProfile, type NetworkProfile } from "../profiles/index.ts";
import {
  blockScore,
  blockVersion,
  earliestTimestamp,
  fairDelay,
  generationSignature,
  hit,
  hitSourceHeight,
  nextBaseTarget,
} from "./proof-of-stake.ts";

/** Above every balance of these chains: no block may come earlier than with this one. */
const MOST = 10n ** 18n;

function readBlocks(path: string, profile: NetworkProfile): Block[] {
  const reader = new ByteReader(new Uint8Array(readFileSync(vectorsPath(path))));
  const blocks = [genesisBlock(profile)];
  while (reader.remaining > 0) {
    const bytes = reader.bytes(reader.i32());
    const block = parseBlock(bytes, profile);
    // Recorded by the reference, so canonical.
    expect(bytesEqual(blockBytes(block), bytes)).toBe(true);
    blocks.push(block);
  }
  return blocks;
}

/** Lines of `{ height, block, header }`. */
function readLines(path: string): JsonObject[] {
  const text = gunzipSync(readFileSync(vectorsPath(path))).toString("utf8");
  const lines = text.split("\n").filter((line) => line !== "");
  return lines.map((line) => parseJson(line) as JsonObject);
}

/** The members of a recorded header that do not depend on the state, features as a set. */
function headerMembers(header: JsonObject) {
  const own = new Map([...header].filter(([name]) => MEMBERS.has(name)));
  const features = (plain(own.get("features") ?? null) as number[] | null)?.sort((a, b) => a - b);
  own.delete("features");
  return { text: printJson(own), features };
}

const MEMBERS = new Set([
  ...["version", "timestamp", "reference", "nxt-consensus", "features", "feeVote", "generator", "signature"],
  ...["blocksize", "transactionCount"],
]);

function checkConsensus(blocks: readonly Block[], height: number, profile: NetworkProfile): void {
  const at = (h: number) => blocks[h - 1];
  const [block, parent] = [at(height), at(height - 1)];
  expect(bytesEqual(block.reference, parent.signature)).toBe(true);
  expect(isBlockSigned(block)).toBe(true);
  expect(block.generationSignature).toEqual(generationSignature(parent.generationSignature, block.generator));
  expect(block.baseTarget).toBe(
    nextBaseTarget({
      averageBlockDelaySeconds: profile.genesis.averageBlockDelaySeconds,
      parentBaseTarget: parent.baseTarget,
      timestamp: block.timestamp,
      greatGrandparentTimestamp: height > 3 ? at(height - 3).timestamp : undefined,
    }),
  );
  const value = hit(at(hitSourceHeight(height - 1)).generationSignature, block.generator);
  const soonest = earliestTimestamp(parent.timestamp, fairDelay(value, parent.baseTarget, MOST));
  expect(block.timestamp >= soonest).toBe(true);
  expect(blockScore(block.baseTarget) > 0n).toBe(true);
}

describe.each(["dev-all", "eras", "long", "load"])("chain %s", (name) => {
  const genesis = `chains/${name}/genesis.json`;
  if (!hasVectors(genesis)) {
    test.skip("is absent");
    return;
  }
  const profile = customProfile(readFileSync(vectorsPath(genesis), "utf8"));
  let blocks: Block[] = [];

  test("is decoded and encoded without a change", () => {
    blocks = readBlocks(`chains/${name}/blocks.bin`, profile);
    expect(blocks.length).toBeGreaterThan(100);
  });

  test("keeps the rules of proof of stake that need no balances", () => {
    for (let height = 2; height <= blocks.length; height++) checkConsensus(blocks, height, profile);
  });

  test("has the block versions of its generators", () => {
    const juicy = profile.functionality.preActivatedFeatures.get(Feature.Juicy);
    for (let height = 2; height <= blocks.length; height++) {
      const active = juicy !== undefined && juicy <= height - 1;
      expect(blocks[height - 1].version).toBe(blockVersion(active));
    }
  });

  const lines = `chains/${name}/blocks.jsonl.gz`;
  test.skipIf(!hasVectors(lines))("shows its headers as recorded", () => {
    const records = readLines(lines);
    expect(records.length).toBeGreaterThan(0);
    for (const record of records) {
      const block = blocks[Number(plain(record.get("height") ?? null)) - 1];
      const json = blockHeaderJson(blockHeader(block), profile.chainId, blockBytes(block).length);
      const own = headerMembers(parseJson(printJson(json)) as JsonObject);
      expect(own).toEqual(headerMembers(record.get("header") as JsonObject));
    }
  });
});

/**
 * Compares the index routes with the original indexer: the recorded exchanges of `index/`, over the recorded chain.
 * Page 07.
 */
import { readdirSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { decodeHash, encodingOf } from "../src/api/routes/anchors/hash-text.ts";
import { encodeHex } from "../src/bytes/hex.ts";
import { printJson } from "../src/bytes/json.ts";
import { defaultTrustNetwork } from "../src/indexes/trust/trust-network.ts";
import { exchange } from "./replay/http-exchange.ts";
import { ownAnswer } from "./replay/index-differences.ts";
import { answerOfToday } from "./replay/older-index-differences.ts";
import { compare, jsonOf, type RecordedAnswer } from "./replay/recording.ts";
import { exchangesOf, recordedRequest, recordedSettings, recordedTrust } from "./support/index-recordings.ts";
import { type JsonObject, list, number, object } from "./support/index-vectors.ts";
import {
  type RecordedHeights,
  type Started,
  startGathering,
  startRecordedIndex,
} from "./support/recorded-index.ts";
import { expectKnown, hasVectors, loadVectorsJson, vectorsPath } from "./vectors.ts";

const files = [
  "anchor-post",
  "anchors",
  "associations",
  "auth",
  "batch",
  "credential-status",
  "identifiers",
  "identities",
  "identities-1.1.2",
  "node-states",
  "prefix",
  "resolution-default",
  "service",
  "stats",
  "transactions",
  "trust",
  "trust-modes",
];

const FILE_MEMBERS = ["group", "description", "chain", "config", "notes", "exchanges"];
const EXCHANGE_MEMBERS = [
  "name",
  "request",
  "response",
  "volatile",
  "informative",
  "brokenInOriginal",
  "levelDb",
];

/** Indexed height in a recording of an index that was behind its node; undefined if it was not. */
function heightsOf(step: JsonObject): RecordedHeights | undefined {
  const body = object(step.get("response")).get("body");
  const data = body instanceof Map && body.get("sync") === false ? object(body.get("data")) : undefined;
  if (data?.has("processingHeight") !== true) return undefined;
  return {
    height: number(object(data.get("nodeResponse")).get("blockchainHeight")),
    indexed: number(data.get("processingHeight")),
  };
}

/** The expected answer: the original's, or the correct one where the recording marks the original as wrong. */
function recordedAnswer(step: JsonObject): RecordedAnswer {
  const response = object(step.get("response"));
  expectKnown(response.keys(), ["status", "headers", "body"], String(step.get("name")));
  const broken = step.get("brokenInOriginal");
  if (broken !== undefined) {
    const right = object(broken);
    expectKnown(right.keys(), ["why", "status", "body", "xTotal"], String(step.get("name")));
    const total = right.get("xTotal");
    return {
      status: number(right.get("status")),
      headers: new Map(total === undefined ? [] : [["x-total", String(total)]]),
      body: right.get("body"),
      bodyHex: undefined,
    };
  }
  const headers = new Map([...object(response.get("headers"))].map(([name, value]) => [name, String(value)]));
  return { status: number(response.get("status")), headers, body: response.get("body"), bodyHex: undefined };
}

/** Returns true if a node with a built-in index cannot be in the state of a recording. Only such steps are skipped. */
function cannotHappen(step: JsonObject): boolean {
  return String(step.get("name")).startsWith("node unreachable: ");
}

describe.skipIf(!hasVectors("index"))("recorded exchanges of the indexer", () => {
  const names = hasVectors("index")
    ? readdirSync(vectorsPath("index")).map((file) => file.replace(/\.json$/, ""))
    : [];
  it("contain only known files", () => {
    expectKnown(names, ["chain", ...files], "index");
    expect(names.length).toBeGreaterThan(1);
    if (process.env.HOLDFAST_VECTORS === undefined) expect(names).toEqual(expect.arrayContaining(files));
  });
  for (const name of files) if (!names.includes(name)) it.skip(`${name}: file is missing`, () => {});

  it("have only steps with an unreachable node as exceptions", () => {
    for (const name of names.filter((name) => files.includes(name)))
      for (const step of exchangesOf(name))
        if (cannotHappen(step)) {
          expect(name).toBe("node-states");
          expect(step.get("informative")).toBe(true);
        }
  });

  describe.each(names.filter((name) => files.includes(name)))("%s", (name) => {
    const file = object(loadVectorsJson(`index/${name}.json`));
    const config = object(file.get("config"));
    const settings = recordedSettings(config, file.get("description"));
    const gathers = config.get("batch") === true;
    const isOlder = config.get("release") === "v1.1.2";
    const started: Started[] = [];
    let url = "";

    beforeAll(async () => {
      expectKnown(file.keys(), FILE_MEMBERS, name);
      expect(exchangesOf(name).length).toBeGreaterThan(0);
      const index = gathers
        ? await startGathering(recordedTrust(config))
        : await startRecordedIndex(settings);
      started.push(index);
      url = index.url;
    });
    afterAll(async () => {
      for (const one of started) await one.close();
    });

    /** A node in the state of the recording. */
    const urlFor = async (step: JsonObject): Promise<string> => {
      const heights = heightsOf(step);
      if (heights === undefined) return url;
      const behind = await startRecordedIndex(settings, heights);
      started.push(behind);
      return behind.url;
    };

    for (const step of exchangesOf(name)) {
      const title = String(step.get("name"));
      if (cannotHappen(step)) it.skip(title, () => {});
      else
        it(title, async () => {
          expectKnown(step.keys(), EXCHANGE_MEMBERS, title);
          const request = recordedRequest(object(step.get("request")));
          const asked = { url: await urlFor(step), request };
          const recorded = { ...asked, expected: recordedAnswer(step) };
          const expected = isOlder ? await answerOfToday(recorded) : recorded.expected;
          const right = await ownAnswer({ ...asked, expected });
          const freedoms = { volatile: list(step.get("volatile") ?? []).map(String) };
          const answer = await exchange(asked.url, request, settings.info?.prefix);
          expect(compare(right, answer, freedoms)).toEqual([]);
        });
    }
  });
});

/** Hashes that `POST /hash` answered with 202 in the recordings, hexadecimal. */
function gatheredHashes(exchanges: readonly JsonObject[]): string[] {
  const taken = exchanges.filter((step) => number(object(step.get("response")).get("status")) === 202);
  const texts = taken.map((step) => {
    const body = object(object(step.get("request")).get("body"));
    const encoding = encodingOf(String(body.get("encoding") ?? "hex"));
    const hash = encoding && decodeHash(String(body.get("hash")), encoding);
    if (hash === undefined) throw new Error("an invalid hash was accepted");
    return encodeHex(hash);
  });
  return [...new Set(texts)];
}

it.skipIf(!hasVectors("index/batch.json"))(
  "hashes answered with 202 are anchored in the next blocks",
  async () => {
    const exchanges = exchangesOf("batch");
    const { url, node, clock, close } = await startGathering(defaultTrustNetwork);
    try {
      for (const step of exchanges) await exchange(url, recordedRequest(object(step.get("request"))));
      const hashes = gatheredHashes(exchanges);
      expect(hashes.length).toBeGreaterThan(1);
      for (let i = 0; i < 10; i++) {
        clock.advance(3_000);
        await new Promise((resolve) => setImmediate(resolve));
        await node.sender?.whenIdle();
      }
      const proofs = await Promise.all(
        hashes.map(async (hash) =>
          jsonOf(await exchange(url, { method: "GET", path: `/hash/${hash}`, headers: {} })),
        ),
      );
      const chainpoints = proofs.map((proof) => object(object(proof).get("chainpoint")));
      expect(chainpoints.map((one) => one.get("targetHash"))).toEqual(hashes);
      // Proof of one confirmed transaction.
      expect(
        new Set(chainpoints.map((one) => printJson([one.get("anchors") ?? null, one.get("block") ?? null])))
          .size,
      ).toBe(1);
    } finally {
      await close();
    }
  },
);

/** Followers and gateways answer the recorded reads with the bytes of the node that they follow. */
import { readdirSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { examplesOf } from "../src/api/openapi/examples.ts";
import { routes } from "../src/api/routes/all.ts";
import { decodeBase64 } from "../src/bytes/base64.ts";
import { parseJson, printJson } from "../src/bytes/json.ts";
import { encodeUtf8 } from "../src/bytes/utf8.ts";
import { Secret } from "../src/config/kinds/secret.ts";
import { secureHash } from "../src/crypto/hashes.ts";
import { customProfile } from "../src/profiles/index.ts";
import type { SettingsChanges } from "../src/testing/settings.ts";
import { isPostRead, startFollowed, startFollower, startGateway } from "./replay/followed-node.ts";
import { objectOf } from "./replay/recording.ts";
import { replayRest } from "./replay/rest.ts";
import { exchangesOf, recordedRequest, recordedSettings } from "./support/index-recordings.ts";
import { type JsonObject, object } from "./support/index-vectors.ts";
import { hasVectors, loadVectorsJson, vectorsPath } from "./vectors.ts";

/** Later than every block of the recordings, and before the recorded certificates expire. */
const NOW = Date.UTC(2026, 0, 1);

/** All recordings with `SOAK_TIMES`, else a few. */
const isComplete = process.env.SOAK_TIMES !== undefined;

/** Number of blocks of a chain, and the share of its recorded paths: one of so many. */
const MAX_HEIGHT = isComplete ? Number.POSITIVE_INFINITY : 300;
const EVERY = isComplete ? 1 : 20;

/** A gateway reads from PostgreSQL what a follower reads over HTTP. */
const kinds = [
  ["a follower", startFollower],
  ["a gateway", startGateway],
] as const;

const some = (names: readonly string[], few: readonly string[]): readonly string[] =>
  names.filter((name) => isComplete || few.includes(name));

const postReads = routes.filter(isPostRead);

describe.skipIf(!hasVectors("chains"))("a follower answers as its node", () => {
  it("reads that are sent by POST, also without a valid body", async () => {
    expect(postReads.map(({ path }) => path).sort()).toEqual([
      "/addresses/verify/:address",
      "/addresses/verifyText/:address",
      "/hash/verify",
      "/transactions/calculateFee",
      "/utils/hash/fast",
      "/utils/hash/secure",
      "/utils/script/compile",
      "/utils/script/estimate",
    ]);
    const read = (file: string): Buffer => readFileSync(vectorsPath(`chains/long/${file}`));
    const follower = await startFollowed({
      profile: customProfile(read("genesis.json").toString("utf8")),
      blocks: new Uint8Array(read("blocks.bin")),
      maxHeight: 10,
      now: NOW,
    });
    try {
      const found: string[] = [];
      for (const route of postReads) {
        const { path: params, body } = examplesOf(route, {}, NOW);
        const path = route.path.replace(/:(\w+)/g, (_, name: string) => String(params[name]));
        const valid = encodeUtf8(typeof body === "string" ? body : JSON.stringify(body));
        const type = typeof body === "string" ? "text/plain" : "application/json";
        for (const sent of [valid, encodeUtf8("{"), new Uint8Array(0)])
          found.push(
            ...(await follower.differences({
              method: "POST",
              path,
              headers: { "content-type": type },
              body: sent,
            })),
          );
      }
      expect(found).toEqual([]);
    } finally {
      await follower.stop();
    }
  });
});

describe.skipIf(!hasVectors("chains")).each(kinds)(
  "%s answers as its node about the recorded chain",
  (_, start) => {
    it.each(some(["dev-all", "eras", "long"], ["long"]))("%s", async (name) => {
      const read = (file: string): Buffer => readFileSync(vectorsPath(`chains/${name}/${file}`));
      const follower = await startFollowed({
        profile: customProfile(read("genesis.json").toString("utf8")),
        blocks: new Uint8Array(read("blocks.bin")),
        maxHeight: MAX_HEIGHT,
        now: NOW,
        settings: { api: { apiKeyHash: secureHash(encodeUtf8("open")) } },
        start,
      });
      try {
        const lines = gunzipSync(read("routes.jsonl.gz")).toString("utf8").split("\n");
        const asked = lines.filter((line, i) => line !== "" && i % EVERY === 0);
        expect(asked.length).toBeGreaterThan(100);
        const found: string[] = [];
        for (const line of asked) {
          const recorded = objectOf(parseJson(line, { maxDepth: 1_000 }));
          const headers: Record<string, string> = recorded.has("auth") ? { "X-API-Key": "open" } : {};
          found.push(
            ...(await follower.differences({ method: "GET", path: String(recorded.get("path")), headers })),
          );
        }
        expect(found).toEqual([]);
      } finally {
        await follower.stop();
      }
    });
  },
);

/** The settings of a node for a recording of the index. */
function nodeSettings(file: JsonObject): SettingsChanges {
  const options = recordedSettings(object(file.get("config")), file.get("description"));
  const { trust, anchors, associations, credentials, disputes, statistics, generators, didResponse } =
    options;
  const { authToken, info } = options;
  return {
    api: {
      authToken: authToken === undefined ? undefined : new Secret(authToken),
      prefix: info?.prefix ?? "",
    },
    // The root of trust.
    anchoring: { hashAccount: trust.root },
    index: {
      trustNetwork: trust.network,
      anchors,
      associations,
      credentials,
      disputes,
      statistics,
      generators: generators !== 0,
      ...(generators ? { generatorWindow: generators } : {}),
      didResponse,
    },
  };
}

describe.skipIf(!hasVectors("index")).each(kinds)(
  "%s answers as its node about the recorded index",
  (_, start) => {
    const names = hasVectors("index")
      ? readdirSync(vectorsPath("index"))
          .map((file) => file.replace(/\.json$/, ""))
          .filter((name) => name !== "chain")
      : [];
    it.each(some(names, ["prefix", "trust"]))("%s", async (name) => {
      const chain = object(loadVectorsJson("index/chain.json"));
      const profile = customProfile(printJson(chain.get("custom") ?? null));
      const follower = await startFollowed({
        profile,
        blocks: decodeBase64(String(chain.get("blocksBinary"))),
        now: Date.UTC(2027, 0, 1),
        settings: nodeSettings(object(loadVectorsJson(`index/${name}.json`))),
        start,
      });
      try {
        const found: string[] = [];
        for (const step of exchangesOf(name))
          found.push(...(await follower.differences(recordedRequest(object(step.get("request"))))));
        expect(found).toEqual([]);
      } finally {
        await follower.stop();
      }
    });
  },
);

describe.skipIf(!hasVectors("rest")).each(kinds)("%s answers as its node in the recording", (_, start) => {
  const names = hasVectors("rest")
    ? readdirSync(vectorsPath("rest"))
        .filter((file) => file.endsWith(".json"))
        .map((file) => file.slice(0, -5))
    : [];
  it.each(some(names, ["sponsorship"]))("%s", (name) =>
    replayRest(name, ({ node, settings, clock }) => start(node, settings, clock)),
  );
});

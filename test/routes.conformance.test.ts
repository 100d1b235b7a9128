/** Sends the requests that were recorded about the chains to the real HTTP server. */
import { existsSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { decodeBase64 } from "../src/bytes/base64.ts";
import { encodeHex } from "../src/bytes/hex.ts";
import { type JsonValue, parseJson } from "../src/bytes/json.ts";
import { serveRecordedChain } from "./replay/chain.ts";
import type { Freedoms } from "./replay/json-compare.ts";
import { numberOf, objectOf, type RecordedAnswer, type Step } from "./replay/recording.ts";
import { Replay } from "./replay/replay.ts";
import { expectKnown, hasVectors, vectorsPath } from "./vectors.ts";

/** Values that do not follow from the chain alone, or have no defined order. READMEs of the chains. */
const freedoms: readonly (readonly [path: RegExp, freedoms: Freedoms])[] = [
  [/^\/certificates\//, { volatile: ["$.status"] }],
  [/^\/fees\/status$/, { volatile: ["$.nodeStatus"] }],
  // The reference lists a block's transactions in hash order here, and the last value of a key counts (page 05 §19).
  [
    /^\/associations\/status\/3QXYTML7EWeseWapbEzDixfwmHtKGvUG5KV$/,
    { unordered: ["$.outgoing"], volatile: ["$.incoming"] },
  ],
  [/^\/associations\/status\//, { unordered: ["$.outgoing", "$.incoming"] }],
  [/^\/debug\/state/, { unordered: ["$"] }],
  [/^\/blocks\/(?:at|last|first|signature|headers)/, { unordered: ["$.features"] }],
  [/^\/blocks\/(?:seq|address|headers\/seq)\//, { unordered: ["$[*].features"] }],
  // Transactions with equal timestamps have no defined order.
  [/^\/transactions\/address\//, { unordered: ["$[0]"] }],
  [/^\/debug\/minerInfo$/, { unordered: ["$"] }],
];

function bodyOf(line: ReadonlyMap<string, JsonValue>): Pick<RecordedAnswer, "body" | "bodyHex"> {
  const binary = line.get("bodyBase64");
  if (binary !== undefined) return { body: undefined, bodyHex: encodeHex(decodeBase64(String(binary))) };
  const text = String(line.get("body"));
  const json = String(line.get("contentType")).startsWith("application/json");
  return { body: json ? parseJson(text, { maxDepth: 1_000 }) : text, bodyHex: undefined };
}

/** Converts a line to a step of a replay. */
function stepOf(json: JsonValue): Step {
  const line = objectOf(json);
  const path = String(line.get("path"));
  expectKnown(line.keys(), ["path", "status", "auth", "location", "contentType", "body", "bodyBase64"], path);
  const headers = new Map([["content-type", String(line.get("contentType"))]]);
  const location = line.get("location");
  if (location !== undefined) headers.set("location", String(location));
  const free = freedoms.find(([pattern]) => pattern.test(path))?.[1];
  return {
    ...free,
    name: path,
    request: {
      method: "GET",
      path,
      headers: line.has("auth") ? { "X-API-Key": "open" } : {},
      body: undefined,
    },
    response: { status: numberOf(line.get("status")), headers, ...bodyOf(line) },
    capture: [],
    retry: false,
    waitBlocks: 0,
    bug: numberOf(line.get("status")) === 500,
    connectionMayBreak: false,
  };
}

describe.skipIf(!hasVectors("chains"))("recorded answers about the chain", () => {
  for (const name of ["dev-all", "eras", "long"]) {
    const path = vectorsPath(`chains/${name}/routes.jsonl.gz`);
    it.skipIf(!existsSync(path))(
      name,
      async () => {
        const text = gunzipSync(readFileSync(path)).toString("utf8");
        const lines = text.split("\n").filter((line) => line !== "");
        expect(lines.length).toBeGreaterThan(0);
        const served = await serveRecordedChain(name);
        try {
          const replay = new Replay({ url: served.url, pass: async () => {} });
          const found: string[] = [];
          for (const line of lines) {
            found.push(...(await replay.run(stepOf(parseJson(line, { maxDepth: 1_000 })))));
          }
          expect(found).toEqual([]);
        } finally {
          await served.close();
        }
      },
      300_000,
    );
  }
});

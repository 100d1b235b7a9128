/**
 * Lists the intended differences between this node and the recordings of the index, with the expected answers. Each
 * rule cites the page that decides it.
 */

import { testInfo } from "../../src/api/testing/server.ts";
import { decodeBase58 } from "../../src/bytes/base58.ts";
import { encodeHex } from "../../src/bytes/hex.ts";
import { JsonNumber, type JsonValue, parseJson } from "../../src/bytes/json.ts";
import { checkAddressBytes } from "../../src/crypto/addresses.ts";
import { type ExactRequest, exchange } from "./http-exchange.ts";
import { jsonOf, type RecordedAnswer } from "./recording.ts";

/** The request and the original's answer. */
export interface IndexExchange {
  /** `http://127.0.0.1:<port>` of the node. */
  readonly url: string;
  readonly request: ExactRequest;
  readonly expected: RecordedAnswer;
}

interface Difference {
  readonly why: string;
  applies(one: IndexExchange): boolean;
  expect(one: IndexExchange): RecordedAnswer | Promise<RecordedAnswer>;
}

type JsonObject = ReadonlyMap<string, JsonValue>;

const INDEX_JSON = "application/json; charset=utf-8";

function answer(status: number, body: JsonValue | undefined, type = "application/json"): RecordedAnswer {
  return { status, headers: new Map([["content-type", type]]), body, bodyHex: undefined };
}

/** An answer of the HTTP layer itself. */
function layer(status: number, message: string): RecordedAnswer {
  return answer(status, parseJson(`{"error":${status},"message":"${message}"}`));
}

function withHeaders(expected: RecordedAnswer, changes: Record<string, string | undefined>): RecordedAnswer {
  const headers = new Map(expected.headers);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) headers.delete(name);
    else headers.set(name, value);
  }
  return { ...expected, headers };
}

function member(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return value instanceof Map ? value.get(name) : undefined;
}

/** Answers of the original's framework, which has its own bodies. Page 07 §3.3. */
function isFramework({ expected }: IndexExchange, status: number): boolean {
  return expected.status === status && member(expected.body, "statusCode") !== undefined;
}

function chainpointOf(expected: RecordedAnswer): JsonObject | undefined {
  const chainpoint = member(expected.body, "chainpoint");
  return chainpoint instanceof Map ? chainpoint : undefined;
}

function withChainpoint(expected: RecordedAnswer, chainpoint: JsonObject): RecordedAnswer {
  return { ...expected, body: new Map([["chainpoint", new Map(chainpoint)]]) };
}

/** The encoding in a request's path or body. */
function encodingOf({ path, body }: ExactRequest): string {
  const inPath = /\/encoding\/([^/?]+)/.exec(path)?.[1];
  const text = Buffer.from(body ?? []).toString("utf8");
  const inForm = /(?:^|&)encoding=([^&]*)/.exec(text)?.[1];
  const json = text.startsWith("{") ? member(parseJson(text), "encoding") : undefined;
  return inPath ?? inForm ?? (json ? String(json) : "hex");
}

function decoded(text: string, encoding: string): Uint8Array {
  return encoding === "base58" ? decodeBase58(text, 1_000) : Buffer.from(text, encoding as BufferEncoding);
}

/** Paths that exist only for other methods. */
const OTHER_METHOD: readonly { readonly path: RegExp; readonly method: RegExp }[] = [
  { path: /^\/hash$/, method: /^POST$/ },
  { path: /^\/(?:hash\/[^/]+|info)$/, method: /^(?:GET|HEAD)$/ },
];
/** Paths of index routes without their parameter. */
const NO_PARAMETER =
  /^\/(?:hash|identifiers|trust|credential-status|transactions\/addresses|hash\/.*\/encoding|identities\/[^/]+\/derived)\/$/;

const differences: readonly Difference[] = [
  {
    why: "plain texts are labelled as such (07 §3.2)",
    applies: ({ expected }) => expected.headers.get("content-type") === "text/html; charset=utf-8",
    expect: ({ expected }) => withHeaders(expected, { "content-type": "text/plain; charset=utf-8" }),
  },
  {
    why: "the target hash is hexadecimal in lower case (00, part B, 2.3)",
    applies: ({ expected }) => chainpointOf(expected) !== undefined,
    expect: ({ request, expected }) => {
      const chainpoint = new Map(chainpointOf(expected));
      const hash = decoded(String(chainpoint.get("targetHash")), encodingOf(request));
      return withChainpoint(expected, chainpoint.set("targetHash", encodeHex(hash)));
    },
  },
  {
    why: "height and position are decimal strings, and both there in a block (07 §18.2)",
    applies: ({ expected }) => chainpointOf(expected)?.has("block") === true,
    expect: ({ expected }) => {
      const chainpoint = new Map(chainpointOf(expected));
      const text = (part: string, name: string, absent: string): JsonValue => {
        const value = member(chainpoint.get(part), name);
        const shown = value instanceof JsonNumber ? value.text : String(value ?? absent);
        return new Map([[name, shown]]);
      };
      const block = text("block", "height", "");
      // One of the original's two forms omits 0.
      const transaction = text("transaction", "position", "0");
      return withChainpoint(expected, chainpoint.set("block", block).set("transaction", transaction));
    },
  },
  {
    why: "unknown paths and wrong methods (00, part B, 7)",
    applies: (one) => isFramework(one, 404),
    expect: ({ request }) => {
      const isKnown = OTHER_METHOD.some(
        ({ path, method }) => path.test(request.path) && !method.test(request.method),
      );
      if (isKnown) return layer(405, "method not allowed");
      const notFound = layer(404, "not found");
      return NO_PARAMETER.test(request.path)
        ? withHeaders(notFound, { "content-type": INDEX_JSON })
        : notFound;
    },
  },
  {
    why: "a target with a broken escape is no request (06 §2.8)",
    applies: (one) => isFramework(one, 400) && /%(?![0-9a-f]{2})/i.test(one.request.path),
    expect: () => layer(400, "malformed request"),
  },
  {
    why: "a body that is no JSON is error 1 (06 §4.4), before the token is asked for (07 §3.5)",
    applies: (one) => isFramework(one, 400),
    expect: ({ request }) => {
      let parsed: JsonValue | undefined;
      try {
        parsed = parseJson(Buffer.from(request.body ?? []).toString("utf8"));
      } catch {
        // The parser has its own messages.
        return answer(400, undefined, INDEX_JSON);
      }
      expectNoObject(parsed);
      const problem = '{"obj":[{"msg":["error.expected.jsobject"],"args":[]}]}';
      const message = "failed to parse json message";
      const text = `{"error":1,"message":"${message}","cause":null,"validationErrors":${problem}}`;
      return answer(400, parseJson(text), INDEX_JSON);
    },
  },
  {
    why: "bodies may have 1 MiB (00, part B, 8), and beyond that 413 of this layer (00, part B, 7)",
    applies: (one) => isFramework(one, 413),
    expect: ({ request }) => {
      if (request.path.startsWith("/hash/verify")) {
        // Slightly more than 100 KiB: this node accepts it; the text has only the letter `a`, the lenient form of no
        // bytes.
        return answer(200, undefined, INDEX_JSON);
      }
      return answer(400, "invalid hash given", "text/plain; charset=utf-8");
    },
  },
  {
    why: "paths that the index does not have are the node's (06 §2.9)",
    applies: ({ request }) => request.method === "OPTIONS" && request.path === "/nope",
    expect: () => ({ status: 200, headers: new Map(), body: "OK", bodyHex: undefined }),
  },
  {
    why: "identities answer by themselves, as identifiers do (07 §18.3, BUG-29)",
    applies: ({ request, expected }) => expected.status === 301 && request.path.startsWith("/identities/"),
    expect: async ({ url, request }) => {
      const direct = await exchange(url, {
        ...request,
        path: request.path.replace("/identities/", "/identifiers/"),
      });
      return answer(direct.status, jsonOf(direct), String(direct.headers["content-type"]));
    },
  },
  {
    why: "a bad time is an error (07 §15, BUG-16)",
    applies: ({ request, expected }) => {
      const time = new URL(request.path, "http://node").searchParams.get("versionTime");
      return Boolean(time) && Number.isNaN(Date.parse(String(time))) && expected.status === 200;
    },
    expect: () => answer(400, new Map([["error", "invalidDidUrl"]]), INDEX_JSON),
  },
  {
    why: "a malformed address is an error (00, part B, 4.4)",
    applies: ({ request: { path } }) => {
      const address = trustAddress(path);
      return address !== undefined && !isAddress(address);
    },
    expect: () => answer(400, new Map([["error", "invalid address"]]), INDEX_JSON),
  },
  {
    why: "limit and offset are whole numbers (07 §12.2)",
    applies: (one) => one.request.path.startsWith("/transactions/addresses/") && badNumber(one) !== undefined,
    expect: (one) => answer(400, `invalid ${badNumber(one)} given`, "text/plain; charset=utf-8"),
  },
  {
    why: "the first deactivation stays (07 §15, BUG-18), which one recording does not say",
    applies: ({ request, expected }) =>
      request.path === "/identifiers/3N2z4qg6SGbNesweGPLCud6aSqUJ5qWJUrg" &&
      member(member(expected.body, "didDocumentMetadata"), "updated") === "2026-11-21T17:02:22Z",
    expect: ({ expected }) => {
      const metadata = new Map(member(expected.body, "didDocumentMetadata") as JsonObject);
      metadata.set("updated", "2026-11-21T17:02:19Z");
      const body = new Map(expected.body as JsonObject).set("didDocumentMetadata", metadata);
      return { ...expected, body };
    },
  },
  {
    why: "what cannot be decoded is no failure of the node (07 §15, BUG-14)",
    applies: ({ expected }) => expected.status === 500 && String(expected.body).includes("hash-encoder"),
    expect: () => answer(400, "invalid hash given", "text/plain; charset=utf-8"),
  },
  {
    why: "the version is that of this software (07 §14.2)",
    applies: ({ expected }) => member(expected.body, "version") === "dev",
    expect: ({ expected }) => ({
      ...expected,
      body: new Map(expected.body as JsonObject).set("version", testInfo().version),
    }),
  },
  {
    why: "root and short path lead to the page of the documentation as a node's do (07 §14.4)",
    applies: ({ request: { path }, expected }) =>
      /\/api-docs$/.test(expected.headers.get("location") ?? "") ||
      (/\/api-docs\/?$/.test(path) && expected.status === 200),
    expect: async ({ url, request, expected }) => {
      const short = expected.headers.get("location") ?? request.path.replace(/\/$/, "");
      const location = `${short}/index.html`;
      const page = await exchange(url, { ...request, path: location }, short.replace(/\/api-docs$/, ""));
      const type = "text/html; charset=utf-8";
      if (page.status !== 200 || String(page.headers["content-type"]).toLowerCase() !== type)
        throw new Error(`${location} is not a page`);
      return withHeaders(answer(308, undefined, type), { location });
    },
  },
  {
    why: "the description is that of this node (07 §2)",
    applies: ({ request: { path } }) => path.endsWith("/api-docs-json"),
    expect: ({ expected }) => ({ ...expected, body: undefined }),
  },
  {
    why: "the supply is the node's own, and nothing is locked on this network (07 §18.6)",
    applies: ({ expected: { status, body } }) =>
      status === 500 && /bridge/.test(String(member(body, "error"))),
    expect: async ({ url, request }) => {
      const supply = await ownSupply(url);
      if (request.path.endsWith("output=raw")) return answer(200, supply, "text/plain; charset=utf-8");
      const name = request.path.includes("circulating") ? "circulatingSupply" : "maxSupply";
      return answer(200, new Map([[name, supply]]), INDEX_JSON);
    },
  },
  {
    why: "no request may fail inside: an issuer that is given twice is an error (07 §15, BUG-21)",
    applies: ({ request: { path }, expected }) =>
      path.startsWith("/credential-status/") &&
      expected.status === 500 &&
      new URL(path, "http://node").searchParams.getAll("issuer").length > 1,
    expect: () => answer(400, new Map([["error", "issuer: must be given once"]]), INDEX_JSON),
  },
];

/** The node's supply in whole tokens, with 8 decimals. */
async function ownSupply(url: string): Promise<string> {
  const request = { method: "GET", path: "/supply", headers: {} };
  const total = member(jsonOf(await exchange(url, request)), "total");
  const units = total instanceof JsonNumber ? total.text : "";
  return `${units.slice(0, -8)}.${units.slice(-8)}`;
}

/** The address in the path of `/trust/:address`. */
function trustAddress(path: string): string | undefined {
  const text = /^\/trust\/([^/?]+)/.exec(path)?.[1];
  return text && decodeURIComponent(text).replace("did:lto:", "");
}

function isAddress(text: string): boolean {
  try {
    const bytes = decodeBase58(text, 1_000);
    checkAddressBytes(bytes, bytes[1] ?? 0);
    return true;
  } catch {
    // For any error in it.
    return false;
  }
}

/** Returns true if a query's `limit` or `offset` is not an integer of at least 0; an empty limit is valid. */
function badNumber({ request }: IndexExchange): "limit" | "offset" | undefined {
  const query = new URL(request.path, "http://node").searchParams;
  return (["limit", "offset"] as const).find((name) => !/^\d*$/.test(query.get(name) ?? ""));
}

function expectNoObject(value: JsonValue): void {
  if (value instanceof Map || Array.isArray(value))
    throw new Error("cannot tell why the original rejects this JSON");
}

/** Returns this node's answer where the original answered `expected`. */
export async function ownAnswer(one: IndexExchange): Promise<RecordedAnswer> {
  let { expected } = one;
  for (const rule of differences) {
    const current = { ...one, expected };
    if (rule.applies(current)) expected = await rule.expect(current);
  }
  return expected;
}

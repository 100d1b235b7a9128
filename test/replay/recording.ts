/** The format of recorded exchanges, and the comparison with answers. */
import { decodeHex, encodeHex } from "../../src/bytes/hex.ts";
import { JsonError, JsonNumber, type JsonValue, parseJson, printJson } from "../../src/bytes/json.ts";
import { expectKnown } from "../vectors.ts";
import type { ExactAnswer, ExactRequest } from "./http-exchange.ts";
import { type Freedoms, JsonComparison } from "./json-compare.ts";

/** The compared parts of a recorded answer. */
export interface RecordedAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  /** JSON value or string; undefined to compare nothing. */
  readonly body: JsonValue | undefined;
  readonly bodyHex: string | undefined;
}

/** A step of a recording. */
export interface Step extends Freedoms {
  readonly name: string;
  readonly request: ExactRequest | undefined;
  readonly response: RecordedAnswer | undefined;
  readonly capture: readonly string[];
  readonly retry: boolean;
  readonly waitBlocks: number;
  /** The original fails here; a node may give a better answer. */
  readonly bug: boolean;
  readonly connectionMayBreak: boolean;
}

type JsonObject = ReadonlyMap<string, JsonValue>;

const STEP_MEMBERS = [
  "name",
  "request",
  "response",
  "volatile",
  "patterns",
  "unordered",
  "capture",
  "retry",
  "waitBlocks",
  "bug",
  "connectionMayBreak",
  "note",
  // Recordings of the index:
  "brokenInOriginal",
  "informative",
  "levelDb",
];

function texts(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/** Returns the object, or an empty one for other values. */
export function objectOf(value: JsonValue | undefined): JsonObject {
  return value instanceof Map ? value : new Map();
}

function textMap(value: JsonValue | undefined): ReadonlyMap<string, string> {
  return new Map([...objectOf(value)].map(([name, one]) => [name, String(one)]));
}

/** Returns the number, or 0 for other values. */
export function numberOf(value: JsonValue | undefined): number {
  return value instanceof JsonNumber ? value.toNumber() : 0;
}

function repeated(value: JsonObject): string {
  const text = String(value.get("text")).repeat(numberOf(value.get("count")));
  return String(value.get("prefix") ?? "") + text + String(value.get("suffix") ?? "");
}

function bodyOf(request: JsonObject): Uint8Array | undefined {
  const hex = request.get("bodyHex");
  if (hex !== undefined) return decodeHex(String(hex));
  const repeat = request.get("bodyRepeat");
  if (repeat !== undefined) return Buffer.from(repeated(objectOf(repeat)));
  const body = request.get("body");
  if (body === undefined || body === null) return undefined;
  return Buffer.from(typeof body === "string" ? body : printJson(body));
}

function requestOf(request: JsonObject, name: string): ExactRequest {
  expectKnown(request.keys(), ["method", "path", "headers", "body", "bodyHex", "bodyRepeat"], name);
  return {
    method: String(request.get("method")),
    path: String(request.get("path")),
    headers: Object.fromEntries(textMap(request.get("headers"))),
    body: bodyOf(request),
  };
}

function answerOf(response: JsonObject, name: string): RecordedAnswer {
  expectKnown(response.keys(), ["status", "headers", "body", "bodyHex", "raw"], name);
  const hex = response.get("bodyHex");
  return {
    status: numberOf(response.get("status")),
    headers: textMap(response.get("headers")),
    body: response.get("body"),
    bodyHex: hex === undefined ? undefined : String(hex),
  };
}

/** Parses a step of a file. @throws Error for an unknown member */
export function stepOf(json: JsonValue): Step {
  const step = objectOf(json);
  const name = String(step.get("name") ?? "wait");
  expectKnown(step.keys(), STEP_MEMBERS, name);
  const request = step.get("request");
  const response = step.get("response");
  return {
    name,
    request: request === undefined ? undefined : requestOf(objectOf(request), name),
    response: response === undefined ? undefined : answerOf(objectOf(response), name),
    volatile: texts(step.get("volatile")),
    patterns: Object.fromEntries(textMap(step.get("patterns"))),
    unordered: texts(step.get("unordered")),
    capture: texts(step.get("capture")),
    retry: step.get("retry") === true,
    waitBlocks: numberOf(step.get("waitBlocks")),
    bug: step.has("bug"),
    connectionMayBreak: step.get("connectionMayBreak") === true,
  };
}

/** Returns the JSON of an answer; undefined if its type is not JSON or its body is invalid. */
export function jsonOf(answer: ExactAnswer): JsonValue | undefined {
  if (!/json/.test(String(answer.headers["content-type"]))) return undefined;
  try {
    return parseJson(Buffer.from(answer.body).toString("utf8"), { maxDepth: 1_000 });
  } catch (error) {
    if (error instanceof JsonError) return undefined;
    throw error;
  }
}

/** Returns the differences between a recorded answer and the actual one. */
export function compare(expected: RecordedAnswer, actual: ExactAnswer, freedoms: Freedoms): string[] {
  const found: string[] = [];
  if (actual.status !== expected.status) {
    const body = Buffer.from(actual.body).toString("utf8").slice(0, 300);
    return [`status ${actual.status} instead of ${expected.status}: ${body}`];
  }
  for (const [name, value] of expected.headers) {
    if (String(actual.headers[name]).toLowerCase() !== value.toLowerCase()) {
      found.push(`header ${name}: ${actual.headers[name]} instead of ${value}`);
    }
  }
  if (expected.bodyHex !== undefined) {
    const hex = encodeHex(actual.body);
    return hex === expected.bodyHex ? found : [...found, `bytes ${hex} instead of ${expected.bodyHex}`];
  }
  if (expected.body === undefined) return found;
  const json = jsonOf(actual);
  const value = json ?? Buffer.from(actual.body).toString("utf8");
  return [...found, ...new JsonComparison(freedoms).differences(expected.body, value)];
}

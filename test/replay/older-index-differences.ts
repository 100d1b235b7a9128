/**
 * Lists the intended differences between this node and release 1.1.2 of the index, which had routes that later releases
 * lack: its documents have an older form (page 07 §16.1), and this node serves the current form on all paths (§18.3,
 * §20, remark 6). The facts in both forms are compared: account, key, the other address of a derived identity, and
 * rejections.
 */
import type { JsonValue } from "../../src/bytes/json.ts";
import { exchange } from "./http-exchange.ts";
import type { IndexExchange } from "./index-differences.ts";
import { jsonOf, type RecordedAnswer } from "./recording.ts";

type JsonObject = ReadonlyMap<string, JsonValue>;

const REFUSALS: Readonly<Record<string, string>> = { "not-found": "notFound" };

function objectOf(value: JsonValue | undefined): JsonObject {
  if (!(value instanceof Map)) throw new Error("not an object");
  return value;
}

function firstOf(value: JsonValue | undefined): JsonObject {
  if (!Array.isArray(value)) throw new Error("not a list");
  return objectOf(value[0]);
}

/** The current document of an account. */
async function todaysDocument(url: string, did: string): Promise<RecordedAnswer> {
  const path = `/identifiers/${did}`;
  const answer = await exchange(url, { method: "GET", path, headers: {} });
  const headers = new Map([["content-type", String(answer.headers["content-type"])]]);
  return { status: answer.status, headers, body: jsonOf(answer), bodyHex: undefined };
}

/** Returns true if the current resolution reports a DID as deactivated, which release 1.1.2 did not know. */
async function isDeactivated(url: string, did: string): Promise<boolean> {
  const headers = { Accept: 'application/ld+json;profile="https://w3id.org/did-resolution"' };
  const answer = await exchange(url, { method: "GET", path: `/identifiers/${did}`, headers });
  return objectOf(objectOf(jsonOf(answer)).get("didDocumentMetadata")).get("deactivated") === true;
}

/** Returns the current document with the members of the older one. */
async function inTodaysForm(
  url: string,
  older: JsonObject,
  expected: RecordedAnswer,
): Promise<RecordedAnswer> {
  const key = firstOf(older.get("verificationMethod"));
  const did = String(key.get("controller"));
  const found = await todaysDocument(url, did);
  if (found.status === 404 && (await isDeactivated(url, did))) return found;
  const methods = objectOf(found.body).get("verificationMethod");
  if (!Array.isArray(methods)) throw new Error("not a list");
  const method = new Map(objectOf(methods[0]));
  method.set("id", `${did}#sign`);
  method.set("publicKeyMultibase", `z${String(key.get("publicKeyBase58"))}`);
  const names = older.get("alsoKnownAs");
  const id = String(older.get("id")).replace("/derived/", ":derived:");
  const members = [...objectOf(found.body)].flatMap(([name, value]): [string, JsonValue][] => {
    if (name === "verificationMethod") return [[name, [method, ...methods.slice(1)]]];
    if (name !== "id") return [[name, value]];
    const derived: [string, JsonValue][] = names === undefined ? [] : [["alsoKnownAs", names]];
    return [[name, id], ...derived];
  });
  return { ...expected, body: new Map(members) };
}

/** Returns this node's answer where release 1.1.2 answered `expected`. */
export async function answerOfToday({ url, request, expected }: IndexExchange): Promise<RecordedAnswer> {
  if (!request.path.startsWith("/identities/")) return expected;
  const body = objectOf(expected.body);
  if (body.has("verificationMethod")) return inTodaysForm(url, body, expected);
  const error = String(body.get("error"));
  const refused = { ...expected, body: new Map([["error", REFUSALS[error] ?? error]]) };
  if (expected.status !== 404 || request.path.includes("/derived/"))
    return body.has("statusCode") ? expected : refused;
  // It knew only senders. Accounts named in a register transaction now have a document.
  const found = await todaysDocument(url, request.path.replace("/identities/", ""));
  return found.status === 200 ? found : refused;
}

/** Requests from the definitions of the routes: parameters and bodies of valid and invalid kinds. */

import { methodsOf, pathsOf, type Route } from "../../../src/api/route.ts";
import { routes } from "../../../src/api/routes/all.ts";
import { encodeBase58 } from "../../../src/bytes/base58.ts";
import type { JsonOut } from "../../../src/bytes/json.ts";
import { encodeUtf8 } from "../../../src/bytes/utf8.ts";
import type { SeededRandom } from "../../../src/testing/seeded-random.ts";
import { definitionOf, type Transaction, transactionJson } from "../../../src/transactions/index.ts";
import { noisyJson } from "./json-noise.ts";

/** Existing things that requests can refer to. */
export interface Known {
  readonly addresses: readonly string[];
  readonly publicKeys: readonly string[];
  /** Ids of blocks and transactions. */
  readonly ids: readonly string[];
  readonly height: number;
  /** A transaction that may be valid, with its proofs. */
  transaction(): Transaction;
}

export interface Sample {
  readonly route: Route;
  readonly method: string;
  /** Path and query of the request line. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
}

/** The part of a JSON schema that this file reads. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly JsonOut[];
  readonly const?: JsonOut;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** Routes that would end the node, or whose answer never ends. */
const LEFT_OUT = new Set(["/node/stop", "/events"]);
const asked: readonly Route[] = routes.filter(({ path }) => !LEFT_OUT.has(path));

/** Routes that accept transactions: chosen more often than others, so that the chain has content. */
const sending = asked.filter(({ method, path }) => method === "POST" && path.startsWith("/transactions/"));

/** Strings that are invalid for every parameter. */
const WRONG = [
  "",
  "0",
  "-1",
  "+1",
  "00001",
  "2147483647",
  "2147483648",
  "99999999999999999999",
  "1e9",
  "null",
  "undefined",
  "NaN",
  "__proto__",
  "constructor",
  "address:",
  "did:lto:",
  "0OIl",
  "\0",
  "%",
  "/",
  "a b",
  "é",
  "\u{1f600}",
  "'\"<>",
  "a".repeat(64),
  "1".repeat(2_000),
  "z".repeat(2_100),
];
const ENCODINGS = ["hex", "base58", "base64"];
const SCRIPTS = [
  "true",
  "sigVerify(tx.bodyBytes, tx.proofs[0], tx.senderPublicKey)",
  "let x = 1\nx == height",
];
const TYPES = [
  "application/json",
  "application/x-www-form-urlencoded",
  "text/plain",
  "application/json; charset=x",
];
const CHARSETS = [
  "utf-8",
  "utf-16",
  "iso-8859-1",
  "windows-1252",
  "us-ascii",
  "x-none",
  "utf-7",
  '"',
  "utf-16le",
];
const ACCEPTS = [
  "*/*",
  "application/json",
  "text/html",
  "application/json;q=0",
  ",,;",
  'a/b;c="',
  "application/*",
];

function text(name: string, known: Known, random: SeededRandom): string {
  switch (name) {
    case "address":
    case "sender":
    case "recipient":
    case "sponsor":
      return (random.chance(10) ? "address:" : "") + random.pick(known.addresses);
    case "did":
      return `did:lto:${random.pick(known.addresses)}`;
    case "publicKey":
    case "publickey":
    case "senderPublicKey":
      return random.pick(known.publicKeys);
    case "encoding":
      return random.pick(ENCODINGS);
    case "hash":
      return Buffer.from(random.bytes(random.pick([0, 16, 20, 32, 48, 64, 81]))).toString("hex");
    case "message":
    case "secret":
      return encodeBase58(random.bytes(random.below(40)));
    case "type":
      return random.pick(["transfer", "lease", "cancel-lease", "anchor", "all", "data", "mass-transfer"]);
    case "host":
      return random.pick(["127.0.0.1", "localhost", "[::1]", "nobody.invalid"]);
    case "key":
      return random.pick(["a", "k1", "entry"]);
    default:
      return random.pick(known.ids);
  }
}

function integer(name: string, known: Known, random: SeededRandom): number {
  if (name === "height" || name === "from" || name === "to" || name === "rollbackTo")
    return random.below(known.height + 3);
  return random.pick([0, 1, 2, 10, 100, 101, 1_000, 10_000, 10_001]);
}

/** Returns a value that a schema describes, as far as the schema tells. */
function describedBy(schema: Schema, name: string, known: Known, random: SeededRandom): JsonOut {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return random.pick(schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return describedBy(random.pick(choices), name, known, random);
  const type = typeof schema.type === "object" ? random.pick(schema.type) : schema.type;
  switch (type) {
    case "integer":
    case "number":
      return integer(name, known, random);
    case "boolean":
      return random.chance(50);
    case "null":
      return null;
    case "array":
      return Array.from({ length: random.below(4) }, () =>
        describedBy(schema.items ?? {}, name, known, random),
      );
    case "object": {
      const members = new Map<string, JsonOut>();
      for (const [member, of] of Object.entries(schema.properties ?? {}))
        if (schema.required?.includes(member) === true || random.chance(60))
          members.set(member, describedBy(of, member, known, random));
      if (schema.properties === undefined)
        for (let i = random.below(4); i > 0; i--)
          members.set(text("hash", known, random), text("hash", known, random));
      return members;
    }
    default:
      return text(name, known, random);
  }
}

function parameter(name: string, schema: unknown, known: Known, random: SeededRandom): string {
  if (random.chance(15)) return random.chance(70) ? random.pick(WRONG) : noise(random);
  // The JSON schema of a parameter.
  const value = describedBy(schema as Schema, name, known, random);
  return typeof value === "string" ? value : String(value);
}

/** Any characters of the basic plane except surrogates. */
function noise(random: SeededRandom): string {
  const codes = Array.from({ length: random.below(20) }, () =>
    random.below(random.pick([0x80, 0x800, 0xd800])),
  );
  return String.fromCharCode(...codes);
}

function pathOf(route: Route, known: Known, random: SeededRandom): string {
  const path = random
    .pick(pathsOf(route))
    .replace(/\*$/, () => (random.chance(50) ? "" : encodeURIComponent(noise(random))));
  const filled = path.replace(/:(\w+)/g, (_all, name: string) => {
    const value = parameter(name, route.request?.params?.[name] ?? {}, known, random);
    return random.chance(5) ? value.replace(/[\0-\x20\x7f-\uffff]/g, "%") : encodeURIComponent(value);
  });
  return route.family === "index" && random.chance(10) ? filled.toUpperCase() : filled;
}

function queryOf(route: Route, known: Known, random: SeededRandom): string {
  const parts: string[] = [];
  for (const [name, schema] of Object.entries(route.request?.query ?? {})) {
    if (random.chance(40)) continue;
    for (let i = random.chance(90) ? 1 : 3; i > 0; i--)
      parts.push(`${name}=${encodeURIComponent(parameter(name, schema, known, random))}`);
  }
  if (random.chance(5))
    parts.push(random.pick(["a", "=", "&&", "a=%zz", "limit=1", "wait=1", `b=${"c".repeat(2_000)}`]));
  return parts.length === 0 ? "" : `?${parts.join("&")}`;
}

/** The request that makes a transaction: with its proofs, or for the wallet to sign. */
function transactionRequest({ path }: Route, known: Known, random: SeededRandom): JsonOut {
  const transaction = known.transaction();
  const json = new Map<string, JsonOut>(transactionJson(transaction) as ReadonlyMap<string, JsonOut>);
  if (path !== "/transactions/broadcast" && random.chance(80)) {
    for (const name of ["id", "proofs", "signature", "senderPublicKey", "senderKeyType"]) json.delete(name);
    if (random.chance(50)) json.delete("timestamp");
    if (path.includes(":type") && definitionOf(transaction).requestable) json.delete("type");
  }
  return json;
}

function bodyOf(route: Route, known: Known, random: SeededRandom): Uint8Array | undefined {
  const body = route.request?.body;
  if (body === undefined) return random.chance(5) ? random.bytes(random.below(100)) : undefined;
  if (random.chance(2)) return undefined;
  if (random.chance(2)) return random.bytes(random.below(200));
  if (random.below(2_000) === 0)
    return new Uint8Array(random.pick([1_048_576, 1_048_577, 5_000_000])).fill(0x20);
  if (body.kind === "text")
    return encodeUtf8(random.chance(70) ? random.pick([...SCRIPTS, ...WRONG]) : noise(random));
  const isTransaction = route.path.startsWith("/transactions/");
  // The JSON schema of a body.
  const schema = body.schema as unknown as Schema;
  const value = isTransaction
    ? transactionRequest(route, known, random)
    : describedBy(schema, "", known, random);
  const json = noisyJson(value, random, random.pick([0, 0, 3, 10]));
  const cut = random.chance(2) ? json.slice(0, random.below(json.length + 1)) : json;
  const bytes = random.chance(2) ? Buffer.from(cut, "utf16le") : encodeUtf8(cut);
  return random.chance(2)
    ? Buffer.concat([bytes, Buffer.from(random.pick(["", " ", "{", "]", "x", "\0", "\ufeff"]))])
    : bytes;
}

function headersOf(route: Route, apiKey: string, random: SeededRandom): Record<string, string> {
  const headers: Record<string, string> = {};
  if (random.chance(85)) headers["X-API-Key"] = apiKey;
  else if (random.chance(30))
    headers.Authorization = random.pick(["Bearer x", "bearer", "Basic Og==", `Bearer ${apiKey}`]);
  if (route.request?.body !== undefined && random.chance(80)) headers["Content-Type"] = random.pick(TYPES);
  if (random.chance(3)) headers["Content-Type"] = `text/plain; charset=${random.pick(CHARSETS)}`;
  if (random.chance(15)) headers.Accept = random.pick(ACCEPTS);
  if (random.chance(3))
    headers["Accept-Encoding"] = random.pick(["gzip", "br", "identity;q=0", "*;q=0", "gzip;q=x"]);
  if (random.chance(3)) headers["If-None-Match"] = random.pick(["*", '"x"', "W/", '"'.repeat(50)]);
  if (random.chance(2)) headers["Content-Encoding"] = random.pick(["gzip", "identity", "br", ""]);
  if (random.chance(3))
    headers.Origin = random.pick(["null", "https://example.org", "http://localhost:1", "\\"]);
  if (random.chance(2)) headers.Expect = "100-continue";
  if (random.chance(2)) headers[`X-${"n".repeat(random.below(100))}`] = "v".repeat(random.below(4_000));
  return headers;
}

/** Returns a request to one of the routes. @param apiKey key for the protected routes */
export function sampleOf(known: Known, apiKey: string, random: SeededRandom): Sample {
  const route = random.pick(random.chance(20) ? sending : asked);
  const method = random.chance(95)
    ? random.pick(methodsOf(route))
    : random.pick(["GET", "HEAD", "POST", "OPTIONS", "TRACE"]);
  return {
    route,
    method: String(method),
    target: pathOf(route, known, random) + queryOf(route, known, random),
    headers: headersOf(route, apiKey, random),
    body: bodyOf(route, known, random),
  };
}

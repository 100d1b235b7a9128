/** Page 07 §7, §18.2; page 00, part A, 4.2. */
import Type from "typebox";
import { encodeBase58 } from "../../../bytes/base58.ts";
import { bytesKey } from "../../../bytes/compare.ts";
import { JsonError, JsonNumber, type JsonOut, type JsonValue, parseJson } from "../../../bytes/json.ts";
import { decodeUtf8 } from "../../../bytes/utf8.ts";
import { MAX_LEAF_HASHES } from "../../../control/anchoring.ts";
import { HASH_LENGTHS } from "../../../crypto/hash-lengths.ts";
import { tokenFailure } from "../../../http/access/auth.ts";
import { ApiError, failure, invalidJson, TextError } from "../../../http/errors.ts";
import { jsonReply, Reply } from "../../../http/responses/reply.ts";
import type { ChainSnapshot, MappedAnchorInfo } from "../../../interfaces.ts";
import {
  anchorDefinition,
  buildOwnTransaction,
  type OwnTransaction,
  type RequestKey,
  type Transaction,
  transactionId,
} from "../../../transactions/index.ts";
import { HASH } from "../../openapi/dev-examples.ts";
import { requestFailure } from "../../refusals.ts";
import { type Answer, type Call, get, indexRoutesOf, post, type ReadCall, unwrap } from "../../route.ts";
import { ChainpointSchema, object, WaitMs } from "../../schemas/common.ts";
import { fails, failsEither, failsInText, failsWith, refusesTransaction } from "../../schemas/failures.ts";
import { parseAnyAddress } from "../identities/did.ts";
import { broadcast, signWithWallet } from "../transactions/transaction-request.ts";
import {
  canBeAnchored,
  chainpointJson,
  findProof,
  findProofOnChain,
  type Proof,
  waitForProof,
} from "./hash-proof.ts";
import { decodeHash, type Encoding, encodeHash, encodingOf } from "./hash-text.ts";

/** About sixty hashes; longer lists need a reader thread. */
const MAX_LIGHT_LIST_BYTES = 4_096;

/** Returns true for long lists, and for objects, because each key may have many mapped anchors. */
function isExpensive(call: ReadCall): boolean {
  const bytes = call.bytes();
  return bytes.length > MAX_LIGHT_LIST_BYTES || bytes[0] !== "[".charCodeAt(0);
}

/** @throws TextError 400 */
function parseEncoding(name: JsonValue | undefined): Encoding {
  const encoding = typeof name === "string" ? encodingOf(name) : undefined;
  if (encoding === undefined) throw new TextError(400, "invalid encoding given");
  return encoding;
}

/** @throws TextError 400 */
function parseHash(text: JsonValue | undefined, encoding: Encoding): Uint8Array {
  const hash = typeof text === "string" ? decodeHash(text, encoding) : undefined;
  if (hash === undefined) throw new TextError(400, "invalid hash given");
  return hash;
}

const NOT_ANCHORED_REPLY = jsonReply(404, { chainpoint: null });

function lookUp(call: Call, hash: Uint8Array | undefined): Answer | Promise<Answer> {
  if (hash === undefined || !canBeAnchored(hash)) return NOT_ANCHORED_REPLY;
  const answer = (proof: Proof | undefined): Answer =>
    proof === undefined ? NOT_ANCHORED_REPLY : chainpointJson(call, hash, proof);
  const direct = call.read((chain) => findProofOnChain(chain, hash));
  if (call.query("wait") !== undefined) {
    // Only the source knows the trees that contain the hash.
    if (direct === undefined) call.requirePool();
    return waitForProof(call, hash).then(answer);
  }
  return direct === undefined ? findProof(call, hash).then(answer) : answer(direct);
}

/** Answers 404 if the text is not hexadecimal. */
function lookUpHex(call: Call): Answer | Promise<Answer> {
  const text = call.param("hash");
  const isHex = text.length % 2 === 0 && /^[0-9a-f]*$/i.test(text);
  return lookUp(call, isHex ? decodeHash(text, "hex") : undefined);
}

function lookUpEncoded(call: Call): Answer | Promise<Answer> {
  const encoding = parseEncoding(call.param("encoding"));
  return lookUp(call, parseHash(call.param("hash"), encoding));
}

/**
 * Accepts JSON of any content type, or a form. Returns undefined for other bodies. Page 07 §3.4.
 * @throws ApiError error 1 for invalid JSON, or other JSON than objects and arrays
 */
function parseIndexBody(call: ReadCall): ReadonlyMap<string, JsonValue> | JsonValue[] | undefined {
  const bytes = call.bytes();
  const type = (call.contentType() ?? "").split(";")[0].trim().toLowerCase();
  if (bytes.length === 0) return type === "application/json" ? new Map() : undefined;
  const text = decodeUtf8(bytes);
  let value: JsonValue;
  try {
    value = parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    // `curl -d` sends JSON as a form. No form starts with a bracket.
    if (type === "application/json" || /^\s*[{[]/.test(text))
      throw new ApiError(invalidJson(`${error.name}: ${error.message}`));
    return type === "application/x-www-form-urlencoded" ? new Map(new URLSearchParams(text)) : undefined;
  }
  if (value instanceof Map || Array.isArray(value)) return value;
  const problem = { msg: ["error.expected.jsobject"], args: [] };
  throw new ApiError(invalidJson(null, new Map([["obj", [problem]]])));
}

/** The indexer treats these values as missing. */
function isFalsy(value: JsonValue | undefined): boolean {
  return !value || (value instanceof JsonNumber && value.toNumber() === 0);
}

/** Checks in the order of page 07 §7.4. @throws TextError 400 */
function parseRequestedHash(body: ReadonlyMap<string, JsonValue> | JsonValue[] | undefined): Uint8Array {
  if (body === undefined) throw new TextError(400, "invalid body given");
  const members: ReadonlyMap<string, JsonValue> = Array.isArray(body) ? new Map() : body;
  const text = members.get("hash");
  if (isFalsy(text)) throw new TextError(400, "no hash given");
  const name = members.get("encoding");
  const encoding = isFalsy(name) ? "hex" : parseEncoding(name);
  const hash = parseHash(text, encoding);
  if (!HASH_LENGTHS.has(hash.length)) throw new TextError(400, "invalid hash given");
  return hash;
}

function accessTokenOf(body: unknown): string | undefined {
  const value = body instanceof Map ? body.get("access_token") : undefined;
  return typeof value === "string" ? value : undefined;
}

function buildAnchorTransaction(call: Call, hash: Uint8Array, sender: RequestKey): Transaction {
  const timestamp = call.api.uniqueTime();
  const { type } = anchorDefinition;
  const members: OwnTransaction["members"] = [["anchors", [encodeBase58(hash)]]];
  const result = call.read((chain) =>
    buildOwnTransaction(chain, call.api.info.network, { type, sender, timestamp, members }),
  );
  if (!result.ok) throw new ApiError(requestFailure(result.error));
  return result.value.transaction;
}

/** Reads the body before it checks the token. Page 07 §7.4, §18.3. */
async function anchor(call: Call): Promise<Answer> {
  const { api } = call;
  const body = parseIndexBody(call);
  const refusal = tokenFailure(call.request, api.info, accessTokenOf(body), call.query("access_token"));
  if (refusal !== undefined) throw new ApiError(refusal);
  const hash = parseRequestedHash(body);
  if (api.info.gathersAnchors === true) {
    unwrap(await api.control.anchoring.add(hash));
    return new Reply({ status: 202, body: "" });
  }
  const account = await api.control.anchoring.account();
  if (account === undefined) throw new ApiError(failure(503, 503, "the wallet does not hold the account"));
  const unsigned = buildAnchorTransaction(call, hash, {
    keyType: account.keyType,
    publicKey: encodeBase58(account.publicKey),
  });
  const transaction = await signWithWallet(api, unsigned, [account.address]);
  await broadcast(api, transaction);
  return chainpointJson(call, hash, { transactionId: transactionId(transaction) });
}

/** Roots of the node's trees, by hash. */
type LeafRoots = ReadonlyMap<string, Uint8Array>;

/** A follower forwards the request if its chain lacks a hash. */
function askForRoots(call: Call): Promise<LeafRoots> | undefined {
  const encoding = parseEncoding(call.query("encoding") || "hex");
  const body = parseIndexBody(call);
  if (!Array.isArray(body)) return undefined;
  const hashes = body.map((entry) => parseHash(entry, encoding)).filter(canBeAnchored);
  const isOnChain = (chain: ChainSnapshot) => hashes.every((hash) => chain.anchors.first(hash) !== undefined);
  if (call.info.following !== undefined && !call.read(isOnChain)) call.requirePool();
  const ask = async (): Promise<LeafRoots> => {
    const found = new Map<string, Uint8Array>();
    for (let from = 0; from < hashes.length; from += MAX_LEAF_HASHES) {
      const part = hashes.slice(from, from + MAX_LEAF_HASHES);
      const roots = await call.api.control.anchoring.leafRoots(part);
      if (roots === undefined) break;
      for (const [i, root] of roots.entries()) if (root !== undefined) found.set(bytesKey(part[i]), root);
    }
    return found;
  };
  return ask();
}

function verifyList(
  chain: ChainSnapshot,
  list: readonly JsonValue[],
  encoding: Encoding,
  roots: LeafRoots,
): JsonOut {
  const anchors = new Map<string, string | null>();
  for (const entry of list) {
    const hash = parseHash(entry, encoding);
    const root = roots.get(bytesKey(hash));
    const found = canBeAnchored(hash)
      ? (chain.anchors.first(hash) ?? (root && chain.anchors.first(root)))
      : undefined;
    anchors.set(String(entry), found === undefined ? null : encodeBase58(found.transactionId));
  }
  return { verified: [...anchors.values()].every((id) => id !== null), anchors };
}

function senderFilter(expected: JsonValue): ((pair: MappedAnchorInfo) => boolean) | undefined {
  const sender = expected instanceof Map ? expected.get("sender") : undefined;
  if (isFalsy(sender)) return undefined;
  const texts = Array.isArray(sender) ? sender : [sender];
  const addresses = new Set<string>();
  for (const text of texts) {
    const address = typeof text === "string" ? parseAnyAddress(text) : undefined;
    if (address !== undefined) addresses.add(bytesKey(address));
  }
  return (pair) => addresses.has(bytesKey(pair.sender));
}

function findFirst<T>(items: Iterable<T>, matches: ((item: T) => boolean) | undefined): T | undefined {
  for (const item of items) if (matches === undefined || matches(item)) return item;
  return undefined;
}

function verifyMap(
  chain: ChainSnapshot,
  expectations: ReadonlyMap<string, JsonValue>,
  encoding: Encoding,
): JsonOut {
  const map = new Map<string, string | null>();
  const anchors = new Map<string, string | null>();
  let verified = true;
  for (const [key, expected] of expectations) {
    const hash = parseHash(key, encoding);
    const pairs = canBeAnchored(hash) ? chain.anchors.mapped(hash) : [];
    const newest = findFirst(pairs, senderFilter(expected));
    const value = newest === undefined ? null : encodeHash(newest.value, encoding);
    map.set(key, value);
    anchors.set(key, newest === undefined ? null : encodeBase58(newest.transactionId));
    verified &&= (expected instanceof Map ? expected.get("hash") : expected) === value;
  }
  return { verified, map, anchors };
}

/** Page 07 §7.7. */
function verify(call: ReadCall): JsonOut {
  const encoding = parseEncoding(call.query("encoding") || "hex");
  const body = parseIndexBody(call);
  if (body === undefined) throw new TextError(400, "invalid body");
  return call.read((chain) =>
    Array.isArray(body)
      ? verifyList(chain, body, encoding, (call.readRequest.prepared ?? new Map()) as LeafRoots)
      : verifyMap(chain, body, encoding),
  );
}

const HashText = Type.String({ description: "The hash." });
const EncodingName = Type.Enum(["hex", "base58", "base64"]);
const TextOrNull = Type.Union([Type.String(), Type.Null()]);
const NOT_ANCHORED = {
  404: failsWith("The hash is not anchored.", object({ chainpoint: Type.Null() }, "NoChainpoint")),
};
const NOT_VALID = failsInText("The request is not valid.");
const ANCHOR_INDEXES = ["anchors"] as const;

export const hashRoutes = indexRoutesOf("anchors", [
  post("/hash", {
    onFollower: "source",
    summary: "Anchors a hash with the node's account; requires the authorization token if one is configured",
    access: "token",
    request: {
      body: {
        kind: "json",
        schema: Type.Object({ hash: HashText, encoding: Type.Optional(EncodingName) }),
      },
      example: { body: { hash: HASH, encoding: "hex" } },
    },
    answers: {
      ok: ChainpointSchema,
      failures: {
        202: {
          description: "The hash is queued and will be anchored together with other hashes.",
          content: {},
        },
        400: failsEither(NOT_VALID, refusesTransaction),
        401: failsWith(
          "The authorization token is wrong or missing.",
          object({ message: Type.String(), statusCode: Type.Enum([401]) }, "Unauthorized"),
        ),
        403: fails("No token is configured, and the request comes from another machine or web page."),
      },
    },
    handle: anchor,
  }),
  post("/hash/verify", {
    summary:
      "Looks up a list of hashes, or compares the values in an object with the newest mapped anchors of its keys",
    request: {
      query: { encoding: EncodingName },
      body: {
        kind: "json",
        schema: Type.Union([Type.Array(HashText), Type.Record(Type.String(), Type.Unknown())]),
      },
      example: { body: [HASH] },
    },
    answers: {
      ok: object({
        verified: Type.Boolean({ description: "True if everything is anchored as requested." }),
        map: Type.Optional(
          Type.Record(Type.String(), TextOrNull, { description: "Newest value of each mapped anchor." }),
        ),
        anchors: Type.Record(Type.String(), TextOrNull, { description: "Transaction ids." }),
      }),
      failures: { 400: NOT_VALID },
    },
    cost: { indexes: ANCHOR_INDEXES, isExpensive },
    runsInReader: true,
    prepare: askForRoots,
    handle: verify,
  }),
  get("/hash/:hash", {
    summary: "Proof that a hash is anchored",
    request: {
      params: { hash: Type.String({ description: "Hexadecimal." }) },
      query: { wait: WaitMs },
      example: { params: { hash: HASH } },
    },
    answers: { ok: ChainpointSchema, failures: NOT_ANCHORED },
    cost: { cacheable: true, indexes: ANCHOR_INDEXES },
    handle: lookUpHex,
  }),
  get("/hash/:hash/encoding/:encoding", {
    summary: "Proof that a hash in a given encoding is anchored",
    request: {
      params: { hash: HashText, encoding: EncodingName },
      query: { wait: WaitMs },
      example: { params: { hash: HASH } },
    },
    answers: {
      ok: ChainpointSchema,
      failures: { 400: failsInText("The encoding or the hash is not valid."), ...NOT_ANCHORED },
    },
    cost: { cacheable: true, indexes: ANCHOR_INDEXES },
    handle: lookUpEncoded,
  }),
]);

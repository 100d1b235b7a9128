import { describe, expect, it } from "vitest";
import { expectKnown, hasVectors, loadVectorsJson } from "../../test/vectors.ts";
import { encodeBase58 } from "../bytes/base58.ts";
import { decodeHex, encodeHex } from "../bytes/hex.ts";
import {
  type JsonNumber,
  type JsonObject,
  type JsonOut,
  type JsonValue,
  parseJson,
  printJson,
} from "../bytes/json.ts";
import { addressText } from "../crypto/addresses.ts";
import { verify } from "../crypto/signatures.ts";
import {
  bodyBytes,
  errorText,
  type NetworkRules,
  parseTransaction,
  type RequestError,
  staticCheck,
  type Transaction,
  TransactionParseError,
  transactionBytes,
  transactionFromRequest,
  transactionId,
  transactionJson,
  type ValidationError,
} from "./index.ts";

const FILE = "transactions.json";
const KINDS = ["tx", "request", "request-error", "parse-quirk", "parse-error"];
const MEMBERS = [
  "source",
  "sourceFile",
  "description",
  "kind",
  "type",
  "version",
  "chainId",
  "verified",
  "expectValid",
  "id",
  "bodyBytesHex",
  "nodeJson",
  "bytesHex",
  "json",
  "jsonText",
  "idInSource",
  "signatureValid",
  "senderMatchesPublicKey",
  "minFee",
  "inputBytesHex",
  "keys",
  "note",
  "clientBinaryHex",
  "route",
  "expected",
  "error",
  "errorClass",
  "request",
  "requestText",
  "bodyBytesAsInSource",
];

/** Errors that depend on the state: tests of the ledger and the API check them. */
const STATEFUL = ["The lease is not active", "The association doesn't exist"];

/** Returns false for bodies that no request can produce. Page 02 §10.10, §10.15. */
function roundTripsThroughJson(tx: Transaction): boolean {
  if (tx.type === 1) return false;
  if (tx.type === 22) return !collides(tx.anchors.map(([key]) => key));
  return !((tx.type === 16 || tx.type === 17) && tx.subject !== undefined && tx.subject.length === 0);
}

/** Returns true if two keys have the same Java hash, so that their order depends on the input. */
function collides(keys: readonly Uint8Array[]): boolean {
  const hashes = keys.map((key) =>
    key.reduce((hash, byte) => (Math.imul(31, hash) + ((byte << 24) >> 24)) | 0, 1),
  );
  return new Set(hashes).size < hashes.length;
}

function textOf(vector: JsonObject, name: string): string {
  const value = vector.get(name);
  if (typeof value !== "string") throw new Error(`${name} is not a text`);
  return value;
}

function networkOf(vector: JsonObject): NetworkRules {
  return { chainId: textOf(vector, "chainId").charCodeAt(0), payment: false };
}

/** Compares the forms of a transaction with a vector. */
function expectForms(tx: Transaction, vector: JsonObject): void {
  expect(encodeBase58(transactionId(tx))).toBe(textOf(vector, "id"));
  for (const [name, hex] of [
    ["bodyBytesHex", () => encodeHex(bodyBytes(tx))],
    ["bytesHex", () => encodeHex(transactionBytes(tx))],
    ["nodeJson", () => printJson(transactionJson(tx))],
  ] as const) {
    const expected = vector.get(name);
    if (expected !== undefined) expect(hex(), name).toBe(expected);
  }
}

function requestOf(vector: JsonObject): JsonValue {
  const text = vector.get("requestText");
  if (typeof text === "string") return parseJson(text);
  const request = vector.get("request");
  if (request === undefined) throw new Error("the vector has no request");
  return request;
}

function created(json: JsonValue, network: NetworkRules): Transaction {
  const result = transactionFromRequest(json, { network });
  if (!result.ok) throw new Error(`refused: ${JSON.stringify(answerTo(result.error))}`);
  return result.value.transaction;
}

/** HTTP error number and message of page 06 §4.5, for errors of requests. */
const ANSWERS: Readonly<Record<string, (error: ValidationError) => [number, string]>> = {
  InvalidAddress: () => [102, "invalid address"],
  NegativeAmount: ({ args }) => [111, `negative amount: ${args[0]} of ${args[1]}`],
  InsufficientFee: ({ args }) => [112, String(args[0])],
  TooBigArray: () => [10, "Too big sequences requested"],
  OverflowError: () => [113, "overflow error"],
  ToSelf: () => [114, "Transaction to yourself"],
  GenericError: ({ args }) => [199, String(args[0])],
};

function answerTo(error: RequestError): JsonOut {
  if (error.kind === "json") {
    return {
      status: 400,
      error: 1,
      message: "failed to parse json message",
      cause: error.cause,
      validationErrors: new Map(
        [...error.validationErrors].map(([path, faults]) => [path, faults.map((f) => ({ ...f }))]),
      ),
    };
  }
  const answer = ANSWERS[error.error.kind];
  const [code, message] = answer === undefined ? [199, errorText(error.error)] : answer(error.error);
  return { status: 400, error: code, message };
}

function expectSignatures(tx: Transaction, vector: JsonObject): void {
  const stated = vector.get("signatureValid");
  if (!(stated instanceof Map)) return;
  expectKnown(stated.keys(), ["sender", "sponsor"], "signatureValid");
  const body = bodyBytes(tx);
  const some = (key: Transaction["sender"]) => tx.proofs.some((proof) => verify(key, body, proof));
  if (stated.has("sender")) expect(some(tx.sender), "signature of the sender").toBe(stated.get("sender"));
  if (stated.has("sponsor")) {
    expect(tx.sponsor !== undefined && some(tx.sponsor), "signature of the sponsor").toBe(
      stated.get("sponsor"),
    );
  }
}

function checkTransaction(vector: JsonObject): void {
  const network = networkOf(vector);
  const tx = parseTransaction(decodeHex(textOf(vector, "bytesHex")), network);
  expect(tx.type).toBe((vector.get("type") as JsonNumber).toNumber());
  expect(tx.version).toBe((vector.get("version") as JsonNumber).toNumber());
  expectForms(tx, vector);
  expectSignatures(tx, vector);
  if (!roundTripsThroughJson(tx)) return;
  const again = created(parseJson(printJson(transactionJson(tx))), network);
  expect(encodeHex(transactionBytes(again))).toBe(encodeHex(transactionBytes(tx)));
  const source = vector.get("json");
  if (vector.get("senderMatchesPublicKey") === true && source instanceof Map && source.has("sender")) {
    expect(addressText(tx.senderAddress)).toBe(source.get("sender"));
  }
}

function checkRequest(vector: JsonObject): void {
  const network = networkOf(vector);
  const tx = created(requestOf(vector), network);
  expectForms(tx, vector);
  expectSignatures(tx, vector);
}

function checkRequestError(vector: JsonObject): void {
  const network = networkOf(vector);
  const result = transactionFromRequest(requestOf(vector), { network });
  const expected = vector.get("expected") as JsonObject;
  if (STATEFUL.includes(String(expected.get("message")))) {
    if (!result.ok) throw new Error("refused without the state");
    expect(staticCheck(result.value.transaction, network)).toBeUndefined();
    return;
  }
  if (result.ok) throw new Error("the request was accepted");
  expect(printJson(answerTo(result.error))).toBe(printJson(expected));
}

function checkParseQuirk(vector: JsonObject): void {
  const network = networkOf(vector);
  const tx = parseTransaction(decodeHex(textOf(vector, "inputBytesHex")), network);
  expectForms(tx, vector);
  expectForms(parseTransaction(transactionBytes(tx), network), vector);
}

function checkParseError(vector: JsonObject): void {
  let error: unknown;
  try {
    parseTransaction(decodeHex(textOf(vector, "inputBytesHex")), networkOf(vector));
  } catch (caught) {
    error = caught;
  }
  expect(error).toBeInstanceOf(TransactionParseError);
  expect((error as TransactionParseError).message).toBe(vector.get("error") ?? "");
}

const CHECKS: Readonly<Record<string, (vector: JsonObject) => void>> = {
  tx: checkTransaction,
  request: checkRequest,
  "request-error": checkRequestError,
  "parse-quirk": checkParseQuirk,
  "parse-error": checkParseError,
};

describe.skipIf(!hasVectors(FILE))(`vectors: ${FILE}`, () => {
  const vectors = hasVectors(FILE) ? (loadVectorsJson(FILE) as JsonObject[]) : [];

  it("has only cases of known kinds and members", () => {
    expect(vectors.length).toBeGreaterThan(0);
    expectKnown(new Set(vectors.map((vector) => textOf(vector, "kind"))), KINDS, FILE);
    expectKnown(new Set(vectors.flatMap((vector) => [...vector.keys()])), MEMBERS, FILE);
  });

  vectors.forEach((vector, i) => {
    const kind = String(vector.get("kind"));
    const check = CHECKS[kind];
    if (check !== undefined) it(`${i}: ${kind}, ${vector.get("description")}`, () => check(vector));
  });
});

import { describe, expect, it, test } from "vitest";
import { hasVectors, loadVectorsJson } from "../../../test/vectors.ts";
import { encodeBase58 } from "../../bytes/base58.ts";
import { decodeHex, encodeHex } from "../../bytes/hex.ts";
import { type JsonObject, parseJson, printJson } from "../../bytes/json.ts";
import { decode } from "../../client/decode.ts";
import { shapes } from "../../client/shapes.ts";
import {
  definitions,
  parseTransaction,
  type Transaction,
  transactionJson,
} from "../../transactions/index.ts";
import { describeBytes, describeSentBytes } from "./bytes.ts";
import { type ShownTransaction, TYPE_NAMES, transactionDetails } from "./details.ts";
import { actionOf, sentenceOf } from "./sentence.ts";
import type { SentencePart, Value } from "./types.ts";

const FILE = "transactions.json";

/** As the client returns it. */
function shownOf(transaction: Transaction): ShownTransaction {
  const json = parseJson(printJson(transactionJson(transaction)));
  return decode(json, shapes["POST /transactions/broadcast"]) as unknown as ShownTransaction;
}

function textOf(parts: readonly SentencePart[]): string {
  return parts.map((part) => (typeof part === "string" ? part : valueText(part))).join("");
}

function valueText(value: Value): string {
  switch (value.kind) {
    case "amount":
      return `${value.amount} units`;
    case "address":
      return value.address.slice(0, 4);
    case "number":
      return String(value.number);
    case "height":
      return String(value.height);
    case "hash":
      return "a hash";
    default:
      return `<${value.kind}>`;
  }
}

interface Case {
  readonly name: string;
  readonly transaction: Transaction;
  readonly shown: ShownTransaction;
  readonly hex: string;
}

function casesOfVectors(): Case[] {
  return (loadVectorsJson(FILE) as JsonObject[]).flatMap((vector, i) => {
    const hex = vector.get("bytesHex");
    if (vector.get("kind") !== "tx" || typeof hex !== "string") return [];
    const chainId = String(vector.get("chainId")).charCodeAt(0);
    const transaction = parseTransaction(decodeHex(hex), { chainId, payment: true });
    const name = `${i}: ${transaction.type} v${transaction.version}`;
    return [{ name, transaction, shown: shownOf(transaction), hex }];
  });
}

/** Members that are shown together with another one. */
const WITHIN = /KeyType$/;

describe.skipIf(!hasVectors(FILE))("recorded transactions of every type and version", () => {
  const cases = hasVectors(FILE) ? casesOfVectors() : [];

  it("cover every type and version except payments", () => {
    const seen = new Set(cases.map(({ shown }) => `${shown.type} v${shown.version ?? 1}`));
    const all = definitions.flatMap(({ type, versions }) => [...versions.keys()].map((v) => `${type} v${v}`));
    expect(all.filter((one) => !seen.has(one))).toEqual(["2 v1"]);
  });

  it.each(cases)("$name has all details, a sentence, and bytes rebuilt from its JSON", (one) => {
    expectInFull(one);
    expectSaid(one);
    expectMade(one);
  });
});

/** Expects all members, each with a kind. */
function expectInFull({ shown }: Case): void {
  const members = transactionDetails(shown);
  const names = members.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  const wanted = Object.keys(shown).filter((name) => !WITHIN.test(name));
  expect(wanted.filter((name) => !names.includes(name))).toEqual([]);
  for (const { label } of members) expect(label).toMatch(/^[A-Z][a-z', ]+$/);
  // A plain text or object would mean that its kind is unknown.
  const plain = members.filter(({ name, value }) => name !== "type" && /^(text|object)$/.test(value.kind));
  expect(plain).toEqual([]);
}

function expectSaid({ shown }: Case): void {
  const sentence = textOf(sentenceOf(shown, { state: "in a block", height: 5, tip: 7 }));
  expect(sentence).toMatch(/^(3\w{3}|The first block) [\w <>,-]+; in block 5, not final yet/);
  expect(sentence).not.toMatch(/[{}[\]|]|undefined/);
}

function expectMade({ shown, hex, transaction }: Case): void {
  const made = describeBytes(shown, transaction.chainId);
  if ("problem" in made) throw new Error(made.problem);
  expect(made.matchesId).toBe(made.id === shown.id);
  if (!made.matchesId) expect(shown).toMatchObject({ version: 1, subject: "" });
  else expect(encodeHex(made.bytes)).toBe(hex);
  const sent = describeSentBytes(decodeHex(hex), shown.id, transaction.chainId);
  expect(sent).toMatchObject({ matchesId: true });
  if (made.matchesId) expect(sent).toEqual(made);
  let end = 0;
  for (const { offset, length } of made.fields) {
    expect(offset).toBe(end);
    end += length;
  }
  expect(end).toBe(made.bytes.length);
  const places = new Set(made.fields.map(({ name }) => name));
  const told = transactionDetails(shown).flatMap(({ field }) => field ?? []);
  // Old versions lack some, and transactions of the first block almost all.
  const absent = told.filter((name) => !places.has(name) && shown.version !== 1);
  expect(absent).toEqual([]);
  const signed = made.fields.filter((field) => field.signed).map(({ name }) => name);
  expect(signed).toContain("timestamp");
  expect(signed.filter((name) => /^(signature|proofs|sponsor)$/.test(name))).toEqual([]);
}

describe("a type", () => {
  test("has the name that the node uses", () => {
    const names = definitions.map(({ type, name }) => [type, name.replaceAll(" ", "-")]);
    expect(Object.fromEntries(names)).toEqual(TYPE_NAMES);
  });

  test("unknown to the explorer is shown nevertheless", () => {
    const shown: ShownTransaction = {
      type: 99,
      id: "abc",
      sender: "3Nx",
      fee: 5n,
      timestamp: 1n,
      amount: 7n,
      cargo: { weights: [1, true, null] },
    };
    expect(textOf(actionOf(shown))).toBe("3Nx made a type 99 transaction of 7");
    const member = transactionDetails(shown).find(({ name }) => name === "cargo");
    expect(member).toMatchObject({ label: "Cargo", value: { kind: "object" } });
    expect(describeBytes(shown, 84)).toEqual({ problem: "Bad transaction type (99)" });
  });
});

test("the types of the identity rules have names", () => {
  const nameOf = (member: string, type: number): unknown =>
    transactionDetails({ type: 16, id: "abc", sender: "3Nx", fee: 5n, timestamp: 1n, [member]: type }).find(
      ({ name }) => name === member,
    )?.value;
  expect(nameOf("associationType", 0x108)).toEqual({ kind: "number", number: 0x108n, name: "capability" });
  expect(nameOf("associationType", 10)).toEqual({ kind: "number", number: 10n });
  expect(nameOf("statementType", 0x12)).toMatchObject({ number: 0x12n, name: "suspend" });
});

describe("a sentence", () => {
  const shown: ShownTransaction = {
    type: 15,
    version: 3,
    id: "abc",
    sender: "3Nx",
    fee: 5n,
    timestamp: 1n,
    anchors: ["a", "b"],
  };

  test("states place and finality", () => {
    const at = (height: number, tip: number) =>
      textOf(sentenceOf(shown, { state: "in a block", height, tip }));
    for (const tip of [1_234, 1_235])
      expect(at(1_234, tip)).toContain("; in block 1234, not final yet; fee 5 units");
    expect(at(8, 108)).toContain("; in block 8, final");
    expect(textOf(sentenceOf(shown, { state: "waiting" }))).toContain("; pending; fee 5 units");
    expect(textOf(sentenceOf(shown, { state: "reverted" }))).toContain(
      "; pending again, since its block left the chain",
    );
  });

  test("states payer and counts", () => {
    const paid = { ...shown, effectiveFee: 3n, effectiveSponsor: "3My" };
    expect(textOf(sentenceOf(paid, { state: "waiting" }))).toBe(
      "3Nx anchored 2 hashes; pending; fee 3 units, paid by 3My",
    );
    expect(textOf(actionOf({ ...shown, anchors: ["a"] }))).toBe("3Nx anchored a hash");
    expect(textOf(actionOf({ ...shown, anchors: [] }))).toBe("3Nx anchored 0 hashes");
  });
});

test("rejects bytes that are not a transaction", () => {
  expect(describeSentBytes(Uint8Array.of(1, 2, 3), "x", 84)).toEqual({
    problem: "they are not a transaction",
  });
});

test("reports a forged answer", () => {
  const [lease] = definitions.filter(({ isLease }) => isLease);
  const recipient = "3N5vwNey9aFkyrQ5KUzMt3qfuwg5jKKzrLB";
  const shown: ShownTransaction = {
    type: lease.type,
    version: 3,
    id: encodeBase58(new Uint8Array(32)),
    sender: recipient,
    senderKeyType: "ed25519",
    senderPublicKey: encodeBase58(new Uint8Array(32).fill(7)),
    fee: 100n,
    timestamp: 5n,
    amount: 7n,
    recipient,
  };
  expect(describeBytes(shown, 84)).toEqual({ problem: "senderPublicKey doesn't match sender address" });
});

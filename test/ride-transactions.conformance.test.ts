/** The sections of `ride.json` with whole transactions: their `tx` value, their verification, set script. */
import { describe, expect, it } from "vitest";
import { decodeBase58, encodeBase58 } from "../src/bytes/base58.ts";
import { bytesEqual } from "../src/bytes/compare.ts";
import { decodeHex, encodeHex } from "../src/bytes/hex.ts";
import { addressOf } from "../src/crypto/addresses.ts";
import type { Era } from "../src/ledger/era.ts";
import { checkProofs } from "../src/ledger/proofs.ts";
import { type Refusal, refusalMessage } from "../src/ledger/refusal.ts";
import type { LedgerView } from "../src/ledger/state.ts";
import { verifyProof } from "../src/ledger/verdicts.ts";
import { ScriptException } from "../src/script/errors.ts";
import { compileScript, parseScriptText } from "../src/script/index.ts";
import { transactionValue } from "../src/script/values/transaction-value.ts";
import {
  bodyBytes,
  parseTransaction,
  type SetScriptTransaction,
  scriptView,
  type Transaction,
  transactionBytes,
  transactionId,
} from "../src/transactions/index.ts";
import { CHAIN_ID, type Json, members, valueJson } from "./ride-vectors.ts";
import { expectKnown, hasVectors, loadVectors } from "./vectors.ts";

const FILE = "ride.json";
const SECTIONS = ["transactionValues", "verify", "setScriptTransactions"];
/** src/script/ride.conformance.test.ts reads these; it also checks the section names. */
const vectors = hasVectors(FILE) ? loadVectors<Json>(FILE) : {};
const network = { chainId: CHAIN_ID, payment: false };

function section(name: string, check: (vector: Json) => void): void {
  const cases = vectors[name] as readonly Json[] | undefined;
  describe.skipIf(cases === undefined)(name, () => {
    it("has cases", () => expect(cases?.length).toBeGreaterThan(0));
    it.each((cases ?? []).map((vector, i) => [String(vector.id ?? i), vector] as const))("%s", (_, vector) =>
      check(vector),
    );
  });
}

function parse(hex: unknown): Transaction {
  const bytes = decodeHex(String(hex));
  const transaction = parseTransaction(bytes, network);
  expect(encodeHex(transactionBytes(transaction))).toBe(hex);
  return transaction;
}

describe.skipIf(!hasVectors(FILE))("ride vectors with transactions", () => {
  it("has the sections", () => {
    const present = Object.keys(vectors).filter((name) => SECTIONS.includes(name));
    expectKnown(present, SECTIONS, FILE);
  });

  section("transactionValues", (vector) => {
    const { txHex, type, version, tx, throws } = members(vector, [
      "id",
      "origin",
      "type",
      "version",
      "txHex",
      "tx",
      "throws",
    ]);
    const transaction = parse(txHex);
    expect(transaction.type).toBe(type);
    expect(transaction.version).toBe(version);
    if (throws === undefined) expect(valueJson(transactionValue(scriptView(transaction)))).toEqual(tx);
    else {
      const see = () => transactionValue(scriptView(transaction));
      expect(see).toThrow(ScriptException);
      expect(see).toThrow(String(throws));
    }
  });

  section("verify", (vector) => {
    const {
      txHex,
      height,
      source,
      script,
      sponsorScript,
      expect: expectation,
    } = members(vector, [
      "id",
      "origin",
      "note",
      "txHex",
      "height",
      "source",
      "script",
      "sponsorScript",
      "expect",
    ]);
    const bytes = parseScriptText(String(script)).bytes;
    if (source !== undefined) {
      const compiled = compileScript(String(source));
      if (!compiled.ok) throw new Error(compiled.error);
      expect(encodeHex(compiled.value.bytes)).toBe(encodeHex(bytes));
    }
    const sponsorBytes =
      sponsorScript === undefined ? undefined : parseScriptText(String(sponsorScript)).bytes;
    const refusal = verifyScripted(parse(txHex), bytes, sponsorBytes, Number(height));
    const { verified, throws, response } = members(expectation, [
      "verified",
      "throws",
      "httpStatus",
      "response",
    ]);
    if (verified === true) expect(refusal).toBeUndefined();
    else if (throws !== undefined) expect(refusal?.kind).toBe("ScriptExecutionError");
    else expect(answer(refusal)).toEqual(response);
  });

  section("setScriptTransactions", (vector) => {
    const { version, chainId, timestamp, fee, senderPublicKey, script, bodyBytesHex, id } = members(vector, [
      "origin",
      "ref",
      "version",
      "chainId",
      "timestamp",
      "fee",
      "senderPublicKey",
      "script",
      "bodyBytesHex",
      "id",
    ]);
    const key = decodeBase58(String(senderPublicKey), 1_000);
    const chain = String(chainId).charCodeAt(0);
    const transaction: SetScriptTransaction = {
      type: 13,
      version: Number(version),
      chainId: chain,
      timestamp: BigInt(Number(timestamp)),
      fee: BigInt(Number(fee)),
      sender: { keyType: "ed25519", bytes: key },
      senderAddress: addressOf(key, chain),
      proofs: [],
      script: script === null ? undefined : parseScriptText(String(script)).bytes,
    };
    expect(encodeHex(bodyBytes(transaction))).toBe(bodyBytesHex);
    expect(encodeBase58(transactionId(transaction))).toBe(id);
  });
});

/** Verifies the proofs of a transaction whose sender has the script. */
function verifyScripted(
  transaction: Transaction,
  script: Uint8Array,
  sponsorScript: Uint8Array | undefined,
  height: number,
): Refusal | undefined {
  const { sponsorAddress } = transaction;
  // For these two, the check reads only the sponsor's script and the era; any other access throws.
  const state = {
    script: (address: Uint8Array) => {
      const known = sponsorAddress !== undefined && bytesEqual(address, sponsorAddress);
      return known && sponsorScript !== undefined ? { script: sponsorScript, height: 1 } : undefined;
    },
  } as unknown as LedgerView;
  const era = { height, rules: { chainId: CHAIN_ID } } as unknown as Era;
  return checkProofs(state, transaction, script, era, verifyProof, undefined)?.withTransaction(transaction);
}

/** The members of the broadcast's answer that the vectors contain. */
function answer(refusal: Refusal | undefined): unknown {
  if (refusal === undefined) return undefined;
  const ids: Readonly<Record<string, number>> = {
    ScriptExecutionError: 306,
    TransactionNotAllowedByScript: 307,
  };
  const error = ids[refusal.kind] ?? 112;
  const { script } = refusal;
  return {
    error,
    message: refusalMessage(refusal),
    ...(script === undefined ? {} : { script: script.script, vars: [script.vars] }),
  };
}

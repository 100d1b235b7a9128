import { expect, test } from "vitest";
import { controlFailure, refusalFailure } from "../../api/refusals.ts";
import { genesisBlock } from "../../blocks/genesis.ts";
import { encodeBase58 } from "../../bytes/base58.ts";
import { type JsonObject, parseJson, printJson } from "../../bytes/json.ts";
import type { NodeControlHandlers } from "../../control/index.ts";
import { addressOf } from "../../crypto/addresses.ts";
import { Mempool } from "../../mempool/mempool.ts";
import { allOf } from "../../mempool/testing/all-of.ts";
import { dev } from "../../profiles/index.ts";
import { buildTransaction } from "../../testing/build-transaction.ts";
import { DevNode, keyPairOf, rootKeyPair } from "../../testing/dev-node.ts";
import { watchSignatureChecks } from "../../testing/signature-checks.ts";
import type { VirtualClock } from "../../testing/virtual-clock.ts";
import {
  copyTransaction,
  encodeTransaction,
  parseTransaction,
  type Transaction,
  transactionFromRequest,
  transactionId,
  transactionJson,
} from "../../transactions/index.ts";
import { Preverifier, type RequestVerifier } from "../../verification/ahead.ts";
import { CheckerError } from "../../verification/batch-checker.ts";
import { inlineVerifier } from "../../verification/testing/inline-verifier.ts";
import { VerifierBusyError } from "../../verification/verifier.ts";
import { Intake } from "../intake.ts";
import { poolControl } from "./pool-control.ts";

const { chainId } = dev;
const LTO = 100_000_000n;
const alice = keyPairOf("alice");

/** Control of a pool that gets its transactions through a verifier. */
const controlOf = (
  pool: Mempool,
  clock: VirtualClock,
  verifier: RequestVerifier = inlineVerifier(dev),
  onAdded: (transaction: Transaction) => void = () => {},
): NodeControlHandlers["pool"] =>
  poolControl({
    pool,
    intake: new Intake(pool, new Preverifier(verifier), clock),
    network: dev,
    clock,
    onAdded,
    diskFault: () => false,
  });

function make() {
  const node = new DevNode();
  const pool = new Mempool(node.chain, node.clock, {
    maxTransactions: 5_000,
    maxBytes: 2 ** 24,
    maxAgeMs: 5_400_000,
    blacklist: [],
    allowTransfersTo: [],
  });
  const transfer = (sender = rootKeyPair, attachment = new Uint8Array(0), fee = LTO): Transaction =>
    buildTransaction({
      type: 4,
      sender,
      fee,
      timestamp: node.clock.now(),
      chainId,
      members: { recipient: addressOf(alice.publicKey, chainId), amount: 1n, attachment },
    });
  return { node, pool, transfer, control: controlOf(pool, node.clock) };
}

test("a refusal as plain data has the texts for clients", async () => {
  const { pool, transfer, control } = make();
  const poor = transfer(alice);
  const refusal = pool.add(poor);
  if (refusal.ok) throw new Error("not refused");
  const outcome = await control.broadcast(encodeTransaction(poor));
  if (outcome.ok) throw new Error("not refused");
  expect(structuredClone(outcome.error)).toEqual(outcome.error);
  expect(controlFailure(outcome.error, () => poor)).toEqual(refusalFailure(refusal.error));
  expect(refusalFailure(refusal.error).body).toHaveProperty("tx");
  // A refusal before the state check has no state.
  const cheap = await control.broadcast(encodeTransaction(transfer(rootKeyPair, undefined, 1n)));
  expect(cheap).toMatchObject({ ok: false, error: { kind: "refused", state: undefined } });
});

test("a transaction without a binary form is refused by the rules", async () => {
  const { transfer, control } = make();
  const json = parseJson(printJson(transactionJson(transfer()))) as JsonObject;
  json.delete("sender");
  json.set("senderPublicKey", encodeBase58(rootKeyPair.publicKey.subarray(1)));
  const request = transactionFromRequest(json, { network: dev });
  if (!request.ok) throw new Error("no transaction");
  const sent = encodeTransaction(request.value.transaction);
  expect(sent.form).toBe("json");
  const outcome = await control.broadcast(sent);
  if (outcome.ok) throw new Error("not refused");
  expect(controlFailure(outcome.error).status).toBe(400);
});

test("invalid bytes are refused with the protocol's text", async () => {
  const { control } = make();
  const outcome = await control.broadcast({ form: "binary", bytes: Uint8Array.of(99) });
  expect(outcome).toMatchObject({ ok: false, error: { kind: "no-transaction" } });
  if (!outcome.ok)
    expect(controlFailure(outcome.error).body).toEqual({
      error: 199,
      message: "Unknown transaction type (old encoding): 99",
    });
});

test("the pool is returned in pages, each transaction once", async () => {
  const { pool, transfer, control } = make();
  for (let i = 0; i < 1_100; i++)
    expect(pool.add(transfer(rootKeyPair, Uint8Array.of(i, i >> 8)))).toEqual({
      ok: true,
      value: { added: true },
    });
  const seen: string[] = [];
  const pages: number[] = [];
  for (let after: Uint8Array | undefined, more = true; more; more = after !== undefined) {
    const page = await control.page(after);
    pages.push(page.ends.length);
    expect(page.bytes.buffer.byteLength).toBe(page.ends.at(-1));
    for (const [i, end] of page.ends.entries()) {
      const transaction = parseTransaction(page.bytes.slice(page.ends[i - 1] ?? 0, end), dev);
      seen.push(Buffer.from(transactionId(transaction)).toString("hex"));
    }
    after = page.next;
  }
  expect(pages).toEqual([500, 500, 100]);
  expect(new Set(seen).size).toBe(1_100);
});

/** The same transaction with an invalid signature. */
function spoilt(transaction: Transaction): Transaction {
  const [proof] = transaction.proofs;
  const bad = Uint8Array.from(proof);
  bad[0] ^= 1;
  return copyTransaction(transaction, { proofs: [bad] });
}

test("signatures are checked only after room, sender and fee", async () => {
  const { node, transfer } = make();
  const options = { maxBytes: 2 ** 24, maxAgeMs: 5_400_000, allowTransfersTo: [] };
  const sender = addressOf(rootKeyPair.publicKey, chainId);
  const control = (maxTransactions: number, blacklist: readonly Uint8Array[]) =>
    controlOf(new Mempool(node.chain, node.clock, { ...options, maxTransactions, blacklist }), node.clock);
  const checks = watchSignatureChecks();
  try {
    const refused = async (asked: ReturnType<typeof control>, transaction: Transaction) => {
      const outcome = await asked.broadcast(encodeTransaction(transaction));
      return outcome.ok || outcome.error.kind !== "refused" ? undefined : outcome.error.error;
    };
    const cheap = spoilt(transfer(rootKeyPair, undefined, 1n));
    // In the protocol's order, whatever else is wrong.
    expect((await refused(control(0, [sender]), cheap))?.args).toEqual([
      "Transaction pool size limit is reached",
    ]);
    expect((await refused(control(1, [sender]), cheap))?.kind).toBe("SenderIsBlacklisted");
    expect((await refused(control(1, []), cheap))?.kind).toBe("InsufficientFee");
    expect(checks).not.toHaveBeenCalled();
    expect((await refused(control(1, []), spoilt(transfer())))?.args[0]).toMatch(/Proof doesn't validate/);
    expect(checks).toHaveBeenCalledTimes(1);
  } finally {
    checks.mockRestore();
  }
});

test("a signature is checked once from the request to the block", async () => {
  const node = new DevNode();
  const control = controlOf(node.pool, node.clock);
  node.forger.start();
  node.clock.advance(10_000);
  const members = {
    recipient: addressOf(alice.publicKey, chainId),
    amount: 1n,
    attachment: new Uint8Array(0),
  };
  const transaction = buildTransaction({
    type: 4,
    sender: rootKeyPair,
    fee: LTO,
    timestamp: node.clock.now(),
    chainId,
    members,
  });
  const checks = watchSignatureChecks();
  try {
    const sent = encodeTransaction(transaction);
    expect(await control.broadcast(sent)).toEqual({ ok: true, value: { added: true } });
    // Sent again, it is judged again, but its signature is known.
    expect(await control.broadcast(sent)).toEqual({ ok: true, value: { added: false } });
    node.clock.advance(200);
    expect(node.chain.tip.transactionCount).toBe(1);
    expect(node.pool.size).toBe(0);
    expect(checks).toHaveBeenCalledTimes(1);
    // Nor if the block leaves the chain again.
    node.forger.stop();
    node.chain.removeAfter(genesisBlock(dev).signature, { returnTransactions: true });
    expect(allOf(node.pool).map(transactionId)).toEqual([transactionId(transaction)]);
    expect(checks).toHaveBeenCalledTimes(1);
  } finally {
    checks.mockRestore();
  }
});

test("concurrent requests are judged separately, in their order", async () => {
  const { node, pool, transfer, control } = make();
  const good = [transfer(), transfer(rootKeyPair, Uint8Array.of(1)), transfer(rootKeyPair, Uint8Array.of(2))];
  const asked = [good[0], spoilt(good[1]), good[0], transfer(alice), good[2]];
  const outcomes = await Promise.all(asked.map((one) => control.broadcast(encodeTransaction(one))));
  expect(outcomes.map((outcome) => (outcome.ok ? outcome.value.added : outcome.error.kind))).toEqual([
    true,
    "refused",
    false,
    "refused",
    true,
  ]);
  expect(pool.size).toBe(2);
  expect(node.pool.size).toBe(0);
});

test("too many requests get their own error", async () => {
  const { node, pool, transfer } = make();
  const full = { ...inlineVerifier(dev), verifyTransactions: () => Promise.reject(new VerifierBusyError()) };
  const outcome = await controlOf(pool, node.clock, full).broadcast(encodeTransaction(transfer()));
  expect(outcome).toEqual({ ok: false, error: { kind: "busy" } });
  if (!outcome.ok) expect(controlFailure(outcome.error).status).toBe(503);
});

test("failing checkers neither refuse nor admit a transaction", async () => {
  const { node, pool, transfer } = make();
  const failing = {
    ...inlineVerifier(dev),
    verifyTransactions: () => Promise.reject(new CheckerError("no memory")),
  };
  const control = controlOf(pool, node.clock, failing);
  expect(await control.broadcast(encodeTransaction(transfer()))).toEqual({
    ok: true,
    value: { added: true },
  });
  const forged = copyTransaction(transfer(), { proofs: [new Uint8Array(64)] });
  expect(await control.broadcast(encodeTransaction(forged))).toMatchObject({
    ok: false,
    error: { kind: "refused" },
  });
  expect(pool.size).toBe(1);
});

test("a request that waits too long is not judged", async () => {
  const { node, pool, transfer, control } = make();
  const sent = encodeTransaction(transfer());
  const asked = control.broadcast(sent, node.clock.now() + 1_000);
  node.clock.jump(node.clock.now() + 1_000);
  const outcome = await asked;
  expect(outcome).toEqual({ ok: false, error: { kind: "late" } });
  if (!outcome.ok) expect(controlFailure(outcome.error).status).toBe(503);
  expect(pool.size).toBe(0);
});

test("many checked transactions are judged in slices", async () => {
  const { node, pool, transfer } = make();
  const sizes: number[] = [];
  const addChecked = pool.addChecked.bind(pool);
  pool.addChecked = (transactions) => {
    sizes.push(transactions.length);
    // Longer than a slice.
    node.clock.jump(node.clock.now() + 60);
    setImmediate(() => sizes.push(0));
    return addChecked(transactions);
  };
  const control = controlOf(pool, node.clock);
  const sent = Array.from({ length: 40 }, (_, i) =>
    encodeTransaction(transfer(rootKeyPair, Uint8Array.of(i))),
  );
  await Promise.all(sent.map((one) => control.broadcast(one)));
  expect(pool.size).toBe(40);
  expect(sizes.slice(0, 5)).toEqual([16, 0, 16, 0, 8]);
});

test("only admitted transactions are announced, once", async () => {
  const { node, pool, transfer } = make();
  const told: Transaction[] = [];
  const control = controlOf(pool, node.clock, inlineVerifier(dev), (transaction) => told.push(transaction));
  const one = transfer();
  for (const sent of [one, one, spoilt(transfer(rootKeyPair, Uint8Array.of(1)))])
    await control.broadcast(encodeTransaction(sent));
  expect(told.map(transactionId)).toEqual([transactionId(one)]);
});

test("a failure for one transaction does not affect its batch", async () => {
  const { node, pool, transfer } = make();
  const [one, bad, other] = [1, 2, 3].map((n) => transfer(rootKeyPair, Uint8Array.of(n)));
  const addChecked = pool.addChecked.bind(pool);
  pool.addChecked = (transactions) => {
    if (transactions.includes(bad)) throw new Error("a fault");
    return addChecked(transactions);
  };
  const intake = new Intake(pool, new Preverifier(inlineVerifier(dev)), node.clock);
  const offered = await Promise.allSettled([one, bad, other].map((each) => intake.offer("a peer", each)));
  expect(offered.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(pool.size).toBe(2);
});

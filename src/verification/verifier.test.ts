import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { announcementMessage, signAnnouncement } from "../blocks/announcement.ts";
import { blockBytes, buildBlock } from "../blocks/block.ts";
import { type MicroBlock, microBlockBytes } from "../blocks/micro-block.ts";
import { parseMicroBlock } from "../blocks/testing/micro-blocks.ts";
import { addressOf } from "../crypto/addresses.ts";
import type { KeyPair } from "../crypto/signatures.ts";
import { verifyProofOnce } from "../ledger/verdicts.ts";
import { dev } from "../profiles/index.ts";
import { buildTransaction } from "../testing/build-transaction.ts";
import { DevNode, keyPairOf, RecordingLog, rootKeyPair } from "../testing/dev-node.ts";
import { watchSignatureChecks } from "../testing/signature-checks.ts";
import {
  copyTransaction,
  parseTransaction,
  type Transaction,
  transactionBytes,
  transactionId,
} from "../transactions/index.ts";
import { type BatchChecker, CheckerError, ThreadChecker } from "./batch-checker.ts";
import { inlineChecker } from "./testing/inline-checker.ts";
import { inlineVerifier } from "./testing/inline-verifier.ts";
import { VerificationBatch } from "./verification-batch.ts";
import { defaultVerifierLimits, QueueVerifier, VerifierBusyError, type VerifierLimits } from "./verifier.ts";

const { chainId } = dev;
const [alice, bob] = [keyPairOf("alice"), keyPairOf("bob")];
const checks = watchSignatureChecks();
beforeEach(() => {
  checks.mockClear();
});
afterAll(() => {
  checks.mockRestore();
});

let lastAmount = 0n;

/** An unchecked transfer, parsed from its bytes. */
function transfer(sender: KeyPair = alice, sponsor?: KeyPair, version = 3): Transaction {
  const made = buildTransaction({
    type: 4,
    version,
    sender,
    sponsor,
    fee: 100_000_000n,
    timestamp: 1,
    chainId,
    members: {
      recipient: addressOf(rootKeyPair.publicKey, chainId),
      amount: ++lastAmount,
      attachment: new Uint8Array(0),
    },
  });
  return parseTransaction(transactionBytes(made), dev);
}

/** As above, with a broken first signature. */
function spoilt(transaction: Transaction): Transaction {
  const [first, ...rest] = transaction.proofs;
  const bad = Uint8Array.from(first);
  bad[0] ^= 1;
  return parseTransaction(transactionBytes(copyTransaction(transaction, { proofs: [bad, ...rest] })), dev);
}

function senderVerdict(transaction: Transaction): boolean {
  return verifyProofOnce(transaction, 0, transaction.sender);
}

/** A checker that checks its batches when the test says so. */
class HeldChecker implements BatchChecker {
  readonly #inline = inlineChecker(dev);
  readonly scriptRunner = this.#inline.scriptRunner;
  readonly held: { readonly batch: VerificationBatch; finish(): void; fail(error: Error): void }[] = [];
  readonly lanes: number[] = [];

  check(batch: VerificationBatch, lane: number): Promise<void> {
    this.lanes.push(lane);
    return new Promise((resolve, reject) => {
      const finish = () => this.#inline.check(batch, lane).then(resolve, reject);
      this.held.push({ batch, finish, fail: reject });
    });
  }
  assist(): boolean {
    return true;
  }
  schedule(task: () => void): void {
    queueMicrotask(task);
  }
  async close(): Promise<void> {}
}

/** Runs all pending promise callbacks. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

function held(limits: Partial<VerifierLimits> = {}) {
  const checker = new HeldChecker();
  const verifier = new QueueVerifier(checker, dev, { ...defaultVerifierLimits, ...limits });
  const answered: string[] = [];
  const ask = (source: string, name: string, transactions: readonly Transaction[] = [transfer()]): void => {
    verifier.verifyTransactions(source, transactions).then(
      () => answered.push(name),
      (error: Error) => answered.push(`${name}: ${error.name}`),
    );
  };
  return { checker, verifier, answered, ask };
}

describe("the results of checks", () => {
  test("are remembered with transactions of any form, and not computed again", async () => {
    const verifier = inlineVerifier(dev);
    const old = transfer(bob, undefined, 2);
    const sponsored = transfer(alice, bob);
    const all = [transfer(), spoilt(transfer()), old, sponsored];
    await verifier.verifyTransactions("api", all);
    // A bad signature is checked once; the sponsor's is found at its usual position.
    expect(checks).toHaveBeenCalledTimes(5);
    expect(all.map(senderVerdict)).toEqual([true, false, true, true]);
    if (sponsored.sponsor === undefined) throw new Error("it has a sponsor");
    expect(verifyProofOnce(sponsored, 1, sponsored.sponsor)).toBe(true);
    await verifier.verifyTransactions("api", all);
    expect(checks).toHaveBeenCalledTimes(5);
    for (const transaction of all)
      expect(transactionId(transaction)).toEqual(
        transactionId(parseTransaction(transactionBytes(transaction), dev)),
      );
  });

  test("belong to the transaction, not to leniently parsed bytes", async () => {
    // Extra bytes may follow the proofs: with these the transaction ends like a common one with another signature.
    const plain = transfer();
    const bytes = transactionBytes(plain);
    const tail = Uint8Array.of(0, 1, 0, 1, 0, 64, ...new Uint8Array(64).fill(9));
    const mixed = new Uint8Array(bytes.length + tail.length);
    mixed.set(bytes);
    mixed.set(tail, bytes.length);
    const lenient = parseTransaction(mixed, dev);
    await inlineVerifier(dev).verifyTransactions("api", [lenient]);
    expect(checks).toHaveBeenCalledTimes(1);
    expect(senderVerdict(lenient)).toBe(true);
    expect(checks).toHaveBeenCalledTimes(1);
    expect(transactionId(lenient)).toEqual(transactionId(plain));
  });

  test("of blocks and micro blocks tell whether their generators signed them", async () => {
    const node = new DevNode();
    node.forger.start();
    node.clock.advance(10_000);
    node.pool.add(
      buildTransaction({
        type: 4,
        sender: rootKeyPair,
        fee: 100_000_000n,
        timestamp: node.clock.now(),
        chainId,
        members: {
          recipient: addressOf(alice.publicKey, chainId),
          amount: 1n,
          attachment: new Uint8Array(0),
        },
      }),
    );
    node.clock.advance(200);
    const [block] = node.blocks;
    const micro = parseMicroBlock(microBlockBytes(node.microBlocks[0]), dev);
    const forged = buildBlock({ ...block, timestamp: block.timestamp + 1n }, rootKeyPair);
    const verifier = inlineVerifier(dev);
    const signed = await verifier.verifySignatures("a peer", [
      blockBytes(block),
      microBlockBytes(micro),
      blockBytes({ ...forged, signature: block.signature }),
      microBlockBytes({ ...micro, totalSignature: block.signature }),
    ]);
    expect(signed).toEqual([true, true, false, false]);
    expect(await verifier.verifySignatures("a peer", [])).toEqual([]);
  });

  test("of announcements do not cover their key: neither kind passes for the other", async () => {
    const node = new DevNode({ accounts: [] });
    const block = blockBytes(node.chain.forging.liquidBlock());
    const micro = {
      reference: new Uint8Array(64).fill(1),
      totalSignature: new Uint8Array(64).fill(2),
    } as MicroBlock;
    const good = signAnnouncement(micro, rootKeyPair, chainId);
    const bad = { ...good, totalSignature: good.reference };
    const verifier = inlineVerifier(dev);
    const [messages, blocks] = await Promise.all([
      verifier.verifyMessages("a peer", [
        announcementMessage(good, chainId),
        announcementMessage(bad, chainId),
        announcementMessage(good, chainId + 1),
        announcementMessage({ ...good, generator: alice.publicKey }, chainId),
        block,
      ]),
      // The same batch has both kinds.
      verifier.verifySignatures("another peer", [announcementMessage(good, chainId), block]),
    ]);
    expect(messages).toEqual([true, false, false, false, false]);
    expect(blocks[0]).toBe(false);
  });

  test("are right for more items than a batch holds, and for one larger than a batch", async () => {
    const verifier = inlineVerifier(dev);
    const many = Array.from({ length: 600 }, () => transfer());
    const large = blockBytes(
      buildBlock(
        {
          version: 3,
          timestamp: 1n,
          reference: new Uint8Array(64),
          baseTarget: 1n,
          generationSignature: new Uint8Array(32),
          features: [],
          feeVote: 0,
          transactions: Array.from({ length: 2_000 }, () => many[0]),
        },
        rootKeyPair,
      ),
    );
    expect(large.length).toBeGreaterThan(256 * 1024);
    const [, signed] = await Promise.all([
      verifier.verifyTransactions("api", many),
      verifier.verifySignatures("a peer", [large, large]),
    ]);
    expect(signed).toEqual([true, true]);
    expect(checks).toHaveBeenCalledTimes(602);
    expect(many.every(senderVerdict)).toBe(true);
    expect(checks).toHaveBeenCalledTimes(602);
  });
});

describe("sources", () => {
  test("requests of one turn become one batch, and later ones the next", async () => {
    const { checker, ask, answered } = held();
    for (const name of ["a", "b", "c"]) ask("api", name);
    await settled();
    expect(checker.held.map(({ batch }) => batch.transactionCount)).toEqual([3]);
    for (const name of ["d", "e"]) ask("api", name);
    await settled();
    for (const name of ["f", "g", "h"]) ask("api", name);
    await settled();
    expect(checker.held.map(({ batch }) => batch.transactionCount)).toEqual([3, 2]);
    checker.held[0].finish();
    await settled();
    expect(answered).toEqual(["a", "b", "c"]);
    // The memory of the first batch.
    expect(checker.held[2].batch.memory).toBe(checker.held[0].batch.memory);
    expect(checker.held[2].batch.transactionCount).toBe(3);
  });

  test("take turns: a large request does not delay a small one", async () => {
    const { checker, ask, answered } = held();
    ask(
      "a busy peer",
      "much",
      Array.from({ length: 1_500 }, () => transfer()),
    );
    await settled();
    ask("another", "little");
    ask("api", "one");
    ask("api", "two");
    for (let finished = 0; finished < 3; finished++) {
      await settled();
      checker.held[finished].finish();
    }
    await settled();
    // Two batches were running before they came: they are in the third.
    expect(answered).toEqual(["little", "one", "two"]);
    while (answered.length < 4) {
      for (const { finish } of checker.held.splice(0)) finish();
      await settled();
    }
    expect(answered.at(-1)).toBe("much");
  });

  test("are answered in order, independently of each other", async () => {
    const { checker, ask, answered } = held();
    ask("a", "a1");
    await settled();
    ask("a", "a2");
    ask("b", "b1");
    await settled();
    checker.held[1].finish();
    await settled();
    expect(answered).toEqual(["b1"]);
    checker.held[0].finish();
    await settled();
    expect(answered).toEqual(["b1", "a1", "a2"]);
  });

  test("have limits in items and in bytes, each and together", async () => {
    const size = transactionBytes(transfer()).length;
    const { checker, ask, answered } = held({
      itemsOfSource: 3,
      bytesOfSource: 100 * size,
      items: 4,
      bytes: 4 * size + 10,
    });
    for (const name of ["a1", "a2", "a3", "a4"]) ask("a", name);
    await settled();
    expect(answered).toEqual(["a4: VerifierBusyError"]);
    ask("b", "b1");
    ask("b", "b2");
    await settled();
    expect(answered.slice(1)).toEqual(["b2: VerifierBusyError"]);
    for (const { finish } of checker.held.splice(0)) finish();
    await settled();
    ask("b", "b3");
    await settled();
    for (const { finish } of checker.held.splice(0)) finish();
    await settled();
    expect(answered.slice(2)).toEqual(["a1", "a2", "a3", "b1", "b3"]);
    const narrow = held({ bytesOfSource: size });
    await expect(narrow.verifier.verifyTransactions("a", [transfer(), transfer()])).rejects.toThrow(
      VerifierBusyError,
    );
  });

  test("streams have lanes of their own", async () => {
    const { checker, verifier, ask } = held();
    const [one, two] = [verifier.stream(), verifier.stream()];
    const room = { bytes: 1_000, blocks: 1, transactions: 4 };
    void one.check(VerificationBatch.create(room));
    void two.check(VerificationBatch.create(room));
    ask("api", "a");
    await settled();
    expect(new Set(checker.lanes).size).toBe(3);
  });
});

describe("a batch that fails", () => {
  test("rejects only its own requests, and later ones use other memory", async () => {
    const { checker, ask, answered } = held();
    ask("a", "a1");
    ask("b", "b1");
    await settled();
    ask("a", "a2");
    await settled();
    const [first, second] = checker.held.splice(0);
    second.finish();
    first.fail(new CheckerError("gone"));
    await settled();
    expect(answered.sort()).toEqual(["a1: CheckerError", "a2", "b1: CheckerError"]);
    ask("a", "a3");
    await settled();
    expect(checker.held[0].batch.memory).not.toBe(first.batch.memory);
    checker.held[0].finish();
    await settled();
    expect(answered.at(-1)).toBe("a3");
  });

  test("rejects a request that only began in it", async () => {
    const { checker, ask, answered } = held();
    ask(
      "a",
      "much",
      Array.from({ length: 2_000 }, () => transfer()),
    );
    ask("a", "next");
    await settled();
    checker.held[0].fail(new CheckerError("gone"));
    await settled();
    expect(answered).toEqual(["much: CheckerError"]);
    for (const { finish } of checker.held.splice(1)) finish();
    await settled();
    expect(answered).toEqual(["much: CheckerError", "next"]);
    expect(checker.held).toHaveLength(1);
  });

  test("closing rejects waiting requests", async () => {
    const { verifier, ask, answered } = held();
    for (const name of ["a", "b", "c"]) ask(name, name);
    await settled();
    ask("d", "d");
    await verifier.close();
    await settled();
    expect(answered).toEqual(["a", "b", "c", "d"].map((name) => `${name}: CheckerError`));
  });
});

describe("threads that fail", () => {
  const checkers: ThreadChecker[] = [];
  afterEach(async () => {
    for (const checker of checkers.splice(0)) await checker.close();
  });

  /** Threads that run a script with `control`, the control words of their batch: word 3 is its number. */
  function threads(text: string) {
    const script = new URL(
      `data:text/javascript,${encodeURIComponent(`
        import { parentPort } from "node:worker_threads";
        parentPort.on("message", (memory) => {
          const control = new Int32Array(memory);
          ${text}
        });`)}`,
    );
    const log = new RecordingLog();
    const checker = new ThreadChecker(dev, 2, { script, log });
    checkers.push(checker);
    return { log, checker, verifier: new QueueVerifier(checker, dev) };
  }

  test("reject their work, are logged and replaced", async () => {
    const { log, verifier } = threads(
      "if (control[3] === 2) process.exit(7); parentPort.postMessage(control[3]);",
    );
    await verifier.verifyTransactions("api", [transfer()]);
    const transaction = transfer();
    await expect(verifier.verifyTransactions("api", [transaction])).rejects.toThrow(
      "Verification thread ended with code 7",
    );
    expect(log.lines.map(({ level, message }) => [level, message])).toEqual([
      ["error", "A verification thread failed: starting new ones"],
    ]);
    await verifier.verifyTransactions("api", [transfer()]);
    // These threads gave no result, and the transaction is not rejected for it.
    expect(senderVerdict(transaction)).toBe(true);
  });

  test("reject their work with the error that they throw", async () => {
    const { verifier } = threads("throw new TypeError('a bug');");
    const failure = verifier.verifyTransactions("api", [transfer()]);
    await expect(failure).rejects.toThrow(CheckerError);
    await expect(failure).rejects.toThrow("a bug");
  });

  test("are not started again if nothing was checked before", async () => {
    const { log, verifier } = threads("process.exit(1);");
    await expect(verifier.verifyTransactions("api", [transfer()])).rejects.toThrow(CheckerError);
    await expect(verifier.verifyTransactions("api", [transfer()])).rejects.toThrow(CheckerError);
    expect(log.lines).toHaveLength(1);
    expect(log.lines[0].message).toBe("Verification threads cannot run");
  });

  test("check nothing after closing", async () => {
    const { log, checker, verifier } = threads("");
    const waiting = verifier.verifyTransactions("api", [transfer()]);
    waiting.catch(() => {});
    await settled();
    await checker.close();
    await expect(waiting).rejects.toThrow(CheckerError);
    await expect(verifier.verifyTransactions("api", [transfer()])).rejects.toThrow(CheckerError);
    expect(log.lines).toEqual([]);
  });
});

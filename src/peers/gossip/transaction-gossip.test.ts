import { describe, expect, test } from "vitest";
import { atOnce } from "../../chain/testing/at-once.ts";
import { addressOf } from "../../crypto/addresses.ts";
import { failed, ok } from "../../errors/result.ts";
import { Refusal } from "../../ledger/refusal.ts";
import { buildTransaction } from "../../testing/build-transaction.ts";
import { keyPairOf, rootKeyPair } from "../../testing/dev-node.ts";
import { watchSignatureChecks } from "../../testing/signature-checks.ts";
import { copyTransaction, type Transaction, transactionBytes } from "../../transactions/index.ts";
import { LiveWorld, type LiveWorldOptions, LTO, settled } from "../testing/live-world.ts";
import type { ScriptedPeer } from "../testing/scripted-network.ts";
import type { Message } from "../wire/messages.ts";
import type { TransactionIntake } from "./transaction-gossip.ts";

const says = (transaction: Transaction): Message<"Transaction"> => ({
  type: "Transaction",
  bytes: transactionBytes(transaction),
});
const spoilt = (transaction: Transaction, proof = 0): Transaction =>
  copyTransaction(transaction, { proofs: [new Uint8Array(64).fill(proof)] });
const poor = keyPairOf("poor");

function open(options: LiveWorldOptions = {}) {
  const world = new LiveWorld(options);
  world.forged();
  const [a, b, c] = [1, 2, 3].map(() => world.network.connect());
  return { world, pool: world.node.pool, a, b, c };
}

/** An intake that the test watches and answers for. */
class WatchedIntake implements TransactionIntake {
  readonly sources: string[] = [];
  answer: (transaction: Transaction) => Promise<{ added: boolean } | Refusal | "busy" | "late"> =
    async () => ({ added: true });
  async offer(source: string, transaction: Transaction): ReturnType<TransactionIntake["offer"]> {
    this.sources.push(source);
    const outcome = await this.answer(transaction);
    return typeof outcome === "string" || outcome instanceof Refusal ? failed(outcome) : ok(outcome);
  }
  /** Returns the number of turns of each peer since the last call. */
  turns(peers: readonly ScriptedPeer[]): number[] {
    const taken = this.sources.splice(0);
    return peers.map(({ label }) => taken.filter((source) => source === label).length);
  }
}

describe("a transaction", () => {
  test("that is new goes to the pool and once to all peers that have not sent it", async () => {
    const { world, pool, a, b, c } = open();
    const one = world.transfer();
    await a.says(says(one));
    await world.pass(50);
    await b.says(says(one));
    expect(pool.size).toBe(0);
    await world.pass(50);
    expect(pool.size).toBe(1);
    expect([a.take(), b.take(), c.take()]).toEqual([[], [], [says(one)]]);
    await c.says(says(one));
    await world.pass(20_000);
    await c.says(says(one));
    await world.pass(200);
    expect([...a.take(), ...b.take(), ...c.take()]).toEqual([]);
  });

  test("credits its first sender once when it comes to the chain", async () => {
    const { world, pool, a, b, c } = open();
    const { chain } = world.node;
    const [one, two] = [world.transfer(), world.transfer()];
    for (const peer of [a, b, c]) await peer.says(says(one));
    await b.says(says(world.transfer(poor)));
    await c.says(says(two));
    await world.pass(200);
    const credits = () => [a, b, c].map((peer) => peer.credits);
    expect([pool.size, ...credits()]).toEqual([2, [], [], []]);
    c.leaves();
    const before = chain.tip.id;
    expect(atOnce(chain.accept(world.block({ transactions: [one, two] }))).ok).toBe(true);
    expect(credits()).toEqual([["transaction"], [], []]);
    chain.removeAfter(before, { returnTransactions: true });
    await world.pass(10_000);
    await b.says(says(one));
    await world.pass(200);
    expect(atOnce(chain.accept(world.block({ transactions: [one] }))).ok).toBe(true);
    expect(credits()).toEqual([["transaction"], [], []]);
  });

  test("waits for its batch only until that is full", async () => {
    const { world, pool, a } = open();
    for (let i = 0; i < 500; i++) await a.says(says(world.transfer()));
    await world.pass(0);
    expect(pool.size).toBe(500);
  });

  test("that is malformed gets all its senders banned", async () => {
    const { world, a, b, c } = open();
    const bytes = Uint8Array.from(transactionBytes(world.transfer()));
    bytes[0] = 99;
    await a.says({ type: "Transaction", bytes });
    await b.says({ type: "Transaction", bytes });
    await world.pass(100);
    await c.says({ type: "Transaction", bytes });
    await world.pass(100);
    const parting = {
      kind: "blacklisted",
      reason: "Invalid message. Unknown transaction type (old encoding): 99",
    };
    expect([a.parting, b.parting, c.parting]).toEqual([parting, parting, parting]);
  });

  test("that the state refuses is not passed on and causes no ban", async () => {
    const { world, pool, a, b } = open();
    for (const bad of [world.transfer(poor), spoilt(world.transfer()), world.transfer(rootKeyPair, 1n)])
      await a.says(says(bad));
    await world.pass(200);
    expect(pool.size).toBe(0);
    expect(a.parting).toBeUndefined();
    expect(b.take()).toEqual([]);
  });

  test("is not kept out by copies with other proofs, and is not checked again for them", async () => {
    const { world, pool, a, b, c } = open();
    const one = world.transfer();
    await a.says(says(spoilt(one)));
    await world.pass(100);
    await b.says(says(one));
    await world.pass(100);
    expect(pool.size).toBe(1);
    expect(c.take()).toEqual([says(one)]);
    const checks = watchSignatureChecks();
    try {
      for (let i = 1; i < 5; i++) await a.says(says(spoilt(one, i)));
      await world.pass(100);
      expect(checks).not.toHaveBeenCalled();
    } finally {
      checks.mockRestore();
    }
  });

  test("that was refused is checked again after ten seconds, but not before", async () => {
    const intake = new WatchedIntake();
    const { world, a, b } = open({ live: { intake } });
    intake.answer = async () => new Refusal("GenericError", ["no"]);
    const one = world.transfer();
    for (const peer of [a, b, a]) {
      await peer.says(says(one));
      await world.pass(100);
    }
    expect(intake.turns([a, b])).toEqual([1, 0]);
    await world.pass(10_000);
    await b.says(says(one));
    await world.pass(100);
    expect(intake.turns([a, b])).toEqual([0, 1]);
  });

  test("that was not checked, or came from disconnected peers, is checked when it comes again", async () => {
    const intake = new WatchedIntake();
    const { world, a, b, c } = open({ live: { intake } });
    intake.answer = async () => "busy";
    const [one, two] = [world.transfer(), world.transfer()];
    await a.says(says(one));
    await world.pass(100);
    intake.answer = async () => ({ added: true });
    await a.says(says(two));
    a.leaves();
    await world.pass(100);
    expect(intake.turns([a])).toEqual([1]);
    for (const transaction of [one, two]) await b.says(says(transaction));
    await world.pass(100);
    expect(c.take()).toEqual([says(one), says(two)]);
  });

  test("that causes a fault of the node counts as invalid and does not affect others", async () => {
    const intake = new WatchedIntake();
    const { world, a, b } = open({ live: { intake } });
    const [one, bad, other] = [world.transfer(), world.transfer(), world.transfer()];
    intake.answer = async (transaction) => {
      if (
        transaction.timestamp === bad.timestamp &&
        Buffer.compare(transactionBytes(transaction), transactionBytes(bad)) === 0
      )
        throw new Error("a fault");
      return { added: true };
    };
    for (const transaction of [one, bad, other]) await a.says(says(transaction));
    await world.pass(100);
    expect(b.take()).toEqual([says(one), says(other)]);
    await a.says(says(world.transfer()));
    await world.pass(100);
    expect(b.take()).toHaveLength(1);
    expect(world.node.log.lines.filter(({ level }) => level === "error")).toHaveLength(1);
  });

  test("whose check never ends does not stop all gossip", async () => {
    const intake = new WatchedIntake();
    const { world, a, b } = open({ live: { intake } });
    intake.answer = () => new Promise(() => {});
    await a.says(says(world.transfer()));
    await world.pass(100);
    intake.answer = async () => ({ added: true });
    await a.says(says(world.transfer()));
    await world.pass(29_000);
    expect(b.take()).toEqual([]);
    await world.pass(2_000);
    expect(b.take()).toHaveLength(1);
    expect(world.node.log.lines.filter(({ level }) => level === "error")).toHaveLength(1);
    await a.says(says(world.transfer()));
    await world.pass(100);
    expect(b.take()).toHaveLength(1);
  });

  test("is dropped while the chain is old, and accepted after a micro block", async () => {
    const { world, pool, a } = open({ live: { maxChainAgeMs: 60_000 } });
    await a.says(says(world.transfer()));
    await world.pass(100);
    expect(pool.size).toBe(1);
    await world.pass(60_000);
    await a.says(says(world.transfer()));
    await world.pass(100);
    expect(pool.size).toBe(1);
    const { micro } = world.micro(world.node.chain.forging.liquidBlock());
    expect(atOnce(world.node.chain.acceptMicroBlock(micro)).ok).toBe(true);
    await a.says(says(world.transfer()));
    await world.pass(100);
    expect(pool.size).toBe(2);
  });

  test("of our own client goes to all peers", () => {
    const { world, a, b } = open();
    const one = world.transfer();
    world.live.transactionAdded(one);
    expect([a.take(), b.take()]).toEqual([[says(one)], [says(one)]]);
  });

  test("that returns from a reverted block is not sent again", async () => {
    const { world, pool, a } = open();
    const before = world.node.chain.tip.id;
    const block = world.block({ transactions: [world.transfer()] });
    expect(atOnce(world.node.chain.accept(block)).ok).toBe(true);
    world.node.chain.removeAfter(before, { returnTransactions: true });
    await world.pass(200);
    expect(pool.size).toBe(1);
    expect(a.take()).toEqual([]);
  });
});

describe("a flood", () => {
  test("is read no faster than it is checked, and its queue ends with its connection", async () => {
    const intake = new WatchedIntake();
    const { world, a } = open({ live: { intake } });
    let judge = (): void => {};
    intake.answer = () => new Promise((resolve) => (judge = () => resolve({ added: true })));
    let open_ = 0;
    const send = async (): Promise<void> => {
      open_++;
      await a.says(says(world.transfer()));
      open_--;
    };
    for (let i = 0; i < 999; i++) void send();
    await settled();
    expect(open_).toBe(0);
    for (let i = 0; i < 501; i++) void send();
    await world.pass(0);
    // 500 are being checked, 1,000 are queued.
    expect(intake.turns([a])).toEqual([500]);
    void send();
    await settled();
    expect(open_).toBeGreaterThan(0);
    judge();
    a.leaves();
    await world.pass(5_000);
    expect(open_).toBe(0);
    expect(intake.turns([a])).toEqual([0]);
  });

  test("of one peer leaves turns to the others", async () => {
    const intake = new WatchedIntake();
    const { world, a, b, c } = open({ live: { intake } });
    for (let i = 0; i < 900; i++) void a.says(says(world.transfer()));
    for (let i = 0; i < 20; i++) void b.says(says(world.transfer()));
    void c.says(says(world.transfer()));
    await world.node.clock.step();
    expect(intake.turns([a, b, c])).toEqual([479, 20, 1]);
  });

  test("of refused transactions is handled after all others, and may come back", async () => {
    const intake = new WatchedIntake();
    const { world, a, b } = open({ live: { intake } });
    intake.answer = async ({ fee }) => (fee === LTO ? { added: true } : new Refusal("GenericError", ["no"]));
    const bad = (): Transaction => world.transfer(poor, 2n * LTO);
    for (let i = 0; i < 40; i++) void a.says(says(bad()));
    await world.pass(100);
    intake.turns([a]);
    for (let i = 0; i < 900; i++) {
      void a.says(says(bad()));
      void b.says(says(world.transfer()));
    }
    world.node.clock.step();
    expect(intake.turns([a, b])).toEqual([50, 450]);
    await world.pass(100_000);
    expect(intake.turns([a, b])).toEqual([850, 450]);
    for (let i = 0; i < 500; i++) {
      void a.says(says(world.transfer()));
      await world.pass(10);
    }
    intake.turns([a]);
    for (let i = 0; i < 500; i++) void a.says(says(world.transfer()));
    world.node.clock.step();
    expect(intake.turns([a])).toEqual([500]);
    expect(a.parting).toBeUndefined();
  });

  test("of duplicates costs no checks and displaces nothing new", async () => {
    const intake = new WatchedIntake();
    const { world, a, b } = open({ live: { intake } });
    const one = world.transfer();
    for (let i = 0; i < 800; i++) void a.says(says(one));
    for (let i = 0; i < 499; i++) void b.says(says(world.transfer()));
    world.node.clock.step();
    expect(intake.turns([a, b])).toEqual([1, 499]);
  });

  test("into a full pool costs nothing and is no peer's fault", async () => {
    const { world, pool, a } = open({ settings: { pool: { maxTransactions: 1 } } });
    await a.says(says(world.transfer()));
    await world.pass(100);
    const checks = watchSignatureChecks();
    try {
      for (let i = 0; i < 100; i++) await a.says(says(world.transfer()));
      await world.pass(100);
      expect(checks).not.toHaveBeenCalled();
    } finally {
      checks.mockRestore();
    }
    expect(pool.size).toBe(1);
  });
});

test("a hundred transactions that spend the same money give credit for the one that comes to the chain", async () => {
  const { world, a, pool } = open();
  const { chain, clock } = world.node;
  const alice = keyPairOf("alice");
  const funding = buildTransaction({
    type: 4,
    sender: rootKeyPair,
    fee: LTO,
    timestamp: clock.now(),
    chainId: world.chainId,
    members: {
      recipient: addressOf(alice.publicKey, world.chainId),
      amount: 2n * LTO,
      attachment: new Uint8Array(0),
    },
  });
  expect(atOnce(chain.acceptMicroBlock(world.micro(chain.forging.liquidBlock(), [funding]).micro)).ok).toBe(
    true,
  );
  const conflicting = Array.from({ length: 100 }, () => world.transfer(alice));
  for (const transaction of conflicting) await a.says(says(transaction));
  await world.pass(1_000);
  expect(pool.size).toBe(100);
  expect(a.credits).toEqual([]);
  // The account can pay one fee.
  const { micro, total } = world.micro(chain.forging.liquidBlock(), [conflicting[0]]);
  expect(atOnce(chain.acceptMicroBlock(micro)).ok).toBe(true);
  expect(atOnce(chain.acceptMicroBlock(world.micro(total, [conflicting[1]]).micro)).ok).toBe(false);
  expect(a.credits).toEqual(["transaction"]);
});

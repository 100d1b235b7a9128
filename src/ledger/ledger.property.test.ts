/** Properties of every chain: no token is created or lost, and a refusal leaves no trace. Page 05 §9.4. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Transaction } from "../transactions/index.ts";
import { applyTransaction } from "./apply.ts";
import { appendKeyBlock, appendMicroBlock } from "./block.ts";
import { eraAt, type LedgerRules } from "./era.ts";
import { persistBlock } from "./persist.ts";
import { Refusal } from "./refusal.ts";
import { MemoryLedger } from "./testing/memory-ledger.ts";
import {
  SCENARIO_CHAIN_ID,
  ScenarioWorld,
  scenarioFunctionality,
  type TransactionSpec,
  UnbuildableTransaction,
} from "./testing/scenario-world.ts";

const T0 = 1_640_995_200_000;
const BLOCK_TIME = 60_000;
const SUPPLY = 100_000_000_000_000n;
const people = ["alice", "bob", "carol", "dave"] as const;

/** Covers all features, fee schedules, releases and votes within a few blocks. */
const features = { 4: 3, 10: 0, 11: 0, 12: 5, 13: 7, 14: 7, 15: 9, 16: 10, 17: 10 };
const settings = {
  featureCheckBlocksPeriod: 4,
  blocksForFeatureActivation: 2,
  feeVoteBlocksPeriod: 2,
  blocksForFeeChange: 1,
  miningReward: "30000000",
  miningRewardBonus: "1000",
  miningRewardBonusPeriod: 5,
  leaseUnbondingPeriod: 2,
  burnAddresses: ["dave"],
};

const person = fc.constantFrom(...people);
const amount = fc.oneof(
  fc.constantFrom("1", "100000000", "3000000000000"),
  fc.bigInt({ min: 1n, max: 12_000_000_000_000n }).map(String),
);
/** Usually enough in every schedule; sometimes not. */
const fee = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom("600000000", "500000007", "2000000000") },
  { weight: 1, arbitrary: fc.constantFrom("100000", "999999", "10000003", "35000000", "100000000") },
);
const version = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(1, 3) },
  { weight: 1, arbitrary: fc.constantFrom(2, 4) },
);

type Draft = Omit<TransactionSpec, "ref" | "timestamp" | "proofs">;

const draft: fc.Arbitrary<Draft> = fc.oneof(
  fc.record({ type: fc.constant("transfer"), version, sender: person, recipient: person, amount, fee }),
  fc.record({ type: fc.constant("lease"), version, sender: person, recipient: person, amount, fee }),
  fc.record({
    type: fc.constant("cancelLease"),
    version,
    sender: person,
    // Selects one of the leases accepted so far.
    leaseId: fc.nat({ max: 99 }).map(String),
    fee,
  }),
  fc.record({
    type: fc.constant("massTransfer"),
    version,
    sender: person,
    transfers: fc.array(fc.record({ recipient: person, amount }), { maxLength: 3 }),
    fee,
  }),
  fc.record({ type: fc.constant("sponsorship"), version, sender: person, recipient: person, fee }),
  fc.record({ type: fc.constant("cancelSponsorship"), version, sender: person, recipient: person, fee }),
  fc.record({
    type: fc.constantFrom("burn"),
    version: fc.constant(3),
    sender: person,
    sponsor: fc.option(person, { nil: undefined }),
    amount,
    fee,
  }),
  fc.record({
    type: fc.constant("anchor"),
    version,
    sender: person,
    anchors: fc.constant(["00".repeat(32)]),
    fee,
  }),
  fc.record({
    type: fc.constantFrom("issueAssociation", "revokeAssociation"),
    version,
    sender: person,
    recipient: person,
    assocType: fc.constant("7"),
    fee,
  }),
  fc.record({
    type: fc.constant("setScript"),
    version,
    sender: person,
    script: fc.constantFrom("TRUE", null),
    fee,
  }),
  fc.record({
    type: fc.constant("data"),
    version,
    sender: person,
    data: fc.constant([{ key: "k", type: "boolean" as const, value: true }]),
    fee,
  }),
);

interface Round {
  readonly miner: string;
  readonly feeVote: number;
  readonly votes: readonly number[];
  readonly key: readonly Draft[];
  readonly micros: readonly (readonly Draft[])[];
}

const round: fc.Arbitrary<Round> = fc.record({
  miner: person,
  feeVote: fc.constantFrom(-1, 0, 1),
  votes: fc.constantFrom([], [40], [40, 41]),
  key: fc.array(draft, { maxLength: 2 }),
  micros: fc.array(fc.array(draft, { maxLength: 4 }), { maxLength: 3 }),
});

/** A growing chain with transactions that anyone could send. */
class Chain {
  readonly ledger = new MemoryLedger();
  readonly world = new ScenarioWorld({}, {});
  readonly rules: LedgerRules = {
    chainId: SCENARIO_CHAIN_ID,
    functionality: scenarioFunctionality(this.world, features, settings),
    maxTransactionsInMicroBlock: 255,
  };
  #made = 0;
  readonly #leases: { readonly ref: string; readonly sender: string | undefined }[] = [];
  /** Types of the accepted transactions. */
  readonly accepted: number[] = [];
  refused = 0;

  constructor() {
    const grants = people.map((recipient) =>
      this.build({ type: "genesis", recipient, amount: String(SUPPLY / 4n) }),
    );
    const applied = appendKeyBlock(this.ledger, this.block("alice", 1, grants as Transaction[]), this.rules);
    expect(applied).not.toBeInstanceOf(Refusal);
  }

  block(miner: string, height: number, transactions: readonly Transaction[], round?: Round) {
    return {
      timestamp: BigInt(T0 + (height - 1) * BLOCK_TIME),
      generator: this.world.address(miner),
      features: round?.votes ?? [],
      feeVote: round?.feeVote ?? 0,
      transactions,
    };
  }

  build(draft: Draft): Transaction | undefined {
    const height = this.ledger.height + 1;
    const spec: TransactionSpec = {
      ...draft,
      ...(draft.type === "cancelLease" ? this.#leaseToCancel(draft) : {}),
      ref: `t${this.#made}`,
      timestamp: T0 + height * BLOCK_TIME + this.#made++,
      proofs: draft.sponsor === undefined ? ["garbage"] : ["garbage", "garbage"],
    };
    try {
      const transaction = this.world.transaction(spec);
      if (draft.type === "lease") this.#leases.push({ ref: spec.ref, sender: spec.sender });
      return transaction;
    } catch (error) {
      if (error instanceof UnbuildableTransaction) return undefined;
      throw error;
    }
  }

  /** Picks the lease to cancel. The sender is usually its lender, sometimes another account. */
  #leaseToCancel({ leaseId, sender }: Draft): Partial<Draft> {
    const lease = this.#leases[Number(leaseId) % this.#leases.length];
    if (lease === undefined) return { leaseId: "none" };
    return { leaseId: lease.ref, sender: Number(leaseId) < 80 ? lease.sender : sender };
  }

  /** Returns the drafts that the state accepts in sequence; leaves the ledger unchanged. */
  acceptable(drafts: readonly Draft[], height: number): Transaction[] {
    const start = this.ledger.save();
    const accepted: Transaction[] = [];
    const timestamp = BigInt(T0 + (height - 1) * BLOCK_TIME);
    const context = {
      era: eraAt(this.ledger, this.rules, height),
      blockTimestamp: timestamp,
      parentTimestamp: timestamp - BigInt(BLOCK_TIME),
      verdicts: () => true,
    };
    for (const draft of drafts) {
      const transaction = this.build(draft);
      if (transaction === undefined) continue;
      const before = this.ledger.save();
      if (applyTransaction(this.ledger, transaction, context) instanceof Refusal) {
        expect(this.ledger.save()).toEqual(before);
        this.refused++;
      } else {
        accepted.push(transaction);
        this.accepted.push(transaction.type);
      }
    }
    this.ledger.restore(start);
    return accepted;
  }

  /** Appends a key block and its micro blocks. If the key block is refused, an empty one is appended. */
  play(round: Round): void {
    const { ledger, rules } = this;
    const height = ledger.height + 1;
    const options = { verdicts: () => true };
    const key = this.acceptable(round.key, height);
    const start = ledger.save();
    if (
      appendKeyBlock(ledger, this.block(round.miner, height, key, round), rules, options) instanceof Refusal
    ) {
      // The drafts were tried on the parent's state, without the reward. The reward helps balances, but a lower fee
      // price or a lease of the generator can cause a refusal.
      ledger.restore(start);
      const empty = appendKeyBlock(ledger, this.block(round.miner, height, [], round), rules, options);
      expect(empty).not.toBeInstanceOf(Refusal);
    }
    this.check();
    for (const drafts of round.micros) {
      const transactions = this.acceptable(drafts, height);
      if (transactions.length === 0) continue;
      expect(appendMicroBlock(ledger, transactions, rules, options)).not.toBeInstanceOf(Refusal);
      this.check();
    }
  }

  check(): void {
    const { ledger } = this;
    const totals = ledger.blockTotals(ledger.height);
    let balances = 0n;
    let leasedIn = 0n;
    let leasedOut = 0n;
    for (const address of ledger.addresses()) {
      const account = ledger.account(address);
      expect(account.balance).toBeGreaterThanOrEqual(account.leaseOut);
      balances += account.balance;
      leasedIn += account.leaseIn;
      leasedOut += account.leaseOut;
    }
    expect(balances + (totals?.burned ?? 0n) + (totals?.closing ?? 0n)).toBe(SUPPLY);
    expect(totals?.burned).toBeGreaterThanOrEqual(0n);
    expect(leasedIn).toBe(leasedOut);
  }
}

test("no token is created or lost, and a refused transaction leaves no trace", () => {
  const accepted = new Map<number, number>();
  let refused = 0;
  fc.assert(
    fc.property(fc.array(round, { minLength: 6, maxLength: 14 }), (rounds) => {
      const chain = new Chain();
      for (const each of rounds) chain.play(each);
      for (const type of chain.accepted) accepted.set(type, (accepted.get(type) ?? 0) + 1);
      refused += chain.refused;
    }),
    { seed: 905, numRuns: 80 },
  );
  // Both sides of the property must occur.
  for (const type of [4, 8, 9, 11, 12, 13, 15, 16, 17, 18, 19, 21]) {
    expect(accepted.get(type) ?? 0, `type ${type}`).toBeGreaterThan(2);
  }
  expect(refused).toBeGreaterThan(500);
});

test("a key block and a micro block have the same effect with the same transactions", () => {
  let accepted = 0;
  fc.assert(
    fc.property(fc.array(draft, { minLength: 1, maxLength: 6 }), (drafts) => {
      const chain = new Chain();
      const { ledger, rules } = chain;
      for (let height = 2; height <= 10; height++) {
        appendKeyBlock(ledger, chain.block("bob", height, []), rules);
      }
      persistBlock(ledger, rules);
      const transactions = chain.acceptable(drafts, 11);
      accepted += transactions.length;
      const options = { verdicts: () => true };
      const start = ledger.save();
      appendKeyBlock(ledger, chain.block("carol", 11, transactions), rules, options);
      const whole = ledger.save();
      ledger.restore(start);
      appendKeyBlock(ledger, chain.block("carol", 11, []), rules, options);
      for (const transaction of transactions) appendMicroBlock(ledger, [transaction], rules, options);
      expect(ledger.save()).toEqual(whole);
    }),
    { seed: 906, numRuns: 40 },
  );
  expect(accepted).toBeGreaterThan(40);
});

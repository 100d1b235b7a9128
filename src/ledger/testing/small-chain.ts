/** A small chain in memory for tests of single rules: named accounts, all features active, all signatures valid. */
import { expect } from "vitest";
import type { Transaction } from "../../transactions/index.ts";
import { type AppliedTransaction, appendKeyBlock, appendMicroBlock } from "../block.ts";
import type { LedgerRules } from "../era.ts";
import { Refusal } from "../refusal.ts";
import { MemoryLedger } from "./memory-ledger.ts";
import {
  SCENARIO_CHAIN_ID,
  ScenarioWorld,
  type SettingsSpec,
  scenarioFunctionality,
  type TransactionSpec,
} from "./scenario-world.ts";

const FIRST_TIMESTAMP = 1_640_995_200_000;
const BLOCK_TIME = 60_000;

const everyFeature = { 1: 0, 4: 0, 10: 0, 11: 0, 12: 0, 13: 0, 14: 0, 15: 0, 16: 0, 17: 0 };

const defaults: SettingsSpec = {
  featureCheckBlocksPeriod: 1000,
  blocksForFeatureActivation: 900,
  feeVoteBlocksPeriod: 1000,
  blocksForFeeChange: 600,
  miningReward: "0",
  miningRewardBonus: "0",
  miningRewardBonusPeriod: 0,
  leaseUnbondingPeriod: 10,
  burnAddresses: [],
};

/** A transaction of alice; missing members get valid values. */
export type Draft = Partial<TransactionSpec> & { readonly type: string };

export interface SmallChainOptions {
  readonly features?: Readonly<Record<string, number>>;
  readonly settings?: SettingsSpec;
  readonly maxTransactionsInMicroBlock?: number;
  /** Genesis balances; by default alice has 10,000,000 tokens. */
  readonly balances?: Readonly<Record<string, string>>;
}

export class SmallChain {
  readonly ledger = new MemoryLedger();
  readonly world = new ScenarioWorld({}, {});
  readonly rules: LedgerRules;
  #made = 0;

  constructor(options: SmallChainOptions = {}) {
    this.rules = {
      chainId: SCENARIO_CHAIN_ID,
      functionality: scenarioFunctionality(this.world, options.features ?? everyFeature, {
        ...defaults,
        ...options.settings,
      }),
      maxTransactionsInMicroBlock: options.maxTransactionsInMicroBlock ?? 255,
    };
    const balances = options.balances ?? { alice: "1000000000000000" };
    this.key(
      "miner",
      Object.entries(balances).map(([recipient, amount]) => ({ type: "genesis", recipient, amount })),
    );
  }

  timeOf(height: number): number {
    return FIRST_TIMESTAMP + (height - 1) * BLOCK_TIME;
  }

  /** Builds a transaction, dated like the next block by default. */
  transaction(draft: Draft): Transaction {
    const ref = draft.ref ?? `#${this.#made}`;
    const timestamp = draft.timestamp ?? this.timeOf(this.ledger.height + 1) + this.#made;
    this.#made++;
    if (draft.type === "genesis") return this.world.transaction({ ...draft, ref, timestamp });
    const proofs = draft.sponsor === undefined ? ["garbage"] : ["garbage", "garbage"];
    return this.world.transaction({
      version: 3,
      sender: "alice",
      fee: "2000000000",
      proofs,
      ...draft,
      ref,
      timestamp,
    });
  }

  /** Appends a key block, which must be accepted. It is liquid. */
  key(miner: string, drafts: readonly Draft[] = [], feeVote = 0): readonly AppliedTransaction[] {
    return accepted(
      this.tryKey(
        miner,
        drafts.map((draft) => this.transaction(draft)),
        feeVote,
      ),
    );
  }

  tryKey(
    miner: string,
    transactions: readonly Transaction[],
    feeVote = 0,
  ): readonly AppliedTransaction[] | Refusal {
    return appendKeyBlock(
      this.ledger,
      {
        timestamp: BigInt(this.timeOf(this.ledger.height + 1)),
        generator: this.world.address(miner),
        features: [],
        feeVote,
        transactions,
      },
      this.rules,
      { verdicts: () => true },
    );
  }

  /** Appends a micro block, which must be accepted. */
  micro(drafts: readonly Draft[]): readonly AppliedTransaction[] {
    return accepted(this.tryMicro(drafts.map((draft) => this.transaction(draft))));
  }

  tryMicro(transactions: readonly Transaction[]): readonly AppliedTransaction[] | Refusal {
    return appendMicroBlock(this.ledger, transactions, this.rules, { verdicts: () => true });
  }

  balance(name: string): bigint {
    return this.ledger.account(this.world.address(name)).balance;
  }
}

function accepted(result: readonly AppliedTransaction[] | Refusal): readonly AppliedTransaction[] {
  if (result instanceof Refusal) expect.fail(`refused: ${result.kind} ${result.args.join(", ")}`);
  return result;
}

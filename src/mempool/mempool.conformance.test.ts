/** The scenarios of the pool. Page 05 §24, §29. */

import { describe, expect, test } from "vitest";
import { expectKnown, hasVectors, loadVectors } from "../../test/vectors.ts";
import { failed } from "../errors/result.ts";
import { MAX_BLOCK_SIZE, MAX_SCRIPT_RUNS } from "../ledger/limits.ts";
import { errorMessage } from "../ledger/refusal.ts";
import {
  type CertificateSpec,
  type SettingsSpec,
  type TransactionSpec,
  UnbuildableTransaction,
} from "../ledger/testing/scenario-world.ts";
import { FIRST_TIMESTAMP, ownSettings, ScenarioChain, type ScenarioHead } from "../testing/scenario-chain.ts";
import { type Transaction, transactionId } from "../transactions/index.ts";
import { Mempool } from "./mempool.ts";
import { allOf } from "./testing/all-of.ts";

interface PoolSettings {
  readonly maxSize: number;
  readonly maxTransactionAgeMs: number;
  readonly blacklistSenderAddresses: readonly string[];
  readonly allowBlacklistedTransferTo: readonly string[];
}

interface Step {
  readonly put?: TransactionSpec;
  readonly result?:
    | "ok"
    | { readonly added: boolean }
    | { readonly error: { readonly kind: string; readonly message: string } };
  readonly now?: number;
  readonly keyBlock?: {
    readonly miner?: string;
    readonly timestamp?: number;
    readonly txs: readonly TransactionSpec[];
  };
  readonly removeAll?: readonly string[];
  readonly size?: number;
  readonly all?: readonly string[];
  readonly pack?: { readonly maxTransactions: number; readonly sortInBlock?: boolean };
  readonly packed?: readonly string[];
  readonly portfolio?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

interface Scenario extends Omit<ScenarioHead, "settings"> {
  readonly name: string;
  readonly settings: PoolSettings;
  readonly now: number;
  readonly steps: readonly Step[];
}

interface Vectors {
  readonly defaultSettings: SettingsSpec;
  readonly certificates: Readonly<Record<string, CertificateSpec>>;
  readonly utxScenarios: readonly Scenario[];
}

const stepMembers = [
  "put",
  "result",
  "now",
  "keyBlock",
  "removeAll",
  "size",
  "all",
  "pack",
  "packed",
  "portfolio",
];
const settingMembers = [
  "maxSize",
  "maxTransactionAgeMs",
  "blacklistSenderAddresses",
  "allowBlacklistedTransferTo",
];

class PoolRun {
  private readonly world: ScenarioChain;
  private readonly pool: Mempool;
  private blocks = 0;
  private last = "genesis";

  constructor(scenario: Scenario, vectors: Vectors) {
    const { settings, ...head } = scenario;
    expectKnown(Object.keys(settings), settingMembers, "settings");
    this.world = new ScenarioChain(head, vectors.defaultSettings, vectors.certificates);
    const { chain, clock, world } = this.world;
    clock.jump(scenario.now);
    this.pool = new Mempool(chain, clock, {
      maxTransactions: settings.maxSize,
      maxBytes: 64 * 2 ** 20,
      maxAgeMs: settings.maxTransactionAgeMs,
      blacklist: settings.blacklistSenderAddresses.map((name) => world.address(name)),
      allowTransfersTo: settings.allowBlacklistedTransferTo.map((name) => world.address(name)),
    });
    chain.onChange((change) => this.pool.applyChange(change), "follower");
  }

  perform(step: Step): void {
    expectKnown(Object.keys(step), stepMembers, "step");
    const { world, clock, chain } = this.world;
    if (step.put !== undefined) this.put(step.put, step.result);
    else if (step.now !== undefined) clock.jump(step.now);
    else if (step.keyBlock !== undefined) {
      expectKnown(Object.keys(step.keyBlock), ["miner", "timestamp", "txs"], "keyBlock");
      expect(step.result).toBe("ok");
      const id = `block ${++this.blocks}`;
      const block = this.world.block({ ...step.keyBlock, id, parent: this.last });
      if (block instanceof UnbuildableTransaction) throw block;
      const result = chain.process(block);
      if (!result.ok) throw new Error(result.error.printed);
      this.last = id;
    } else if (step.removeAll !== undefined) this.pool.remove(step.removeAll.map((ref) => world.id(ref)));
    else if (step.all !== undefined) expect(this.refs(allOf(this.pool))).toEqual(step.all);
    else if (step.pack !== undefined) {
      expectKnown(Object.keys(step.pack), ["maxTransactions", "sortInBlock"], "pack");
      const { transactions } = this.pool.pack({
        capacity: { size: MAX_BLOCK_SIZE, scripts: MAX_SCRIPT_RUNS, transactions: step.pack.maxTransactions },
      });
      // No node needs this order in a block (page 05 §24.4): the chosen transactions are the same.
      const inOrder = (refs: readonly string[]) => (step.pack?.sortInBlock ? [...refs].sort() : refs);
      expect(inOrder(this.refs(transactions))).toEqual(inOrder(step.packed ?? []));
    } else if (step.portfolio !== undefined) {
      for (const [name, expected] of Object.entries(step.portfolio)) this.checkPortfolio(name, expected);
    } else if (step.size === undefined) throw new Error("a step that does nothing");
    if (step.size !== undefined) expect(this.pool.size).toBe(step.size);
  }

  private put(spec: TransactionSpec, expected: Step["result"]): void {
    const { world } = this.world;
    const built = world.transactions([spec]);
    // A transaction that breaks a static rule never reaches the pool.
    const outcome = built instanceof UnbuildableTransaction ? failed(built.error) : this.pool.add(built[0]);
    if (typeof expected !== "object") throw new Error("a transaction without a result");
    if ("error" in expected) {
      if (outcome.ok) throw new Error(`not refused: expected ${expected.error.message}`);
      const { error } = outcome;
      expect(error.kind).toBe(expected.error.kind);
      expect(`${errorMessage(error)} ${error.args.join(" ")}`).toContain(
        world.fillIn(expected.error.message),
      );
    } else {
      if (!outcome.ok) throw new Error(`refused: ${errorMessage(outcome.error)}`);
      expect(outcome.value.added).toBe(expected.added);
    }
  }

  private checkPortfolio(name: string, expected: Readonly<Record<string, string>>): void {
    const address = this.world.world.address(name);
    const own = this.world.chain.ledger((ledger) => ledger.account(address));
    const effect = this.pool.effect(address);
    const actual: Readonly<Record<string, bigint>> = {
      regular: own.balance + effect.balance,
      leaseIn: own.leaseIn + effect.leaseIn,
      leaseOut: own.leaseOut + effect.leaseOut,
      unbonding: own.unbonding + effect.unbonding,
    };
    for (const [member, value] of Object.entries(expected)) expect(String(actual[member])).toBe(value);
  }

  private refs(transactions: readonly Transaction[]): string[] {
    return transactions.map((transaction) => this.world.world.ref(transactionId(transaction)));
  }
}

const FILE = "state-scenarios.json";

describe.skipIf(!hasVectors(FILE))("scenarios of the pool", () => {
  const vectors = loadVectors<Vectors>(FILE);
  const scenarios = vectors.utxScenarios ?? [];
  test.skipIf(vectors.utxScenarios === undefined)("there are scenarios", () => {
    expect(scenarios.length).toBeGreaterThan(0);
  });
  for (const scenario of scenarios) {
    test(scenario.name, () => {
      const members = ["name", "source", "note", "features", "settings", "genesis", "now", "steps"];
      expectKnown(Object.keys(scenario), members, "scenario");
      expect(scenario.now).toBeGreaterThanOrEqual(FIRST_TIMESTAMP);
      const run = new PoolRun(scenario, vectors);
      for (const step of scenario.steps) run.perform(step);
    });
  }
});

test("rejects a transaction that breaks a static rule, with the rule's text", () => {
  const now = FIRST_TIMESTAMP + 60_000;
  const put: TransactionSpec = {
    ref: "x",
    type: "transfer",
    version: 3,
    sender: "alice",
    recipient: "bob",
    amount: "0",
    fee: "100000000",
    timestamp: now,
    proofs: ["alice"],
  };
  const scenario: Scenario = {
    name: "own",
    features: { 4: 0, 10: 0, 11: 0, 13: 0, 14: 0, 16: 0, 17: 0, 12: 0, 15: 0 },
    settings: {
      maxSize: 10,
      maxTransactionAgeMs: 5_400_000,
      blacklistSenderAddresses: [],
      allowBlacklistedTransferTo: [],
    },
    genesis: { alice: "100000000000" },
    now,
    steps: [],
  };
  const run = new PoolRun(scenario, { defaultSettings: ownSettings, certificates: {}, utxScenarios: [] });
  const message = "negative amount: 0 of lto";
  run.perform({ put, result: { error: { kind: "NegativeAmount", message } }, size: 0 });
  expect(() => run.perform({ put, result: { added: true } })).toThrow(`refused: ${message}`);
  run.perform({ put: { ...put, amount: "1" }, result: { added: true }, size: 1 });
});

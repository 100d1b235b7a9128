/** The scenarios of the liquid layer: every block, micro block, rejection and removal. Page 05 §23, §29. */

import { describe, expect, test } from "vitest";
import { expectKnown, hasVectors, loadVectors } from "../../test/vectors.ts";
import { encodeBase58 } from "../bytes/base58.ts";
import { errorMessage } from "../ledger/refusal.ts";
import { compareWith, type Expectation } from "../ledger/testing/scenario-expect.ts";
import {
  type CertificateSpec,
  type SettingsSpec,
  type TransactionSpec,
  UnbuildableTransaction,
} from "../ledger/testing/scenario-world.ts";
import { recordChanges, revertedBlocks, revertedTransactions } from "../testing/changes.ts";
import {
  type KeyBlockSpec,
  type MicroSpec,
  ownSettings,
  ScenarioChain,
  type ScenarioHead,
} from "../testing/scenario-chain.ts";
import { errorText, transactionId } from "../transactions/index.ts";
import type { ChainChange } from "./chain.ts";
import type { AppendResult } from "./deciding/block-refusal.ts";
import { atOnce } from "./testing/at-once.ts";

type Result =
  | "ok"
  | "ignored"
  | { readonly discarded: readonly string[] }
  | { readonly discardedBlocks: readonly string[] }
  | { readonly error: string };

interface Step {
  readonly keyBlock?: KeyBlockSpec;
  readonly micro?: MicroSpec;
  readonly removeAfter?: string;
  readonly result?: Result;
  readonly height?: number;
  readonly persistedHeight?: number;
  readonly expect?: Expectation;
  readonly addressTransactions?: { readonly address: string; readonly count: number; readonly from: number };
  readonly resultCount?: number;
}

interface Scenario extends ScenarioHead {
  readonly name: string;
  readonly steps: readonly Step[];
  readonly expect?: Expectation;
  readonly expectLastBlockTxs?: readonly string[];
}

interface Vectors {
  readonly defaultSettings: SettingsSpec;
  readonly certificates: Readonly<Record<string, CertificateSpec>>;
  readonly updaterScenarios: readonly Scenario[];
}

/**
 * Where a scenario of the file states a defect of the reference that page 05 §6.2 asks not to copy: the sponsor that
 * paid in a block which was removed is still reported for the second inclusion, which the sender paid for.
 */
const corrections: Readonly<Record<string, Expectation>> = {
  "removeAfter: state after dropping three blocks, then another branch": { effectiveSponsor: { b: null } },
};

/** The state as readers see it. */
function check(world: ScenarioChain, expectation: Expectation): void {
  const { chain } = world;
  world.read((reader) => {
    chain.ledger((stored) => {
      const ledger = Object.assign(stored, {
        transaction: (id: Uint8Array) => reader.transactions.byId(id),
        features: () => world.approvals(),
      });
      const addressTransactions = (address: Uint8Array): Uint8Array[] =>
        reader.transactions
          .ofAddress(address, { types: [], offset: 0, limit: 10_000 })
          .map(({ transaction }) => transactionId(transaction));
      const { expected, actual } = compareWith(
        { world: world.world, rules: chain.rules, ledger, addressTransactions },
        expectation,
      );
      expect(actual).toEqual(expected);
    });
  });
}

/** Processes a block or micro block. One with an unbuildable transaction is rejected for that. */
function take<T>(
  built: T | UnbuildableTransaction,
  append: (block: T) => AppendResult,
):
  | AppendResult
  | { readonly ok: false; readonly error: { readonly printed: string; readonly text: string } } {
  if (!(built instanceof UnbuildableTransaction)) return append(built);
  return { ok: false, error: { printed: errorText(built.error), text: errorMessage(built.error) } };
}

function checkAppended(
  world: ScenarioChain,
  result: ReturnType<typeof take>,
  change: ChainChange | undefined,
  expected: Result,
): void {
  if (typeof expected === "object" && "error" in expected) {
    if (result.ok) throw new Error(`not refused: expected ${expected.error}`);
    const text = expected.error.replace(/\$\{block:([^}]*)\}/g, (_, name: string) =>
      encodeBase58(world.id(name)),
    );
    expect(`${result.error.printed} ${result.error.text}`).toContain(world.world.fillIn(text));
    return;
  }
  if (!result.ok) throw new Error(`refused: ${result.error.printed}`);
  expect(result.value).toBe(expected === "ignored" ? "ignored" : "appended");
  const wanted = typeof expected === "object" && "discarded" in expected ? expected.discarded : [];
  // The scenarios also list transactions that left the chain and returned in the same step. That makes no difference.
  const { reverted, committed } = change ?? { reverted: [], committed: [] };
  const came = committed.flatMap(({ transactions }) => transactions.map(({ id }) => world.world.ref(id)));
  const refs = revertedTransactions({ reverted, committed })
    .map(transactionId)
    .map((id) => world.world.ref(id));
  expect(refs).toEqual(wanted.filter((ref) => !came.includes(ref)));
}

const stepMembers = [
  "keyBlock",
  "micro",
  "removeAfter",
  "result",
  "height",
  "persistedHeight",
  "expect",
  "addressTransactions",
  "resultCount",
];
const blockMembers = [
  "id",
  "parent",
  "miner",
  "baseTarget",
  "timestamp",
  "txs",
  "featureVotes",
  "feeVote",
  "badSignature",
];
const microMembers = ["id", "prev", "miner", "txs", "badSignature", "badTotalSignature"];

function play(scenario: Scenario, defaults: Omit<Vectors, "updaterScenarios">): void {
  const members = ["name", "source", "note", "features", "settings", "genesis", "steps"];
  const ends = ["expect", "referenceExpect", "expectLastBlockTxs", "accounts"];
  expectKnown(Object.keys(scenario), [...members, ...ends], "scenario");
  const world = new ScenarioChain(scenario, defaults.defaultSettings, defaults.certificates);
  const changes = recordChanges(world.chain);
  for (const step of scenario.steps) {
    expectKnown(Object.keys(step), stepMembers, "step");
    perform(world, step, changes);
  }
  if (scenario.expect !== undefined) check(world, { ...scenario.expect, ...corrections[scenario.name] });
  if (scenario.expectLastBlockTxs !== undefined) {
    const last = world.chain.forging.liquidBlock();
    const refs = last.transactions.map((transaction) => world.world.ref(transactionId(transaction)));
    expect(refs).toEqual(scenario.expectLastBlockTxs);
  }
}

function perform(world: ScenarioChain, step: Step, changes: ChainChange[]): void {
  const { chain } = world;
  changes.length = 0;
  const { result } = step;
  if (step.keyBlock !== undefined) {
    expectKnown(Object.keys(step.keyBlock), blockMembers, "keyBlock");
    if (result === undefined) throw new Error("a key block without a result");
    const taken = take(world.block(step.keyBlock), (block) => chain.process(block));
    checkAppended(world, taken, changes[0], result);
  } else if (step.micro !== undefined) {
    expectKnown(Object.keys(step.micro), microMembers, "micro");
    if (result === undefined) throw new Error("a micro block without a result");
    const taken = take(world.micro(step.micro), (micro) => atOnce(chain.acceptMicroBlock(micro)));
    checkAppended(world, taken, changes[0], result);
  } else if (step.removeAfter !== undefined) {
    if (typeof result !== "object" || !("discardedBlocks" in result)) throw new Error("no discarded blocks");
    chain.removeAfter(world.id(step.removeAfter), { returnTransactions: false });
    const removed = changes.flatMap(revertedBlocks);
    expect(removed.map((id) => world.nameOf(id))).toEqual(result.discardedBlocks);
  } else if (step.addressTransactions !== undefined) {
    const { address, count, from } = step.addressTransactions;
    const list = (offset: number, limit: number): number =>
      world.read((reader) =>
        reader.transactions.ofAddress(world.world.address(address), { types: [], offset, limit }),
      ).length;
    const matches = list(0, 10_000);
    // The reference's pages are short while the liquid block holds matches; these are full.
    expect(list(from, count)).toBe(Math.min(count, matches - from));
    expect(list(from, count)).toBeGreaterThanOrEqual(step.resultCount ?? Number.POSITIVE_INFINITY);
  } else if (step.expect === undefined) throw new Error("a step that does nothing");
  if (step.height !== undefined) expect(chain.tip.height).toBe(step.height);
  if (step.persistedHeight !== undefined) expect(chain.tip.persistedHeight).toBe(step.persistedHeight);
  if (step.expect !== undefined) check(world, step.expect);
}

const FILE = "state-scenarios.json";

describe.skipIf(!hasVectors(FILE))("scenarios of the liquid layer", () => {
  const vectors = loadVectors<Vectors>(FILE);
  const scenarios = vectors.updaterScenarios ?? [];
  test.skipIf(vectors.updaterScenarios === undefined)("there are scenarios", () => {
    expect(scenarios.length).toBeGreaterThan(0);
  });
  for (const scenario of scenarios) {
    test(scenario.name, () => play(scenario, vectors));
  }
});

test("rejects a block whose transaction breaks a static rule, with the rule's text", () => {
  const transfer = (ref: string, amount: string): TransactionSpec => ({
    ref,
    type: "transfer",
    version: 1,
    sender: "alice",
    recipient: "bob",
    amount,
    fee: "100000000",
    timestamp: 1_640_995_200_000,
    proofs: ["alice"],
  });
  const steps: Step[] = [
    {
      keyBlock: { id: "B0", parent: "genesis", txs: [transfer("none", "0")] },
      result: { error: "NegativeAmount(0,lto)" },
    },
    { keyBlock: { id: "B0", parent: "genesis", txs: [transfer("one", "1")] }, result: "ok", height: 2 },
    {
      micro: { id: "m1", prev: "B0", txs: [transfer("two", "2"), { ...transfer("free", "2"), fee: "0" }] },
      result: { error: "insufficient fee" },
      height: 2,
    },
    { micro: { id: "m1", prev: "B0", txs: [transfer("two", "2")] }, result: "ok" },
  ];
  const scenario = { name: "own", features: {}, genesis: { alice: "1000000000000" }, steps };
  const ends = { expectLastBlockTxs: ["one", "two"] };
  play({ ...scenario, ...ends }, { defaultSettings: ownSettings, certificates: {} });
  // A scenario that expects no error does not occur.
  const hopeful = steps.map((step) => ({ ...step, result: "ok" as const }));
  expect(() =>
    play({ ...scenario, steps: hopeful }, { defaultSettings: ownSettings, certificates: {} }),
  ).toThrow("refused: NegativeAmount(0,lto)");
});

/** The scenarios of the liquid layer: every block, micro block, refusal and removal. Page 05 §23, §29. */
import { describe, expect, test } from "vitest";
import { expectKnown, hasVectors, loadVectors } from "../../test/vectors.ts";
import { encodeBase58 } from "../bytes/base58.ts";
import { compareWith, type Expectation } from "../ledger/testing/scenario-expect.ts";
import type { CertificateSpec, SettingsSpec } from "../ledger/testing/scenario-world.ts";
import {
  type KeyBlockSpec,
  type MicroSpec,
  ScenarioChain,
  type ScenarioHead,
} from "../testing/scenario-chain.ts";
import { transactionId } from "../transactions/index.ts";
import type { AppendResult } from "./chain.ts";

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

/** The state as the scenarios look at it: what readers see. */
function check(world: ScenarioChain, expectation: Expectation): void {
  const { chain } = world;
  world.read((reader) => {
    chain.ledger((stored) => {
      const ledger = Object.assign(stored, {
        transaction: (id: Uint8Array) => reader.transaction(id),
        features: () => reader.approvals(),
      });
      const addressTransactions = (address: Uint8Array): Uint8Array[] =>
        reader
          .addressTransactions(address, { types: [], offset: 0, limit: 10_000 })
          .map(({ transaction }) => transactionId(transaction));
      const { expected, actual } = compareWith(
        { world: world.world, rules: chain.rules, ledger, addressTransactions },
        expectation,
      );
      expect(actual).toEqual(expected);
    });
  });
}

function checkAppended(world: ScenarioChain, result: AppendResult, expected: Result): void {
  if (typeof expected === "object" && "error" in expected) {
    if (result.ok) throw new Error(`not refused: expected ${expected.error}`);
    const text = expected.error.replace(/\$\{block:([^}]*)\}/g, (_, name: string) =>
      encodeBase58(world.id(name)),
    );
    expect(`${result.refusal.printed} ${result.refusal.text}`).toContain(world.world.fillIn(text));
    return;
  }
  if (!result.ok) throw new Error(`refused: ${result.refusal.printed}`);
  expect(result.outcome).toBe(expected === "ignored" ? "ignored" : "appended");
  const refs = result.discarded.map((transaction) => world.world.ref(transactionId(transaction)));
  const wanted = typeof expected === "object" && "discarded" in expected ? expected.discarded : [];
  expect(refs).toEqual(wanted);
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

function perform(world: ScenarioChain, step: Step): void {
  const { chain } = world;
  const { result } = step;
  if (step.keyBlock !== undefined) {
    expectKnown(Object.keys(step.keyBlock), blockMembers, "keyBlock");
    if (result === undefined) throw new Error("a key block without a result");
    checkAppended(world, chain.process(world.block(step.keyBlock)), result);
  } else if (step.micro !== undefined) {
    expectKnown(Object.keys(step.micro), microMembers, "micro");
    if (result === undefined) throw new Error("a micro block without a result");
    checkAppended(world, chain.processMicroBlock(world.micro(step.micro)), result);
  } else if (step.removeAfter !== undefined) {
    if (typeof result !== "object" || !("discardedBlocks" in result)) throw new Error("no discarded blocks");
    const removed = chain.removeAfter(world.id(step.removeAfter), { returnTransactions: false });
    expect(removed.map(({ signature }) => world.nameOf(signature))).toEqual(result.discardedBlocks);
  } else if (step.addressTransactions !== undefined) {
    const { address, count, from } = step.addressTransactions;
    const list = (offset: number, limit: number): number =>
      world.read((reader) =>
        reader.addressTransactions(world.world.address(address), { types: [], offset, limit }),
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
    test(scenario.name, () => {
      const members = ["name", "source", "note", "features", "settings", "genesis", "steps"];
      const ends = ["expect", "referenceExpect", "expectLastBlockTxs", "accounts"];
      expectKnown(Object.keys(scenario), [...members, ...ends], "scenario");
      const world = new ScenarioChain(scenario, vectors.defaultSettings, vectors.certificates);
      for (const step of scenario.steps) {
        expectKnown(Object.keys(step), stepMembers, "step");
        perform(world, step);
      }
      if (scenario.expect !== undefined) check(world, { ...scenario.expect, ...corrections[scenario.name] });
      if (scenario.expectLastBlockTxs !== undefined) {
        const last = world.chain.liquidBlock();
        const refs = last.transactions.map((transaction) => world.world.ref(transactionId(transaction)));
        expect(refs).toEqual(scenario.expectLastBlockTxs);
      }
    });
  }
});

/** The state scenarios of the reference: every block, refusal and balance. Page 05 §29. */
import { describe, expect, test } from "vitest";
import { expectKnown, hasVectors, loadVectors } from "../../test/vectors.ts";
import { bytesEqual, bytesKey } from "../bytes/compare.ts";
import { WriteBatch, type WriteBatchSource } from "../storage/batch/write-batch.ts";
import { TableReader } from "../storage/kv.ts";
import { StoredLedger } from "../storage/ledger/ledger-state.ts";

import type { AssociationReader } from "./associations.ts";
import { type AppliedTransaction, appendKeyBlock } from "./block.ts";
import type { LedgerRules } from "./era.ts";
import { persistBlock } from "./persist.ts";
import { errorMessage, Refusal } from "./refusal.ts";
import { compareWith, type Expectation } from "./testing/scenario-expect.ts";
import {
  type AccountSpec,
  type CertificateSpec,
  SCENARIO_CHAIN_ID,
  ScenarioWorld,
  type SettingsSpec,
  scenarioFunctionality,
  type TransactionSpec,
  UnbuildableTransaction,
} from "./testing/scenario-world.ts";

interface BlockSpec {
  readonly height: number;
  readonly timestamp?: number;
  readonly miner: string;
  readonly txs: readonly TransactionSpec[];
  readonly feeVote?: number;
  readonly featureVotes?: readonly number[];
}

interface Step {
  readonly block?: BlockSpec;
  readonly blocks?: Omit<BlockSpec, "height"> & { readonly fromHeight: number; readonly toHeight: number };
  readonly rollbackTo?: number;
  readonly expect?: Expectation;
  readonly expectError?: { readonly kind: string; readonly message: string };
}

interface Scenario {
  readonly name: string;
  readonly accounts?: Readonly<Record<string, AccountSpec>>;
  readonly features: Readonly<Record<string, number>>;
  readonly settings?: SettingsSpec;
  readonly mode: string;
  readonly steps: readonly Step[];
  readonly expect: Expectation;
}

interface Vectors {
  readonly defaultSettings: SettingsSpec;
  readonly certificates: Readonly<Record<string, CertificateSpec>>;
  readonly scenarios: readonly Scenario[];
}

const FIRST_TIMESTAMP = 1_640_995_200_000;
const BLOCK_TIME = 60_000;

/** Types in a partial address index. Page 05 §22.2. */
const portfolioTypes: ReadonlySet<number> = new Set([1, 4, 8, 9, 11, 18, 19, 21]);

/** An empty store for a write batch whose journal undoes blocks. */
class NoStore extends TableReader implements WriteBatchSource {
  bytes(): undefined {
    return undefined;
  }
  find(): undefined {
    return undefined;
  }
  *scan(): Generator<never> {}
  *findEntries(): Generator<never> {}
  *findEntriesAscending(): Generator<never> {}

  countsOf(): ReadonlyMap<number, number> {
    return new Map();
  }
}

/** A chain of whole blocks, each persisted at once. */
class ScenarioChain {
  readonly rows = new WriteBatch(new NoStore());
  readonly blocks: (readonly AppliedTransaction[])[] = [];
  #stored = new StoredLedger(this.rows);

  constructor(
    readonly world: ScenarioWorld,
    readonly rules: LedgerRules,
  ) {}

  get ledger(): StoredLedger & AssociationReader {
    const transaction = (id: Uint8Array) => this.#find(id);
    return Object.assign(this.#stored, { transaction });
  }

  append(spec: BlockSpec): Refusal | UnbuildableTransaction | undefined {
    expectKnown(
      Object.keys(spec),
      ["height", "timestamp", "miner", "txs", "feeVote", "featureVotes"],
      "block",
    );
    expect(spec.height).toBe(this.#stored.height + 1);
    const transactions = this.world.transactions(spec.txs);
    if (transactions instanceof UnbuildableTransaction) return transactions;
    const unit = { height: spec.height, sequence: 0 };
    this.rows.beginUnit(unit);
    const applied = appendKeyBlock(
      this.#stored,
      {
        timestamp: BigInt(spec.timestamp ?? FIRST_TIMESTAMP + (spec.height - 1) * BLOCK_TIME),
        generator: this.world.address(spec.miner),
        features: spec.featureVotes ?? [],
        feeVote: spec.feeVote ?? 0,
        transactions,
      },
      this.rules,
    );
    if (applied instanceof Refusal) {
      this.rows.abandonUnit();
      this.#stored = new StoredLedger(this.rows);
      return applied;
    }
    persistBlock(this.#stored, this.rules);
    this.#stored.flush();
    this.rows.endUnit();
    this.blocks.push(applied);
    return undefined;
  }

  rollbackTo(height: number): void {
    while (this.blocks.length > height) {
      this.rows.undoUnit({ height: this.blocks.length, sequence: 0 });
      this.blocks.pop();
    }
    this.#stored = new StoredLedger(this.rows);
  }

  addressTransactions(address: Uint8Array, all: boolean): Uint8Array[] {
    const ids: Uint8Array[] = [];
    for (const block of [...this.blocks].reverse()) {
      const mine = block.filter(
        ({ transaction, addresses }) =>
          (all || portfolioTypes.has(transaction.type)) &&
          addresses.some((known) => bytesEqual(known, address)),
      );
      mine.sort((a, b) => Number(b.transaction.timestamp - a.transaction.timestamp));
      ids.push(...mine.map(({ id }) => id));
    }
    return ids;
  }

  #find(id: Uint8Array): ReturnType<AssociationReader["transaction"]> {
    for (let height = this.blocks.length; height > 0; height--) {
      const block = this.blocks[height - 1];
      const position = block.findIndex((applied) => bytesEqual(applied.id, id));
      if (position >= 0) return { height, position, transaction: block[position].transaction };
    }
    return undefined;
  }
}

/** The "message" of an expected error. */
function messageOf(error: Refusal | UnbuildableTransaction["error"]): string {
  switch (error.kind) {
    case "NegativeAmount":
      return `${error.args[0]} of ${error.args[1]}`;
    case "UnsupportedVersion":
    case "UnsupportedFeature":
    case "NotActivated":
    case "ScriptExecutionError":
      return String(error.args[0]);
    case "UnsupportedKeyType":
      return String(error.args[0]).replace(/^Transaction with id \w+ /, "");
    default:
      return errorMessage(error);
  }
}

function checkRefusal(
  refused: Refusal | UnbuildableTransaction | undefined,
  expected: NonNullable<Step["expectError"]>,
  world: ScenarioWorld,
): void {
  if (refused === undefined) throw new Error(`expected ${expected.kind}: ${expected.message}`);
  const error = refused instanceof UnbuildableTransaction ? refused.error : refused;
  if (refused instanceof Refusal) expect(refused.isWrapped).toBe(true);
  if (expected.kind === "") return;
  expect(error.kind).toBe(expected.kind);
  const message = world.fillIn(expected.message);
  if (message === "") return;
  if (message.endsWith(" ")) expect(messageOf(error).slice(0, message.length)).toBe(message);
  else expect(messageOf(error)).toBe(message);
}

function run(scenario: Scenario, vectors: Vectors): void {
  expectKnown(
    Object.keys(scenario),
    [
      "name",
      "source",
      "note",
      "accounts",
      "features",
      "settings",
      "mode",
      "steps",
      "expect",
      "referenceExpect",
    ],
    "scenario",
  );
  expect(scenario.mode).toBe("append");
  const world = new ScenarioWorld(scenario.accounts ?? {}, vectors.certificates);
  const settings = { ...vectors.defaultSettings, ...scenario.settings };
  const rules: LedgerRules = {
    chainId: SCENARIO_CHAIN_ID,
    functionality: scenarioFunctionality(world, scenario.features, settings),
    maxTransactionsInMicroBlock: 255,
  };
  const chain = new ScenarioChain(world, rules);
  const check = (expectation: Expectation): void => {
    const { expected, actual } = compareWith(chain, expectation);
    expect(actual).toEqual(expected);
  };
  for (const step of scenario.steps) {
    expectKnown(Object.keys(step), ["block", "blocks", "rollbackTo", "expect", "expectError"], "step");
    if (step.block !== undefined) {
      const before = step.expectError === undefined ? undefined : fingerprint(chain.rows);
      const refused = chain.append(step.block);
      if (step.expectError !== undefined) {
        checkRefusal(refused, step.expectError, world);
        expect(fingerprint(chain.rows)).toEqual(before);
      } else if (refused !== undefined) {
        const error = refused instanceof UnbuildableTransaction ? refused.error : refused;
        throw new Error(`block ${step.block.height} is refused: ${error.kind}: ${errorMessage(error)}`);
      }
    } else if (step.blocks !== undefined) {
      const { fromHeight, toHeight, ...block } = step.blocks;
      for (let height = fromHeight; height <= toHeight; height++) {
        expect(chain.append({ ...block, height })).toBeUndefined();
      }
    } else if (step.rollbackTo !== undefined) chain.rollbackTo(step.rollbackTo);
    else if (step.expect === undefined) throw new Error("a step that does nothing");
    if (step.expect !== undefined) check(step.expect);
  }
  check(scenario.expect);
}

/** Every changed row of the journaled tables, as text. */
function fingerprint(rows: WriteBatch): string[] {
  const lines: string[] = [];
  for (const { table, key, value } of rows.changes()) {
    if (table.journaled && value !== undefined) {
      lines.push(`${table.name} ${bytesKey(key)} ${bytesKey(value)}`);
    }
  }
  return lines;
}

const FILE = "state-scenarios.json";

describe.skipIf(!hasVectors(FILE))("state scenarios", () => {
  const vectors = loadVectors<Vectors>(FILE);
  expectKnown(
    Object.keys(vectors),
    [
      "description",
      "format",
      "defaultSettings",
      "certificates",
      "scenarios",
      "updaterFormat",
      "updaterScenarios",
      "utxFormat",
      "utxScenarios",
    ],
    FILE,
  );
  const scenarios = vectors.scenarios ?? [];
  test.skipIf(vectors.scenarios === undefined)("there are scenarios", () => {
    expect(scenarios.length).toBeGreaterThan(0);
  });
  for (const scenario of scenarios) {
    test(scenario.name, () => {
      run(scenario, vectors);
    });
  }
});

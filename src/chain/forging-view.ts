import type { Block, BlockTemplate } from "../blocks/block.ts";
import { blockVersion } from "../consensus/proof-of-stake.ts";
import { minerVotes } from "../consensus/votes.ts";
import { generatingBalance, persistedGeneratingBalance } from "../ledger/balances.ts";
import { isFeatureActive, type LedgerRules } from "../ledger/era.ts";
import { type Capacity, isFull } from "../ledger/limits.ts";
import { isScripted } from "../ledger/scripts/counts-as-scripted.ts";
import { Feature } from "../profiles/features.ts";
import type { NetworkProfile } from "../profiles/profile.ts";
import { scratchBatch } from "../storage/batch/write-batch.ts";
import type { Reader } from "../storage/kv.ts";
import { StoredLedgerView } from "../storage/ledger/ledger-view.ts";
import { type ProofOfStake, storedHeaders } from "./deciding/proof-of-stake.ts";
import { readBlock } from "./reading/rows.ts";
import type { Tip } from "./reading/tip.ts";
import { Indexing } from "./writing/indexing.ts";
import { OpenChange } from "./writing/open-change.ts";

interface ForgingDependencies {
  readonly profile: NetworkProfile;
  readonly rules: LedgerRules;
  readonly proofOfStake: ProofOfStake;
  readonly tip: () => Tip;
  readonly read: <T>(reading: (reader: Reader) => T) => T;
}

/** Chain data for the forger. Balances are in units. */
export class ForgingView {
  readonly #dependencies: ForgingDependencies;

  constructor(dependencies: ForgingDependencies) {
    this.#dependencies = dependencies;
  }

  /** Capacity that the newest block has left. Page 05 §8.4. */
  get remainingCapacity(): Capacity {
    const totals = this.#ledger((ledger) => ledger.blockTotals(ledger.height));
    if (totals === undefined) throw new RangeError("The chain is empty");
    return { size: totals.sizeLeft, scripts: totals.scriptsLeft, transactions: undefined };
  }

  get isFull(): boolean {
    return isFull(this.remainingCapacity);
  }

  /** @throws RangeError if no block is liquid */
  liquidBlock(): Block {
    const { height, liquid } = this.#tip;
    const { profile, read } = this.#dependencies;
    const block = liquid ? read((reader) => readBlock(reader, height, profile)) : undefined;
    if (block === undefined) throw new RangeError("No liquid block");
    return block;
  }

  /**
   * Returns the id of the newest micro block that arrived at or before `latest` (ms), or of the key block. Page 05
   * §23.3.
   */
  referenceFor(latest: number): Uint8Array {
    const { liquid, id, keyBlock, microBlocks } = this.#tip;
    if (!liquid) return id;
    return microBlocks.findLast(({ arrivedAt }) => arrivedAt <= latest)?.id ?? keyBlock.id;
  }

  /** Returns true for scripted accounts, which may not forge. Page 05 §23.6. */
  isScripted(address: Uint8Array): boolean {
    return this.#ledger((ledger) => isScripted(ledger, address));
  }

  /** Page 03 §8.5. */
  generatingBalance(address: Uint8Array): bigint {
    return this.#ledger((ledger) => generatingBalance(ledger, address, ledger.height));
  }

  minimumGeneratingBalance(): bigint {
    const { proofOfStake } = this.#dependencies;
    return this.#ledger((ledger) => proofOfStake.minimumBalance(ledger, ledger.height));
  }

  /** Generating balance after the tip's first micro block; without one, at the persisted height. Page 06 §7.16. */
  miningBalance(address: Uint8Array): bigint {
    const { height, persistedHeight, microBlocks } = this.#tip;
    if (microBlocks.length === 0)
      return this.#ledger((ledger) => persistedGeneratingBalance(ledger, address, height, persistedHeight));
    const { profile, rules, read } = this.#dependencies;
    return read((reader) => {
      const change = new OpenChange(scratchBatch(reader), { ...profile, rules, indexing: new Indexing([]) });
      change.undoTo({ height, sequence: microBlocks[0].sequence });
      return generatingBalance(change.ledger, address, height);
    });
  }

  /** Delay after the tip's key block, ms. Page 03 §8.3. */
  blockDelay(generatorKey: Uint8Array, balance: bigint): bigint {
    const { height, keyBlock } = this.#tip;
    const { proofOfStake, read } = this.#dependencies;
    return read((reader) =>
      proofOfStake.delay(storedHeaders(reader), { ...keyBlock, height }, generatorKey, balance),
    );
  }

  /**
   * Returns the header fields of a new block that depend on the chain. Page 03 §10.2.
   * @param latest latest arrival of a micro block that may be the parent, ms
   */
  draftBlock(
    generatorKey: Uint8Array,
    timestamp: bigint,
    latest: number,
  ): Omit<BlockTemplate, "features" | "feeVote" | "transactions"> {
    const { height, keyBlock } = this.#tip;
    const { proofOfStake, rules, read } = this.#dependencies;
    const reference = this.referenceFor(latest);
    return read((reader) => {
      const ledger = new StoredLedgerView(reader);
      return {
        version: blockVersion(isFeatureActive(ledger, rules, Feature.Juicy, height)),
        timestamp,
        reference,
        baseTarget: proofOfStake.baseTarget(storedHeaders(reader), { ...keyBlock, height }, timestamp),
        generationSignature: proofOfStake.generationSignature(storedHeaders(reader), height, generatorKey),
      };
    });
  }

  /** Returns supported features that are not approved yet. Page 03 §6.3. */
  minerVotes(supported: readonly number[]): number[] {
    return this.#ledger((ledger) => {
      const approved = ledger.features();
      const { preActivatedFeatures } = this.#dependencies.rules.functionality;
      return minerVotes(supported, (id) => approved.has(id) || preActivatedFeatures.has(id));
    });
  }

  get #tip(): Tip {
    return this.#dependencies.tip();
  }

  #ledger<T>(use: (ledger: StoredLedgerView) => T): T {
    return this.#dependencies.read((reader) => use(new StoredLedgerView(reader)));
  }
}

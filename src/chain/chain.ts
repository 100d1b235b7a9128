import type { Block, BlockHeader } from "../blocks/block.ts";
import type { Checkpoint } from "../blocks/checkpoint.ts";
import { genesisBlock } from "../blocks/genesis.ts";
import type { MicroBlock } from "../blocks/micro-block.ts";
import { bytesEqual } from "../bytes/compare.ts";
import { failed, ok, type Result } from "../errors/result.ts";
import type { ChainIndex } from "../indexes/chain-index.ts";
import type { ChainCursor, ChainEvents, Clock, Log } from "../interfaces.ts";
import type { LedgerRules } from "../ledger/era.ts";
import { type ScriptRun, scriptRuns } from "../ledger/scripts/script-verdicts.ts";
import type { NetworkProfile } from "../profiles/profile.ts";
import type { HistogramSeries } from "../runtime/metrics.ts";
import { Overlay } from "../storage/batch/overlay.ts";
import type { DiskError } from "../storage/disk/disk-error.ts";
import type { Reader } from "../storage/kv.ts";
import { StoredLedger } from "../storage/ledger/ledger-state.ts";
import { StoredLedgerView } from "../storage/ledger/ledger-view.ts";
import { RecentIds, ScratchIds } from "../storage/ledger/recent-ids.ts";
import type { Store, WriteBatch } from "../storage/store.ts";
import { tables } from "../storage/tables.ts";
import type { Transaction } from "../transactions/index.ts";
import { type BlockGroup, beginBlockGroup } from "./deciding/block-group.ts";
import { type AppendResult, type BlockRefusal, microRefusal } from "./deciding/block-refusal.ts";
import { BlockRules, type HeaderResult } from "./deciding/block-rules.ts";
import { type BranchScore, branchScore } from "./deciding/branch-score.ts";
import { CheckpointList, type CheckpointSettings } from "./deciding/checkpoints.ts";
import { acceptExtension, type Extension, type ExtensionDependencies } from "./deciding/extension.ts";
import type { ExtensionResult } from "./deciding/extension-result.ts";
import type { ExtensionLimits } from "./deciding/extension-rules.ts";
import { FeatureWatch, type UnsupportedFeatures } from "./deciding/feature-watch.ts";
import { ProofOfStake } from "./deciding/proof-of-stake.ts";
import { ForgingView } from "./forging-view.ts";
import { headerRow } from "./reading/rows.ts";
import { ScratchSession } from "./reading/scratch-session.ts";
import { readTip, type Tip } from "./reading/tip.ts";
import type { ChangeListener, ChangeSource, ListenerStage } from "./writing/change.ts";
import { Indexing } from "./writing/indexing.ts";
import type { BlockChecks } from "./writing/open-change.ts";
import { type RestoringDependencies, restoreAtOpening, whenRestored } from "./writing/restoring.ts";
import { WriteQueue } from "./writing/write-queue.ts";
import { ChainWriter } from "./writing/writer.ts";

export type { BlockGroup } from "./deciding/block-group.ts";
export type { Extension } from "./deciding/extension.ts";
export type { ExtensionResult } from "./deciding/extension-result.ts";
export type { ExtensionLimits } from "./deciding/extension-rules.ts";
export type { ChainChange } from "./writing/change.ts";

/** Large enough that a full disk rejects the test row. */
const DISK_PROBE_BYTES = 262_144;

interface ChainOptions extends CheckpointSettings {
  /** Rejects blocks once a feature unknown to this version is active. Page 03 §6.4. */
  readonly stopOnUnsupportedFeature: boolean;
}

interface ChainDependencies {
  readonly store: Store;
  readonly profile: NetworkProfile;
  readonly indexes: readonly ChainIndex[];
  readonly clock: Clock;
  readonly log: Log;
  readonly options: ChainOptions;
  /** Called when `stopOnUnsupportedFeature` applies: the node must stop (exit code 38). */
  readonly onUnsupportedFeature?: ((found: UnsupportedFeatures) => void) | undefined;
  /** Must not throw. */
  readonly onListenerError?: ((error: unknown) => void) | undefined;
  readonly onDiskError?: ((error: DiskError) => void) | undefined;
  readonly commitSeconds?: HistogramSeries | undefined;
  /** Returns the disk error that forbids changes, if any. */
  readonly writeFault?: (() => DiskError | undefined) | undefined;
}

type SingleBlockSource = Extract<ChangeSource, "forged" | "pushed">;

export class ChainError extends Error {
  override readonly name = "ChainError";
}

/**
 * The best chain. All its changes go through this class. Page 03 §12 to §15, page 05 §23.
 *
 * A block passes five stages: decode (`blocks/`), check headers (`deciding/`), verify signatures (`checking/`), apply
 * each *unit*, a key block or micro block (`writing/open-change.ts`), and commit the *change*, which listeners then
 * receive (`writing/writer.ts`).
 *
 * A change commits state, indexes and journal atomically. During an asynchronous change, methods that change the chain
 * throw `ChainBusyError`.
 */
export class Chain implements ChainEvents {
  readonly rules: LedgerRules;
  readonly forging: ForgingView;
  readonly indexing: Indexing;
  readonly #dependencies: ChainDependencies;
  readonly #writer: ChainWriter;
  readonly #restoringDependencies: RestoringDependencies;
  readonly #checkpoints: CheckpointList;
  readonly #blockRules: BlockRules;
  readonly #extensionDependencies: ExtensionDependencies;
  readonly #recentIds = new RecentIds();

  private constructor(dependencies: ChainDependencies) {
    const { store, profile, options, clock, log, onUnsupportedFeature } = dependencies;
    const { chainId, payment, functionality } = profile;
    const { maxTransactionsInMicroBlock } = profile.forging;
    const { stopOnUnsupportedFeature } = options;
    const rules = { chainId, functionality, maxTransactionsInMicroBlock };
    const proofOfStake = new ProofOfStake(profile, rules);
    const checkpoints = new CheckpointList(options);
    const features = new FeatureWatch({ rules, log, stopOnUnsupportedFeature, onUnsupportedFeature });
    const onTipChanged = (before: Tip, after: Tip): void => {
      const differsOnlyInMicroBlocks =
        bytesEqual(before.keyBlock.id, after.keyBlock.id) && before.liquid === after.liquid;
      if (!differsOnlyInMicroBlocks) this.read((reader) => features.check(reader, after.height));
    };
    const indexing = new Indexing(dependencies.indexes);
    const recent = this.#recentIds;
    const writer = new ChainWriter({
      ...dependencies,
      indexing,
      chainId,
      payment,
      rules,
      recent,
      onTipChanged,
    });
    const blocks = new BlockRules({
      profile,
      rules,
      clock,
      checkpoints,
      proofOfStake,
      stopOnUnsupportedFeature,
    });
    this.#dependencies = dependencies;
    this.rules = rules;
    this.indexing = indexing;
    this.#checkpoints = checkpoints;
    this.#writer = writer;
    this.#restoringDependencies = { store, writer, network: profile, log };
    this.#blockRules = blocks;
    const extensionQueue = new WriteQueue();
    this.#extensionDependencies = {
      writer,
      extensionQueue,
      blocks,
      checkpoints,
      proofOfStake,
      rules,
      network: profile,
      clock,
    };
    this.forging = new ForgingView({
      profile,
      rules,
      proofOfStake,
      tip: () => this.tip,
      read: (reading) => this.read(reading),
    });
  }

  /**
   * Opens a store's chain. An empty store gets the genesis block.
   * @throws GenesisError if the network's genesis block is invalid
   * @throws ChainError if the store has another network's genesis block
   */
  static open(dependencies: ChainDependencies, genesis: Block = genesisBlock(dependencies.profile)): Chain {
    const chain = new Chain(dependencies);
    const { store, profile } = dependencies;
    const storedGenesis = store.read((reader) => {
      chain.#checkpoints.load(reader);
      chain.#writer.tip = readTip(reader, profile.chainId);
      return reader.get(tables.headers, 1);
    });
    if (storedGenesis === undefined) {
      chain.indexing.begin(store);
      const result = chain.process(genesis);
      if (!result.ok) throw new ChainError(`Genesis block rejected: ${result.error.printed}`);
    } else if (!bytesEqual(storedGenesis.signature, genesis.signature))
      throw new ChainError("The store has the chain of another network: use another data directory");
    else {
      chain.indexing.open(store, chain.tip);
      restoreAtOpening(chain.#restoringDependencies);
    }
    return chain;
  }

  get tip(): Tip {
    return this.#writer.tip;
  }

  /** Calls `listener` synchronously after every commit. Returns a function that removes it. */
  onChange(listener: ChangeListener, stage: ListenerStage = "listener"): () => void {
    return this.#writer.onChange(listener, stage);
  }

  onCommit(listener: (tip: ChainCursor) => void): () => void {
    return this.onChange(({ tip: { height, sequence, id } }) => listener({ height, sequence, id }));
  }

  /** True if a caller that changes the chain must use `whenFree`. */
  get isBusy(): boolean {
    return this.#writer.queue.isHeld || this.#writer.hasSwitchRow;
  }

  /**
   * Runs `task`, which changes the chain synchronously, after the running and queued changes.
   * @param options `urgent`: interrupts an extension, a limited number of times
   * @throws ChainBusyError if the queue is full
   * @throws ChainClosedError
   * @throws DiskError if an interrupted switch to another branch cannot be reverted
   */
  whenFree<T>(task: () => T, options: { readonly urgent?: boolean } = {}): Promise<T> {
    return whenRestored(this.#restoringDependencies, task, options.urgent);
  }

  /** Writes and removes a test row. @throws DiskError if that fails */
  async probeDisk(): Promise<void> {
    const { store } = this.#dependencies;
    await this.whenFree(() => {
      store.write((batch) => batch.put(tables.meta, "attempt", new Uint8Array(DISK_PROBE_BYTES)));
      store.write((batch) => batch.remove(tables.meta, "attempt"));
    });
  }

  /** Commits rows that are not part of the chain. @throws like `whenFree`, and what the store throws */
  writeNonChainRows(work: (batch: WriteBatch) => void): Promise<void> {
    return this.whenFree(() => this.#dependencies.store.write(work));
  }

  /**
   * Commits a change of index rows only, synchronously.
   * @throws ChainBusyError during another change
   * @throws what the store throws
   */
  changeIndexes<T>(work: (batch: WriteBatch) => T): T {
    const lock = this.#writer.queue.acquireNow();
    try {
      const result = this.#writer.commitSeparately(lock, work);
      this.indexing.load(this.#dependencies.store);
      return result;
    } finally {
      lock.release();
    }
  }

  /** Rejects further changes, and aborts a running one. */
  close(): Promise<void> {
    return this.#writer.queue.close();
  }

  read<T>(reading: (reader: Reader) => T): T {
    return this.#dependencies.store.read(reading);
  }

  ledger<T>(use: (ledger: StoredLedgerView) => T): T {
    return this.read((reader) => use(new StoredLedgerView(reader, new ScratchIds(this.#recentIds))));
  }

  /** Calls `use` with a ledger whose changes are discarded. */
  scratch<T>(use: (ledger: StoredLedger) => T): T {
    return this.read((reader) => use(new StoredLedger(new Overlay(reader), new ScratchIds(this.#recentIds))));
  }

  openScratchSession(): ScratchSession {
    return new ScratchSession((reading) => this.read(reading), this.#recentIds);
  }

  scriptRuns(transactions: readonly Transaction[], height: number): readonly ScriptRun[] {
    return this.ledger((ledger) => scriptRuns(ledger, transactions, height));
  }

  /** Returns the height of a block, or of a micro block in the liquid block. Page 03 §13.2. */
  heightOf(id: Uint8Array): number | undefined {
    return this.read((reader) => reader.get(tables.blockIds, id)?.height);
  }

  /** See `deciding/branch-score.ts`. */
  branchScore(
    common: Uint8Array,
    headers: readonly BlockHeader[],
    checkedCount: number,
  ): BranchScore | undefined {
    const { tip } = this;
    return this.read((reader) =>
      branchScore({ ...this.#extensionDependencies, reader, tip }, common, headers, checkedCount),
    );
  }

  /**
   * Predicts the result of `accept` without verifying signatures: the header may be fake, so do not blame the peer.
   */
  checkHeader(header: BlockHeader): HeaderResult {
    return this.read((reader) =>
      this.#blockRules.previewHeader(new StoredLedgerView(reader), reader, this.tip, header),
    );
  }

  checkMicroBlock(
    micro: Pick<MicroBlock, "generator" | "reference" | "totalSignature">,
  ): Result<void, BlockRefusal> {
    const fault =
      this.#blockRules.microBlockFault(this.tip, micro) ?? this.#microCheckpointFault(micro.totalSignature);
    return fault === undefined ? ok(undefined) : failed(microRefusal(fault, micro));
  }

  /**
   * Accepts a single block from the network or the forger. Page 03 §12.2.
   * @param checked `signature`: true if it was verified (step 0)
   * @returns a promise if an index update takes long
   * @throws ChainClosedError if the chain is closed during the update
   */
  accept(
    block: Block,
    checked: BlockChecks = {},
    source: SingleBlockSource = "pushed",
  ): AppendResult | Promise<AppendResult> {
    return this.#writer.changeInSteps((change) => this.#blockRules.accept(change, block, checked), source);
  }

  /** Page 03 §12.6, page 05 §23.2. */
  acceptMicroBlock(
    micro: MicroBlock,
    checked: BlockChecks = {},
    source: SingleBlockSource = "pushed",
  ): AppendResult | Promise<AppendResult> {
    const fault = this.#microCheckpointFault(micro.totalSignature);
    if (fault !== undefined) return failed(microRefusal(fault, micro));
    const now = this.#dependencies.clock.now();
    return this.#writer.changeInSteps(
      (change) => this.#blockRules.acceptMicroBlock(change, micro, now, checked),
      source,
    );
  }

  /** Accepts a peer's blocks, whose signatures `ExtensionIntake` verifies in threads. */
  acceptExtension(extension: Extension, limits: ExtensionLimits): Promise<ExtensionResult> {
    return acceptExtension(this.#extensionDependencies, extension, limits);
  }

  /**
   * Begins one commit of many consecutive blocks, which may be dated in the future. Until `commit` or `abandon`, no
   * other change can run, and recent transaction ids must not be looked up.
   */
  beginGroup(): BlockGroup {
    return beginBlockGroup(this.#writer, this.#blockRules);
  }

  /** Applies a block without checking proof of stake, checkpoints and clock. Page 03 §12.5, page 05 §23.1. */
  process(block: Block, checked: BlockChecks = {}): AppendResult {
    return this.#writer.change((change) => this.#blockRules.applyKeyBlock(change, block, checked));
  }

  #microCheckpointFault(total: Uint8Array): string | undefined {
    // A micro block has the tip's height, but the protocol checks it at the next height.
    const next = this.tip.height + 1;
    return this.#checkpoints.allows(next, total)
      ? undefined
      : `[h = ${next}] is not valid with respect to checkpoint`;
  }

  /**
   * Removes all blocks after the one with `id`, and persists the last remaining block. An id of the liquid block changes
   * nothing; an unknown id removes the liquid block. Page 03 §13.4.
   * @param options `returnTransactions`: true if valid transactions of removed blocks return to the pool
   * @throws JournalPrunedError below the rollback depth
   */
  removeAfter(id: Uint8Array, options: { readonly returnTransactions: boolean }): void {
    this.#writer.change((change) => this.#blockRules.removeAfter(change, id), options);
  }

  /** Persists the liquid block, if any. Page 05 §23.8. */
  persistTip(): void {
    if (!this.tip.liquid) return;
    this.#writer.change((change) => {
      change.persistTip();
      return ok("appended");
    });
  }

  isCheckpointInForce(checkpoint: Checkpoint): boolean {
    return this.#checkpoints.isInForce(checkpoint);
  }

  /** The error is the protocol's text. */
  checkCheckpoint(checkpoint: Checkpoint): Result<void, string> {
    return this.#checkpoints.check(checkpoint);
  }

  /** Accepts a checkpoint and removes the blocks that contradict it, in one commit. Page 03 §15. */
  acceptCheckpoint(checkpoint: Checkpoint): Result<void, string> {
    const checkpoints = this.#checkpoints;
    const checked = checkpoints.check(checkpoint);
    if (!checked.ok) return checked;
    this.#writer.change(
      (change) => {
        const { batch, tip } = change;
        checkpoints.store(batch, checkpoint);
        const target = checkpoints.heightOfAgreement(checkpoint, batch, tip.height);
        if (target !== undefined) this.#blockRules.removeAfter(change, headerRow(batch, target).signature);
        return ok("appended");
      },
      { onCommitted: () => checkpoints.replace(checkpoint) },
    );
    return checked;
  }
}

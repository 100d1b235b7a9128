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
import { Overlay } from "../storage/batch/overlay.ts";
import type { DiskError } from "../storage/disk/disk-error.ts";
import type { Reader } from "../storage/kv.ts";
import { StoredLedger } from "../storage/ledger/ledger-state.ts";
import { StoredLedgerView } from "../storage/ledger/ledger-view.ts";
import { RecentIds, ScratchIds } from "../storage/ledger/recent-ids.ts";
import type { Store, WriteBatch } from "../storage/store.ts";
import { tables } from "../storage/tables.ts";
import type { Transaction } from "../transactions/index.ts";
import { type AppendResult, type BlockRefusal, microRefusal } from "./deciding/block-refusal.ts";
import { BlockRules, type HeaderResult } from "./deciding/block-rules.ts";
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
import type { ChangeListener, ListenerStage } from "./writing/change.ts";
import { Indexing } from "./writing/indexing.ts";
import type { BlockChecks, OpenChange } from "./writing/open-change.ts";
import { type RestoringDependencies, restoreAtOpening, whenRestored } from "./writing/restoring.ts";
import { WriteQueue } from "./writing/write-queue.ts";
import { ChainWriter } from "./writing/writer.ts";

export type { Extension } from "./deciding/extension.ts";
export type { ExtensionResult } from "./deciding/extension-result.ts";
export type { ExtensionLimits } from "./deciding/extension-rules.ts";
export type { ChainChange } from "./writing/change.ts";

/** Bytes that are written to find out whether there is room. */
const DISK_PROBE_BYTES = 262_144;

/** What the operator decides about the chain. */
interface ChainOptions extends CheckpointSettings {
  /** Refuse blocks once a feature is active that this version does not know. Page 03 §6.4. */
  readonly stopOnUnsupportedFeature: boolean;
}

interface ChainDependencies {
  readonly store: Store;
  readonly profile: NetworkProfile;
  readonly indexes: readonly ChainIndex[];
  readonly clock: Clock;
  readonly log: Log;
  readonly options: ChainOptions;
  /**
   * Told when a feature is active that this version does not know and `stopOnUnsupportedFeature` is set: the node
   * must end (exit code 38). Page 03 §6.4.
   */
  readonly onUnsupportedFeature?: ((found: UnsupportedFeatures) => void) | undefined;
  /** Called with what a listener of changes threw. It must not throw. */
  readonly onListenerError?: ((error: unknown) => void) | undefined;
  /** Told of each change that failed because the disk did not take it; whoever wanted the change gets the error too. */
  readonly onDiskError?: ((error: DiskError) => void) | undefined;
}

/** Blocks of a file that become one commit. */
export interface BlockGroup {
  /** What scripts have to say of the transactions of the next block: it may be found out ahead. */
  scriptRuns(transactions: readonly Transaction[]): readonly ScriptRun[];
  /** Appends the next block. A refused one changes nothing: what was appended before it stays in the group. */
  append(block: Block, checked?: BlockChecks): AppendResult;
  /** Appends a micro block to the last block, as it arrived at a time, ms. */
  appendMicroBlock(micro: MicroBlock, arrivedAt: number, checked?: BlockChecks): AppendResult;
  /** Persists the last block without a child: page 05 §23.8. */
  persist(): void;
  commit(): void;
  /** Leaves the chain as it was before the group. */
  abandon(): void;
}

/** A fault of the node itself, not of what it was given. */
export class ChainError extends Error {
  override readonly name = "ChainError";
}

/**
 * The best chain, and its only writer. Page 03 §12 to §15, page 05 §23.
 *
 * A block passes five stages. `decode`: its bytes become a block (`blocks/`, ahead of the writer). `checkHeaders`: its
 * parent, checkpoints and proof of stake (`deciding/`). `verifySignatures`: its own and those of its transactions
 * (`checking/`, in threads). `applyUnit`: ledger, rows and indexes of a *unit*, a key block or a micro block
 * (`writing/open-change.ts`). `commitChange`: the units become one commit, and the listeners learn of the *change*
 * (`writing/writer.ts`).
 *
 * The liquid block is simply the newest block of the store, with its micro blocks as units of their own. A change commits
 * as a whole with state, indexes and journal, or leaves the store untouched. While a change is under way that takes
 * several turns of the event loop, methods that change the chain at once throw `ChainBusyError`: callers that can wait
 * come through `inTurn`.
 */
export class Chain implements ChainEvents {
  readonly rules: LedgerRules;
  /** What forging asks. */
  readonly forging: ForgingView;
  /** Which units the indexes take. */
  readonly indexing: Indexing;
  readonly #dependencies: ChainDependencies;
  readonly #writer: ChainWriter;
  readonly #restoring: RestoringDependencies;
  readonly #checkpoints: CheckpointList;
  readonly #blocks: BlockRules;
  readonly #extending: ExtensionDependencies;
  readonly #recent = new RecentIds();

  private constructor(dependencies: ChainDependencies) {
    const { store, profile, options, clock, log, onUnsupportedFeature } = dependencies;
    const { chainId, payment, functionality } = profile;
    const { maxTransactionsInMicroBlock } = profile.forging;
    const { stopOnUnsupportedFeature } = options;
    const rules = { chainId, functionality, maxTransactionsInMicroBlock };
    const proofOfStake = new ProofOfStake(profile, rules);
    const checkpoints = new CheckpointList(options);
    const features = new FeatureWatch({ rules, log, stops: stopOnUnsupportedFeature, onUnsupportedFeature });
    const watch = (before: Tip, after: Tip): void => {
      const isGrowth = bytesEqual(before.keyBlock.id, after.keyBlock.id) && before.liquid === after.liquid;
      if (!isGrowth) this.read((reader) => features.check(reader, after.height));
    };
    const indexing = new Indexing(dependencies.indexes);
    const recent = this.#recent;
    const writer = new ChainWriter({ ...dependencies, indexing, chainId, payment, rules, recent, watch });
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
    this.#restoring = { store, writer, network: profile, log };
    this.#blocks = blocks;
    const order = new WriteQueue();
    this.#extending = { writer, order, blocks, checkpoints, proofOfStake, rules, network: profile, clock };
    this.forging = new ForgingView({
      profile,
      rules,
      proofOfStake,
      tip: () => this.tip,
      read: (reading) => this.read(reading),
    });
  }

  /**
   * Opens the chain of a store; an empty one gets the genesis block. Indexes that the store holds with another
   * configuration take no units until they were built anew (`jobs/build-indexes.ts`).
   * @param genesis the first block, where it is not the one that the profile describes
   * @throws GenesisError when the network's genesis block is not valid
   * @throws ChainError when the store's genesis block is that of another network
   */
  static open(dependencies: ChainDependencies, genesis: Block = genesisBlock(dependencies.profile)): Chain {
    const chain = new Chain(dependencies);
    const { store, profile } = dependencies;
    const first = store.read((reader) => {
      chain.#checkpoints.load(reader);
      chain.#writer.tip = readTip(reader, profile.chainId);
      return reader.get(tables.headers, 1);
    });
    if (first === undefined) {
      chain.indexing.begin(store);
      const result = chain.process(genesis);
      if (!result.ok) throw new ChainError(`The genesis block is refused: ${result.error.printed}`);
    } else if (!bytesEqual(first.signature, genesis.signature))
      throw new ChainError("The stored chain begins with the genesis block of another network");
    else {
      chain.indexing.open(store, chain.tip);
      restoreAtOpening(chain.#restoring);
    }
    return chain;
  }

  /** The best block. */
  get tip(): Tip {
    return this.#writer.tip;
  }

  /**
   * Calls `listener` after every change, in the step that commits it: followers first, then the others, in the order in
   * which they came. Returns how to stop it.
   */
  onChange(listener: ChangeListener, stage: ListenerStage = "listener"): () => void {
    return this.#writer.onChange(listener, stage);
  }

  onCommit(listener: (tip: ChainCursor) => void): () => void {
    return this.onChange(({ tip: { height, sequence, id } }) => listener({ height, sequence, id }));
  }

  /**
   * Whether a change must come through `inTurn`: another one is under way that takes more than this turn of the event
   * loop, or an unfinished switch is to be taken back first.
   */
  get isBusy(): boolean {
    return this.#writer.queue.isHeld || this.#writer.hasSwitchRow;
  }

  /**
   * Runs `task`, which changes the chain within the same turn of the event loop, as soon as it can: at once, or behind
   * the change that is under way and those that wait for its end already. An unfinished switch is taken back before.
   * @param options `urgent`: a fork that is being taken makes way for it, a limited number of times
   * @throws ChainBusyError when too many wait
   * @throws ChainClosedError
   * @throws DiskError when an unfinished switch cannot be taken back
   */
  whenFree<T>(task: () => T, options: { readonly urgent?: boolean } = {}): Promise<T> {
    return whenRestored(this.#restoring, task, options.urgent);
  }

  /**
   * Finds out whether the disk takes what is written, in commits that change nothing of the chain; an unfinished switch
   * is taken back before (`inTurn`). The commits are larger than most blocks, so that a nearly full disk fails as well.
   * @throws DiskError when it does not
   */
  async probeDisk(): Promise<void> {
    const { store } = this.#dependencies;
    await this.whenFree(() => {
      store.write((batch) => batch.put(tables.meta, "attempt", new Uint8Array(DISK_PROBE_BYTES)));
      store.write((batch) => batch.remove(tables.meta, "attempt"));
    });
  }

  /**
   * Makes a commit that changes nothing of the chain but what its indexes hold, in the caller's turn.
   * @throws ChainBusyError when another change is under way: who can wait comes through `inTurn`
   * @throws what the store throws; nothing has changed then
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

  /** Lets nobody change the chain any more; a long change that is under way is given up. The store stays open. */
  close(): Promise<void> {
    return this.#writer.queue.close();
  }

  /** Runs `reading` on what is committed. */
  read<T>(reading: (reader: Reader) => T): T {
    return this.#dependencies.store.read(reading);
  }

  /** Hands out the ledger's state at the tip, to be read while `use` runs. */
  ledger<T>(use: (ledger: StoredLedgerView) => T): T {
    return this.read((reader) => use(new StoredLedgerView(reader, new ScratchIds(this.#recent))));
  }

  /** Hands out the state of the tip, to try things out on while `use` runs: what is written to it is lost. */
  scratch<T>(use: (ledger: StoredLedger) => T): T {
    return this.read((reader) => use(new StoredLedger(new Overlay(reader), new ScratchIds(this.#recent))));
  }

  /** The same over several turns: what is written to it is lost when the chain changes. */
  openScratchSession(): ScratchSession {
    return new ScratchSession((reading) => this.read(reading), this.#recent);
  }

  /** The runs of the scripts of transactions, as the state of the tip has them, for a block of this height. */
  scriptRuns(transactions: readonly Transaction[], height: number): readonly ScriptRun[] {
    return this.ledger((ledger) => scriptRuns(ledger, transactions, height));
  }

  /** Height of a block id; ids of the liquid block and its micro blocks count. Page 03 §13.2. */
  heightOf(id: Uint8Array): number | undefined {
    return this.read((reader) => reader.get(tables.blockIds, id)?.height);
  }

  /**
   * What `accept` would say of a block, as far as that follows from its header: to be asked before anything is spent on
   * signatures. It knows nothing of the block's own signature, so no peer is to blame for what it says.
   */
  checkHeader(header: BlockHeader): HeaderResult {
    return this.read((reader) =>
      this.#blocks.previewHeader(new StoredLedgerView(reader), reader, this.tip, header),
    );
  }

  /** The same of a micro block, or of its announcement: whether it would be the next one of our liquid block. */
  checkMicroBlock(
    micro: Pick<MicroBlock, "generator" | "reference" | "totalSignature">,
  ): Result<void, BlockRefusal> {
    const fault =
      this.#blocks.microBlockFault(this.tip, micro) ?? this.#microCheckpointFault(micro.totalSignature);
    return fault === undefined ? ok(undefined) : failed(microRefusal(fault, micro));
  }

  /**
   * Takes a single block, from the network or forged here. Page 03 §12.2. If an index has much to do for it, that takes
   * several turns of the event loop, in which the lock is held.
   * @param checked `signature`: the network's step 0 was done
   * @returns the result itself where all was done in this turn, as nearly always
   * @throws ChainClosedError when the chain is closed meanwhile
   */
  accept(block: Block, checked: BlockChecks = {}): AppendResult | Promise<AppendResult> {
    return this.#writer.changeInTurns((change) => this.#blocks.accept(change, block, checked));
  }

  /** As `accept`, for a micro block. Page 03 §12.6, page 05 §23.2. */
  acceptMicroBlock(micro: MicroBlock, checked: BlockChecks = {}): AppendResult | Promise<AppendResult> {
    const fault = this.#microCheckpointFault(micro.totalSignature);
    if (fault !== undefined) return failed(microRefusal(fault, micro));
    const now = this.#dependencies.clock.now();
    return this.#writer.changeInTurns((change) => this.#blocks.acceptMicroBlock(change, micro, now, checked));
  }

  /**
   * Takes consecutive blocks of one peer that may replace blocks of ours, all or none: `deciding/extension.ts`. What a
   * peer sent comes through `ExtensionIntake`, which has it checked ahead.
   */
  acceptExtension(extension: Extension, limits: ExtensionLimits): Promise<ExtensionResult> {
    return acceptExtension(this.#extending, extension, limits);
  }

  /**
   * Begins a commit of many blocks of a file, each of which must be a child of the one before. They are judged as
   * those of peers, but for the clock. Nothing else can change the chain until the group is closed, and nobody may ask
   * it meanwhile which transactions it knows.
   */
  beginGroup(): BlockGroup {
    const writer = this.#writer;
    const blocks = this.#blocks;
    const lock = writer.queue.acquireNow();
    const ending = (task: () => void): void => {
      try {
        task();
      } finally {
        lock.release();
      }
    };
    let change: OpenChange;
    try {
      change = writer.begin(lock);
    } catch (error) {
      lock.release();
      throw error;
    }
    return {
      scriptRuns: (transactions) => scriptRuns(change.ledger, transactions, change.tip.height + 1),
      append: (block, checked = {}) => blocks.acceptNext(change, block, checked),
      appendMicroBlock: (micro, arrivedAt, checked = {}) =>
        blocks.acceptMicroBlock(change, micro, arrivedAt, checked),
      persist: () => change.persistTip(),
      commit: () => ending(() => writer.commit(change)),
      abandon: () => ending(() => writer.abandon(change)),
    };
  }

  /** Block processing alone, without proof of stake, checkpoints and clock. Page 03 §12.5, page 05 §23.1. */
  process(block: Block, checked: BlockChecks = {}): AppendResult {
    return this.#writer.change((change) => this.#blocks.applyKeyBlock(change, block, checked));
  }

  #microCheckpointFault(total: Uint8Array): string | undefined {
    // It belongs to the height of the tip: the one more is the protocol's.
    const next = this.tip.height + 1;
    return this.#checkpoints.allows(next, total)
      ? undefined
      : `[h = ${next}] is not valid with respect to checkpoint`;
  }

  /**
   * Removes all blocks behind an id. Page 03 §13.4: an id of the liquid block changes nothing, an unknown one
   * removes the liquid block. The block that is left is persisted.
   * @param options `returnTransactions`: the pool gets back what is still valid
   * @throws JournalPrunedError when the block is deeper than the rollback depth; nothing changes
   */
  removeAfter(id: Uint8Array, options: { readonly returnTransactions: boolean }): void {
    const returned = options.returnTransactions;
    this.#writer.change((change) => this.#blocks.removeAfter(change, id), { returned });
  }

  /** Persists a liquid tip, as after an import from a file. Page 05 §23.8. */
  persistTip(): void {
    if (!this.tip.liquid) return;
    this.#writer.change((change) => {
      change.persistTip();
      return ok("appended");
    });
  }

  /** Whether the checkpoint is the one that was taken last. */
  isCheckpointInForce(checkpoint: Checkpoint): boolean {
    return this.#checkpoints.isInForce(checkpoint);
  }

  /**
   * Checks that a checkpoint is signed with the network's key and not in force yet, without waiting for other changes.
   * Page 03 §15. An error is the protocol's text.
   */
  checkCheckpoint(checkpoint: Checkpoint): Result<void, string> {
    return this.#checkpoints.check(checkpoint);
  }

  /**
   * Takes a checkpoint, and removes blocks that contradict it: one commit, and it is in force from then on. Page 03 §15.
   * An error is the protocol's text.
   */
  acceptCheckpoint(checkpoint: Checkpoint): Result<void, string> {
    const checkpoints = this.#checkpoints;
    const checked = checkpoints.check(checkpoint);
    if (!checked.ok) return checked;
    this.#writer.change(
      (change) => {
        const { batch, tip } = change;
        checkpoints.store(batch, checkpoint);
        const target = checkpoints.heightOfAgreement(checkpoint, batch, tip.height);
        if (target !== undefined) this.#blocks.removeAfter(change, headerRow(batch, target).signature);
        return ok("appended");
      },
      { onCommitted: () => checkpoints.replace(checkpoint) },
    );
    return checked;
  }
}

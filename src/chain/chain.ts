import { areBytesSigned, type Block, type BlockTemplate, isBlockSigned } from "../blocks/block.ts";
import type { Checkpoint } from "../blocks/checkpoint.ts";
import { BlockStructureError } from "../blocks/errors.ts";
import { genesisBlock } from "../blocks/genesis.ts";
import type { MicroBlock } from "../blocks/micro-block.ts";
import { encodeBase58 } from "../bytes/base58.ts";
import { bytesEqual } from "../bytes/compare.ts";
import {
  blockScore,
  blockVersion,
  endsFeatureWindow,
  minerVotes,
  unimplementedText,
} from "../consensus/index.ts";
import { addressOf } from "../crypto/addresses.ts";
import type { ChainIndex } from "../indexes/chain-index.ts";
import type { Clock, Log } from "../interfaces.ts";
import { generatingBalance, persistedGeneratingBalance } from "../ledger/balances.ts";
import { isScripted } from "../ledger/counts-as-scripted.ts";
import { isFeatureActive, type LedgerRules } from "../ledger/era.ts";
import { isFull, type Room } from "../ledger/limits.ts";
import { persistBlock } from "../ledger/persist.ts";
import type { LedgerView } from "../ledger/state.ts";
import type { Mempool } from "../mempool/mempool.ts";
import { Feature, implementedFeatures } from "../profiles/features.ts";
import type { NetworkProfile } from "../profiles/profile.ts";
import type { Reader } from "../storage/kv.ts";
import { StoredLedger } from "../storage/ledger-state.ts";
import { StoredLedgerView } from "../storage/ledger-view.ts";
import { Overlay } from "../storage/overlay.ts";
import { RecentIds, TriedIds } from "../storage/recent-ids.ts";
import type { Store } from "../storage/store.ts";
import { tables } from "../storage/tables.ts";
import { PERSIST_SEQUENCE } from "../storage/write-batch.ts";
import { type Transaction, transactionId } from "../transactions/index.ts";
import {
  type BlockRefusal,
  blockRefusal,
  blockText,
  genericRefusal,
  microRefusal,
  signatureRefusal,
} from "./deciding/block-refusal.ts";
import { CheckpointList, type CheckpointSettings } from "./deciding/checkpoints.ts";
import { ProofOfStake } from "./deciding/proof-of-stake.ts";
import { markIndexes, staleIndexes } from "./jobs/reindex.ts";
import { headerRow, readBlock, storedBlockBytes } from "./reading/rows.ts";
import { noTip, readTip, sequenceInTip, type Tip } from "./reading/tip.ts";
import { type Checked, Session, type SessionDependencies } from "./writing/session.ts";

/** What the operator decides about the chain. */
export interface ChainOptions {
  /** Most transactions of a micro block, also of those received. Page 03 §11. */
  readonly maxTransactionsInMicroBlock: number;
  /** Refuse blocks once a feature is active that this version does not know. Page 03 §6.4. */
  readonly stopOnUnsupportedFeature: boolean;
  readonly checkpoints?: CheckpointSettings | undefined;
}

export interface ChainDependencies {
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
}

/** What became of a block or micro block that was not refused. */
export interface Accepted {
  readonly ok: true;
  /** `appended`; `known`: it was there already; `ignored`: a version of the liquid block with nothing new. */
  readonly outcome: "appended" | "known" | "ignored";
  /** Transactions that left the chain with what was replaced, in order. */
  readonly discarded: readonly Transaction[];
}

export interface Refused {
  readonly ok: false;
  readonly refusal: BlockRefusal;
}

export type AppendResult = Accepted | Refused;

/** What became of an extension. */
export type ExtensionResult =
  | Accepted
  | (Refused & {
      /** The block that was refused, where it was one of them. */
      readonly block?: Block | undefined;
    });

/** What happened to the chain, after it was committed. */
export type ChainChange =
  | { readonly kind: "block"; readonly tip: Tip; readonly block: Block }
  | { readonly kind: "micro block"; readonly tip: Tip; readonly micro: MicroBlock }
  /** Several blocks at once, or a rollback. `height`: the newest height at which nothing changed. */
  | { readonly kind: "chain"; readonly tip: Tip; readonly height: number };

/** Blocks of a file that become one commit. */
export interface BlockGroup {
  /** Appends the next block. A refused one changes nothing: what was appended before it stays in the group. */
  append(block: Block, checked?: Checked): BlockRefusal | undefined;
  /** Appends a micro block to the last block, as it arrived at a time, ms. */
  appendMicroBlock(micro: MicroBlock, arrivedAt: number, checked?: Checked): BlockRefusal | undefined;
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

/** Features that are active but unknown to this version, and what to do about them. Page 03 §6.4. */
export interface UnsupportedFeatures {
  readonly ids: readonly number[];
  readonly height: number;
}

/**
 * The best chain, and its only writer. Page 03 §12 to §15, page 05 §23.
 *
 * The liquid block is simply the newest block of the store, with its micro blocks as units of their own. Each
 * operation is one session: it commits as a whole with state, indexes and journal, or leaves the store untouched.
 */
export class Chain {
  private readonly dependencies: ChainDependencies;
  private readonly sessionDependencies: SessionDependencies;
  private readonly checkpoints: CheckpointList;
  private readonly recent = new RecentIds();
  private readonly listeners = new Set<(change: ChainChange) => void>();
  private pool: Mempool | undefined;
  private current: Tip = noTip;
  readonly rules: LedgerRules;
  private readonly proofOfStake: ProofOfStake;

  private constructor(dependencies: ChainDependencies) {
    this.dependencies = dependencies;
    const { profile, options, indexes } = dependencies;
    this.rules = {
      chainId: profile.chainId,
      functionality: profile.functionality,
      maxTransactionsInMicroBlock: options.maxTransactionsInMicroBlock,
    };
    this.sessionDependencies = {
      chainId: profile.chainId,
      payment: profile.payment,
      rules: this.rules,
      indexes,
      recent: this.recent,
    };
    this.proofOfStake = new ProofOfStake(profile, this.rules);
    this.checkpoints = new CheckpointList(options.checkpoints);
  }

  /**
   * Opens the chain of a store; an empty one gets the genesis block. Indexes whose configuration changed must have been
   * built anew before (`jobs/reindex.ts`).
   * @param genesis the first block, where it is not the one that the profile describes
   * @throws GenesisError when the network's genesis block is not valid
   * @throws ChainError when the store's genesis block is that of another network, or indexes are out of date
   */
  static open(dependencies: ChainDependencies, genesis: Block = genesisBlock(dependencies.profile)): Chain {
    const chain = new Chain(dependencies);
    const { store, profile } = dependencies;
    const first = store.read((reader) => {
      chain.checkpoints.load(reader);
      chain.current = readTip(reader, profile.chainId);
      return reader.get(tables.headers, 1);
    });
    if (first === undefined) {
      const result = chain.process(genesis);
      if (!result.ok) throw new ChainError(`The genesis block is refused: ${result.refusal.printed}`);
      markIndexes(store, dependencies.indexes);
    } else if (!bytesEqual(first.signature, genesis.signature))
      throw new ChainError("The stored chain begins with the genesis block of another network");
    const stale = staleIndexes(store, dependencies.indexes).map(({ name }) => name);
    if (stale.length > 0) throw new ChainError(`Indexes must be built anew first: ${stale.join(", ")}`);
    return chain;
  }

  /** The best block. */
  get tip(): Tip {
    return this.current;
  }

  /** Makes the pool follow the chain: what a block brings leaves it, what leaves the chain comes back, in one step. */
  attachPool(pool: Mempool): void {
    this.pool = pool;
  }

  /** Calls `listener` after every change. Returns how to stop it. */
  onChange(listener: (change: ChainChange) => void): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }

  // ------------------------------------------------------------------------------------------ what is asked

  /** Runs `reading` on what is committed. */
  read<T>(reading: (reader: Reader) => T): T {
    return this.dependencies.store.read(reading);
  }

  /** Hands out the ledger's state at the tip, to be read while `use` runs. */
  ledger<T>(use: (ledger: StoredLedgerView) => T): T {
    return this.read((reader) => use(new StoredLedgerView(reader, new TriedIds(this.recent))));
  }

  /** Hands out the state of the tip, to try things out on while `use` runs: what is written to it is lost. */
  scratch<T>(use: (ledger: StoredLedger) => T): T {
    return this.read((reader) => use(new StoredLedger(new Overlay(reader), new TriedIds(this.recent))));
  }

  /** Room for further transactions of the newest block, without the limit of a micro block. Page 05 §8.4. */
  get room(): Room {
    const totals = this.ledger((ledger) => ledger.blockTotals(ledger.height));
    if (totals === undefined) throw new ChainError("The chain is empty");
    return { size: totals.sizeLeft, scripts: totals.scriptsLeft, transactions: undefined };
  }

  /** Whether no further transaction fits into the newest block. */
  get isFull(): boolean {
    return isFull(this.room);
  }

  /** The liquid block with the transactions of its micro blocks. @throws ChainError when there is none */
  liquidBlock(): Block {
    const { height, liquid } = this.current;
    const block = liquid
      ? this.read((reader) => readBlock(reader, height, this.dependencies.profile))
      : undefined;
    if (block === undefined) throw new ChainError("There is no liquid block");
    return block;
  }

  /** Id of the newest micro block total that arrived at or before `latest` (ms), else of the key block. Page 05 §23.3. */
  referenceFor(latest: number): Uint8Array {
    const { liquid, id, keyBlock, microBlocks } = this.current;
    if (!liquid) return id;
    return microBlocks.findLast(({ arrivedAt }) => arrivedAt <= latest)?.id ?? keyBlock.id;
  }

  /** Height of a block id; ids of the liquid block and its micro blocks count. Page 03 §13.2. */
  heightOf(id: Uint8Array): number | undefined {
    return this.read((reader) => reader.get(tables.blockIds, id)?.height);
  }

  // --------------------------------------------------------------------------------------- what forging asks

  /** Whether an account may not forge at the tip because it counts as scripted. Page 05 §23.6. */
  isScripted(address: Uint8Array): boolean {
    return this.ledger((ledger) => isScripted(ledger, address));
  }

  /** Generating balance of an account for a child of the tip. Page 03 §8.5. */
  generatingBalance(address: Uint8Array): bigint {
    return this.ledger((ledger) => generatingBalance(ledger, address, ledger.height));
  }

  /** Least generating balance of a child of the tip. */
  minimumGeneratingBalance(): bigint {
    return this.ledger((ledger) => this.proofOfStake.minimumBalance(ledger, ledger.height));
  }

  /**
   * The balance that `/debug/minerInfo` shows: at the oldest micro block of the liquid block, or without the
   * liquid block when it has none. Page 06 §7.16.
   */
  miningBalance(address: Uint8Array): bigint {
    const { height, persistedHeight, microBlocks } = this.current;
    if (microBlocks.length === 0)
      return this.ledger((ledger) => persistedGeneratingBalance(ledger, address, height, persistedHeight));
    return this.rehearse((session) => {
      session.undoTo({ height, sequence: microBlocks[0].sequence });
      return generatingBalance(session.ledger, address, height);
    });
  }

  /** Milliseconds from the newest key block to the earliest child of a generator. Page 03 §8.3. */
  blockDelay(generatorKey: Uint8Array, balance: bigint): bigint {
    const { height, keyBlock } = this.current;
    return this.read((reader) =>
      this.proofOfStake.delay(reader, { ...keyBlock, height }, generatorKey, balance),
    );
  }

  /**
   * The consensus fields of a child of the tip. Page 03 §10.2.
   * @param latest the newest micro block built upon arrived at or before this, ms
   */
  draftBlock(
    generatorKey: Uint8Array,
    timestamp: bigint,
    latest: number,
  ): Omit<BlockTemplate, "features" | "feeVote" | "transactions"> {
    const { height, keyBlock } = this.current;
    const reference = this.referenceFor(latest);
    return this.read((reader) => {
      const ledger = new StoredLedgerView(reader);
      return {
        version: blockVersion(isFeatureActive(ledger, this.rules, Feature.Juicy, height)),
        timestamp,
        reference,
        baseTarget: this.proofOfStake.baseTarget(reader, { ...keyBlock, height }, timestamp),
        generationSignature: this.proofOfStake.generationSignature(reader, height, generatorKey),
      };
    });
  }

  /** The features of a configuration that a block upon the tip votes for. Page 03 §6.3. */
  minerVotes(supported: readonly number[]): number[] {
    return this.ledger((ledger) => {
      const approved = ledger.features();
      const { preActivatedFeatures } = this.rules.functionality;
      return minerVotes(supported, (id) => approved.has(id) || preActivatedFeatures.has(id));
    });
  }

  // ----------------------------------------------------------------------------------------------- appending

  /**
   * Takes a single block, from the network or forged here. Page 03 §12.2.
   * @param checked `signature`: the network's step 0 was done
   */
  accept(block: Block, checked: Checked = {}): AppendResult {
    return this.commit(blockChange(block), (session) => {
      if (sequenceInTip(session.tip, block.reference) !== undefined)
        return this.appendBlock(session, block, checked);
      if (session.batch.get(tables.blockIds, block.signature) !== undefined) return accepted("known");
      return refused(blockRefusal("Block is not a child of the last block", block));
    });
  }

  /**
   * Takes consecutive blocks of one peer that may replace blocks of ours, all or none. Page 03 §12.3. When it
   * fails nothing is lost, the micro blocks of the liquid block included.
   */
  acceptExtension(blocks: readonly Block[], checked: Checked = {}): ExtensionResult {
    if (checked.signature !== true) {
      const forged = blocks.find((block) => !isBlockSigned(block));
      if (forged !== undefined) return { ...refused(signatureRefusal(blockText(forged))), block: forged };
    }
    const first = blocks.findIndex((block) => this.heightOf(block.signature) === undefined);
    if (first < 0) return accepted("known");
    const unknown = blocks.slice(first);
    const common = unknown[0].reference;
    const commonHeight = this.heightOf(common);
    if (commonHeight === undefined) return refused(genericRefusal("Fork contains no common parent"));
    for (const [i, block] of unknown.entries()) {
      if (!this.checkpoints.allows(commonHeight + 1 + i, block.signature))
        return refused(genericRefusal("Fork contains block that doesn't match checkpoint, declining fork"));
    }
    let failed: Block | undefined;
    const change: ChangeOf = (tip) => ({ kind: "chain", tip, height: commonHeight });
    const result = this.commit(change, (session) => {
      const discarded = this.removeFrom(session, common);
      for (const block of unknown) {
        const appended = this.appendBlock(session, block, { ...checked, signature: true });
        if (!appended.ok) {
          failed = block;
          return appended;
        }
        discarded.push(...appended.discarded);
      }
      return {
        ...accepted("appended", discarded),
        added: unknown.flatMap(({ transactions }) => transactions),
      };
    });
    return result.ok ? result : { ...result, block: failed };
  }

  /**
   * Begins a commit of many blocks of a file, each of which must be a child of the one before. They are judged as
   * those of peers, but for the clock. Nothing else may be asked of the chain until the group is closed.
   */
  beginGroup(): BlockGroup {
    const { store } = this.dependencies;
    const batch = store.begin();
    const session = new Session(batch, this.sessionDependencies, this.current);
    const { height } = this.current;
    return {
      append: (block, checked = {}) => {
        if (!bytesEqual(block.reference, session.tip.id))
          return blockRefusal("Block is not a child of the last block", block);
        const result = this.appendBlock(session, block, checked, Number.MAX_SAFE_INTEGER);
        return result.ok ? undefined : result.refusal;
      },
      appendMicroBlock: (micro, arrivedAt, checked = {}) => {
        const fault = this.microBlockFault(session.tip, micro);
        return fault === undefined
          ? session.appendMicroBlock(micro, arrivedAt, checked)
          : microRefusal(fault, micro);
      },
      persist: () => session.persistTip(),
      commit: () => {
        const { tip } = session;
        store.commit(batch);
        this.current = tip;
        this.tell({ kind: "chain", tip, height });
      },
      abandon: () => store.abandon(batch),
    };
  }

  /** Block processing alone, without proof of stake, checkpoints and clock. Page 03 §12.5, page 05 §23.1. */
  process(block: Block, checked: Checked = {}): AppendResult {
    return this.commit(blockChange(block), (session) => this.processBlock(session, block, checked));
  }

  /** Takes a micro block. Page 03 §12.6. */
  acceptMicroBlock(micro: MicroBlock, checked: Checked = {}): AppendResult {
    const next = this.current.height + 1;
    // It belongs to the height of the tip: the one more is the protocol's.
    if (!this.checkpoints.allows(next, micro.totalSignature))
      return refused(microRefusal(`[h = ${next}] is not valid with respect to checkpoint`, micro));
    return this.processMicroBlock(micro, checked);
  }

  /** A micro block without the check against checkpoints. Page 05 §23.2. */
  processMicroBlock(micro: MicroBlock, checked: Checked = {}): AppendResult {
    const change: ChangeOf = (tip) => ({ kind: "micro block", tip, micro });
    return this.commit(change, (session) => {
      const fault = this.microBlockFault(session.tip, micro);
      if (fault !== undefined) return refused(microRefusal(fault, micro));
      return outcomeOf(
        session.appendMicroBlock(micro, this.dependencies.clock.now(), checked),
        micro.transactions,
      );
    });
  }

  /** Page 05 §23.2, checks 1 to 4. */
  private microBlockFault(tip: Tip, micro: MicroBlock): string | undefined {
    if (!tip.liquid) return "No base block exists";
    const sender = addressOf(micro.generator, this.rules.chainId);
    if (!bytesEqual(sender, tip.keyBlock.generator))
      return "Base block has been generated by another account";
    if (bytesEqual(tip.id, micro.reference)) return undefined;
    return tip.microBlocks.length === 0
      ? "It's first micro and it doesn't reference base block(which exists)"
      : "It doesn't reference last known microBlock(which exists)";
  }

  /** Page 03 §12.4. @param now the clock, ms */
  private appendBlock(
    session: Session,
    block: Block,
    checked: Checked,
    now: number = this.dependencies.clock.now(),
  ): Work {
    const { tip } = session;
    const next = tip.height + 1;
    if (!this.checkpoints.allows(next, block.signature)) {
      const text = `Block ${blockText(block)} at height ${next} is not valid w.r.t. checkpoint`;
      return refused(blockRefusal(text, block));
    }
    const generator = addressOf(block.generator, this.rules.chainId);
    if (isScripted(session.ledger, generator)) {
      const text = `Account(${encodeBase58(generator)}) is scripted are therefore not allowed to forge blocks`;
      return refused(blockRefusal(text, block));
    }
    // The generator's balance is that of the referenced micro block: the later ones go first.
    const sequence = tip.liquid ? sequenceInTip(tip, block.reference) : undefined;
    const removed = sequence === undefined ? [] : session.undoTo({ height: tip.height, sequence });
    const refusal = this.proofOfStake.check(session.batch, session.ledger, block, generator, now);
    if (refusal !== undefined) return refused(refusal);
    const result = this.processBlock(session, block, checked);
    return result.ok ? { ...result, discarded: [...removed, ...result.discarded] } : result;
  }

  /** Page 03 §12.5. */
  private processBlock(session: Session, block: Block, checked: Checked): Work {
    const { tip, ledger } = session;
    const unsupported = this.unsupportedFeatures(ledger, tip.persistedHeight);
    if (unsupported.length > 0 && this.dependencies.options.stopOnUnsupportedFeature)
      return refused(genericRefusal(unimplementedText(unsupported)));
    if (!tip.liquid) return this.appendToPersisted(session, block, checked);
    if (bytesEqual(block.reference, tip.keyBlock.reference)) return this.compete(session, block, checked);
    return this.appendToLiquid(session, block, checked);
  }

  /** Case A: there is no liquid block. */
  private appendToPersisted(session: Session, block: Block, checked: Checked): Work {
    const { tip } = session;
    if (tip.height > 0 && !bytesEqual(tip.id, block.reference)) {
      const exists = session.batch.get(tables.blockIds, block.reference) !== undefined;
      const referenced = `The referenced block(${encodeBase58(block.reference)})`;
      // The protocol's spelling.
      const what = exists ? `${referenced} exits, it's not last persisted` : `${referenced} doesn't exist`;
      return refused(blockRefusal(`References incorrect or non-existing block: ${what}`, block));
    }
    return outcomeOf(session.appendKeyBlock(block, checked), block.transactions);
  }

  /** Case B: a competitor of the liquid block at its height. */
  private compete(session: Session, block: Block, checked: Checked): Work {
    const { keyBlock, height, transactionCount } = session.tip;
    const score = blockScore(block.baseTarget);
    const existing = blockScore(keyBlock.baseTarget);
    const better = score > existing;
    if (!better) {
      const sameVersion =
        bytesEqual(block.generator, keyBlock.generatorKey) &&
        block.baseTarget === keyBlock.baseTarget &&
        block.timestamp === keyBlock.timestamp;
      if (!sameVersion) {
        const base = blockText(this.baseBlock(session, height));
        const text = `Competitors liquid block ${blockText(block)}(score=${score}) is not better than existing (ng.base ${base}(score=${existing}))`;
        return refused(blockRefusal(text, block));
      }
      if (block.transactions.length <= transactionCount) return accepted("ignored");
    }
    const removed = session.undoTo({ height: height - 1, sequence: PERSIST_SEQUENCE });
    // It is judged on the persisted state.
    session.persistTip();
    const failed = session.appendKeyBlock(block, { ...checked, idsForgottenAt: keyBlock.timestamp });
    return outcomeOf(failed, block.transactions, better ? removed : []);
  }

  /** Case C: a child of the liquid block, or of one of its micro blocks. */
  private appendToLiquid(session: Session, block: Block, checked: Checked): Work {
    const { tip } = session;
    const sequence = sequenceInTip(tip, block.reference);
    if (sequence === undefined)
      return refused(blockRefusal("References incorrect or non-existing block", block));
    // The signature of the key block itself was checked when it came.
    if (sequence > 0 && !this.isTotalSigned(session, sequence)) {
      const base = blockText(this.baseBlock(session, tip.height));
      const reference = encodeBase58(block.reference);
      const text = `Forged block has invalid signature: base: ${base}, requested reference: ${reference}`;
      return refused(blockRefusal(text, block));
    }
    const removed = session.undoTo({ height: tip.height, sequence });
    return outcomeOf(session.appendKeyBlock(block, checked), block.transactions, removed);
  }

  /** The key block at a height of the chain without its micro blocks. */
  private baseBlock(session: Session, height: number): Block {
    const base = readBlock(session.batch, height, this.dependencies.profile, 0);
    if (base === undefined) throw new ChainError(`There is no block at height ${height}`);
    return base;
  }

  /** Whether the generator signed the liquid block as it was at a micro block. */
  private isTotalSigned({ batch, tip }: Session, sequence: number): boolean {
    try {
      const total = storedBlockBytes(batch, tip.height, sequence);
      if (total === undefined)
        throw new ChainError(`There is no micro block ${sequence} at height ${tip.height}`);
      return areBytesSigned(total, tip.keyBlock.generatorKey);
    } catch (error) {
      // More transactions than a block of version 1 or 2 can count: there is no such block to be signed.
      if (error instanceof BlockStructureError) return false;
      throw error;
    }
  }

  // ------------------------------------------------------------------------------------------------ removing

  /**
   * Removes all blocks behind an id. Page 03 §13.4: an id of the liquid block changes nothing, an unknown one
   * removes the liquid block. The block that is left is persisted.
   * @param options `returnTransactions`: the pool gets back what is still valid
   * @returns the removed blocks, oldest first, the liquid one with its micro blocks
   * @throws JournalPrunedError when the block is deeper than the rollback depth; nothing changes
   */
  removeAfter(id: Uint8Array, options: { readonly returnTransactions: boolean }): readonly Block[] {
    const { tip } = this;
    if (tip.liquid && sequenceInTip(tip, id) !== undefined) return [];
    const removed: Block[] = [];
    const change: ChangeOf = (now) => ({ kind: "chain", tip: now, height: now.height });
    this.commit(change, (session) => {
      const { batch } = session;
      const target = batch.get(tables.blockIds, id)?.height ?? tip.persistedHeight;
      if (target === tip.height) return accepted("ignored");
      for (let height = target + 1; height <= tip.height; height++) {
        const block = readBlock(batch, height, this.dependencies.profile);
        if (block !== undefined) removed.push(block);
      }
      const transactions = this.removeFrom(session, id);
      return accepted("appended", options.returnTransactions ? transactions : []);
    });
    return removed;
  }

  /** `removeAfter` within a session. @returns the transactions that left the chain */
  private removeFrom(session: Session, id: Uint8Array): Transaction[] {
    const { tip } = session;
    if (tip.liquid && sequenceInTip(tip, id) !== undefined) return [];
    const height = session.batch.get(tables.blockIds, id)?.height ?? tip.persistedHeight;
    const removed = session.undoTo({ height, sequence: PERSIST_SEQUENCE });
    session.persistTip();
    return removed;
  }

  /** Persists a liquid tip, as after an import from a file. Page 05 §23.8. */
  persistTip(): void {
    if (!this.current.liquid) return;
    const { height } = this.current;
    this.commit(
      (tip) => ({ kind: "chain", tip, height }),
      (session) => {
        session.persistTip();
        return accepted("appended");
      },
    );
  }

  // --------------------------------------------------------------------------------------------- checkpoints

  /**
   * Takes a checkpoint, and removes blocks that contradict it. Page 03 §15.
   * @returns why it is not accepted: the protocol's text
   */
  acceptCheckpoint(checkpoint: Checkpoint): string | undefined {
    const refusal = this.checkpoints.refusal(checkpoint);
    if (refusal !== undefined) return refusal;
    const change: ChangeOf = (tip) => ({ kind: "chain", tip, height: tip.height });
    // The checkpoint and what it removes are one commit, and it is in force from that commit on.
    const work = (session: Session): Work => {
      this.checkpoints.store(session.batch, checkpoint);
      const target = heightOfAgreement(checkpoint, session);
      if (target !== undefined) this.removeFrom(session, headerRow(session.batch, target).signature);
      return accepted("appended");
    };
    this.commit(change, work, () => this.checkpoints.replace(checkpoint));
    return undefined;
  }

  // -------------------------------------------------------------------------------------------------- within

  /** Ids that are active at a height but unknown to this version, ascending. Page 03 §6.4. */
  private unsupportedFeatures(ledger: LedgerView, height: number): number[] {
    const { preActivatedFeatures } = this.rules.functionality;
    const ids = new Set([...preActivatedFeatures.keys(), ...ledger.features().keys()]);
    return [...ids]
      .filter((id) => !implementedFeatures.has(id) && isFeatureActive(ledger, this.rules, id, height))
      .sort((a, b) => a - b);
  }

  /** Runs `work` on a session that is given up. */
  private rehearse<T>(work: (session: Session) => T): T {
    const { store } = this.dependencies;
    const batch = store.begin();
    const session = new Session(batch, this.sessionDependencies, this.current);
    try {
      return work(session);
    } finally {
      store.abandon(batch);
    }
  }

  /** What listeners make of a change is their own affair: it is committed, and the others hear of it too. */
  private tell(change: ChainChange): void {
    const listeners = [...this.listeners];
    if (change.kind !== "micro block") listeners.push(() => this.watchFeatures());
    for (const listener of listeners) {
      try {
        listener(change);
      } catch (error) {
        this.dependencies.log.error("A part of the node failed at a change of the chain", {
          error,
          height: change.tip.height,
        });
      }
    }
  }

  /** Where a voting window ends: what was approved, and what is active, without being known here. Page 03 §6.4. */
  private watchFeatures(): void {
    const { height } = this.current;
    if (height === 0 || !endsFeatureWindow(this.rules.functionality, height)) return;
    const { log, options, onUnsupportedFeature } = this.dependencies;
    const { approved, active } = this.scratch((ledger) => {
      // The liquid block's approvals are those that it will have once it is persisted.
      if (ledger.persistedHeight < height) persistBlock(ledger, this.rules);
      return {
        approved: [...ledger.features()]
          .filter(([id, state]) => state.approved === height && !implementedFeatures.has(id))
          .map(([id]) => id),
        active: this.unsupportedFeatures(ledger, height),
      };
    });
    for (const id of approved)
      log.warn("A feature was approved that this version does not know", { id, height });
    if (active.length === 0) return;
    log.error("A feature is active that this version does not know: update the node", {
      ids: active,
      height,
    });
    if (options.stopOnUnsupportedFeature) onUnsupportedFeature?.({ ids: active, height });
    else log.error("The node goes on and will end up on a fork", { height });
  }

  /**
   * Runs `work`, commits what it did or leaves everything as it was, lets the pool follow, and tells the listeners.
   * Whatever fails on the way, the commit itself included, changes nothing here: what is remembered between commits
   * looks by itself whether it belongs to the chain.
   * @param committed called right behind the commit
   */
  private commit(
    change: ChangeOf,
    work: (session: Session) => Work,
    committed: () => void = () => {},
  ): AppendResult {
    const { store } = this.dependencies;
    const batch = store.begin();
    const session = new Session(batch, this.sessionDependencies, this.current);
    let result: Work;
    let tip: Tip;
    try {
      result = work(session);
      tip = session.tip;
    } catch (error) {
      store.abandon(batch);
      throw error;
    }
    if (!result.ok || result.outcome !== "appended") {
      store.abandon(batch);
      return result;
    }
    store.commit(batch);
    this.current = tip;
    committed();
    const { added = [], discarded } = result;
    // Without a pause between: whoever looks in the chain, the pool and the chain again misses no transaction.
    this.pool?.remove(added.map(transactionId));
    this.pool?.takeBack(discarded);
    this.tell(change(tip));
    return { ok: true, outcome: result.outcome, discarded };
  }
}

/** The newest height at which a checkpoint agrees with the chain; undefined when it agrees with all of it. */
function heightOfAgreement(checkpoint: Checkpoint, { tip, batch }: Session): number | undefined {
  const items = checkpoint.items.filter(({ height }) => height >= 1 && height <= tip.height);
  const agreed = items.findIndex(({ height, id }) => bytesEqual(headerRow(batch, height).signature, id));
  if (agreed === 0 || items.length === 0) return undefined;
  return items[agreed]?.height ?? 1;
}

/** What happened, once it is known how the tip looks. */
type ChangeOf = (tip: Tip) => ChainChange;

/** A result together with the transactions that entered the chain. */
type Work = (Accepted & { readonly added?: readonly Transaction[] | undefined }) | Refused;

function blockChange(block: Block): ChangeOf {
  return (tip) => ({ kind: "block", tip, block });
}

function accepted(outcome: Accepted["outcome"], discarded: readonly Transaction[] = []): Accepted {
  return { ok: true, outcome, discarded };
}

function refused(refusal: BlockRefusal): Refused {
  return { ok: false, refusal };
}

/** The result of writing a unit. */
function outcomeOf(
  refusal: BlockRefusal | undefined,
  added: readonly Transaction[],
  discarded: readonly Transaction[] = [],
): Work {
  return refusal === undefined ? { ...accepted("appended", discarded), added } : refused(refusal);
}

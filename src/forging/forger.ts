import { type Block, buildBlock } from "../blocks/block.ts";
import { buildMicroBlock, type MicroBlock } from "../blocks/micro-block.ts";
import { encodeBase58 } from "../bytes/base58.ts";
import { bytesEqual, bytesKey } from "../bytes/compare.ts";
import { reasonOf } from "../bytes/errors.ts";
import type { Chain } from "../chain/chain.ts";
import type { AppendResult } from "../chain/deciding/block-refusal.ts";
import { isLiquidGrowth } from "../chain/writing/change.ts";
import { ChainBusyError, ChainClosedError } from "../chain/writing/write-queue.ts";
import type { FeeVote, MinerInfo, WalletAccount } from "../control/index.ts";
import { failed, ok, type Result } from "../errors/result.ts";
import type { Cancel, Clock, Log } from "../interfaces.ts";
import type { Mempool } from "../mempool/mempool.ts";
import type { NetworkProfile } from "../profiles/index.ts";
import { machineFaultOf } from "../runtime/machine-fault.ts";
import { DiskError } from "../storage/disk/disk-error.ts";
import { AccountProblems } from "./account-problems.ts";
import { ClockMonitor } from "./clock-monitor.ts";
import type { ForgingAccounts, ForgingOptions, ForgingState } from "./options.ts";

/** The reference waits a second more than the protocol asks for. Page 03 §10.1, step 6. */
const EXTRA_DELAY_MS = 1000;
/** A longer wait is cut into pieces, and the clock looked at as often: it may be set meanwhile. */
const MAX_WAIT_MS = 60_000;

/** When so many others wait to change the chain that there is no place behind them: so long until it is tried again. */
const BUSY_RETRY_DELAY_MS = 1000;

/** Delay of the next attempt after a fault of the machine (no memory, no file handle), ms. */
const MACHINE_RETRY_DELAY_MS = 1_000;

/** Work of choosing for a micro block, about a tenth of a second: a pool full of invalid ones must not hold up the writer. */
const MAX_PACKING_WORK = 100_000_000;

const INT64_MAX = (1n << 63n) - 1n;

/** Who hears of what was forged: the part of the node that tells other nodes. */
export interface ForgedListener {
  block(block: Block): void;
  microBlock(micro: MicroBlock): void;
}

interface ForgerDependencies {
  readonly chain: Chain;
  readonly pool: Mempool;
  readonly accounts: ForgingAccounts;
  readonly clock: Clock;
  readonly log: Log;
  readonly network: Pick<NetworkProfile, "forging">;
  readonly options: ForgingOptions;
  /** Number of connections to other nodes. */
  readonly connections: () => number;
  readonly forged: ForgedListener | undefined;
}

/**
 * Makes key blocks and micro blocks with the accounts of the wallet. Page 03 §10.
 *
 * It waits on the clock it was given and re-schedules itself whenever the key block of the chain changes. Where
 * the reference gives up a series of micro blocks (nothing selectable in the pool) it tries again at the next
 * interval; after a restart it goes on with the micro blocks of its own liquid block.
 */
export class Forger {
  readonly #dependencies: ForgerDependencies;
  readonly #attempts = new Map<string, Cancel>();
  readonly #due = new Map<string, MinerInfo>();
  readonly #problems: AccountProblems;
  #microAttempt: Cancel | undefined;
  /** Id of the newest key block made here, or found liquid and ours at the start: it gets micro blocks. */
  #ownKeyBlock: Uint8Array | undefined;
  /** The liquid block with all its transactions, to be signed again with each micro block. */
  #total: Block | undefined;
  /** What keeps every account from forging. */
  #blockError: string | undefined;
  /** What ended forging for good. */
  #fault: string | undefined;
  /** What the disk said that did not take the last block: forging waits. */
  #diskFault: string | undefined;
  readonly #clockWatch: ClockMonitor;
  #nextLook: Cancel | undefined;
  /** Whether the liquid block gets micro blocks from here. */
  #packing = false;
  /** Of the blocks made here. */
  feeVote: FeeVote = "MAINTAIN";
  #running = false;
  #unsubscribe: (() => void) | undefined;

  constructor(dependencies: ForgerDependencies) {
    this.#dependencies = dependencies;
    const { chain, clock, log } = dependencies;
    const newest = (): number => Number(chain.tip.keyBlock.timestamp);
    this.#clockWatch = new ClockMonitor({ clock, log, newest });
    this.#problems = new AccountProblems(log);
  }

  /** Begins to forge, if the options say so; goes on with a liquid block of the wallet's. */
  start(): void {
    if (!this.#dependencies.options.enabled || this.#running) return;
    this.#running = true;
    this.#fault = undefined;
    const { chain, accounts } = this.#dependencies;
    const { tip } = chain;
    if (tip.liquid && accounts.accounts().some(({ address }) => bytesEqual(address, tip.keyBlock.generator)))
      this.#ownKeyBlock = tip.keyBlock.id;
    this.#unsubscribe = chain.onChange((change) => {
      if (!isLiquidGrowth(change)) this.schedule();
    });
    this.#clockWatch.detectChange();
    this.#lookLater();
    this.schedule();
  }

  /** Ends all waiting. Nothing is forged any more. */
  stop(): void {
    this.#running = false;
    this.#nextLook?.();
    this.#nextLook = undefined;
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
    this.#cancelAll();
  }

  /** Page 06 §7.16. */
  get state(): ForgingState {
    if (this.#fault !== undefined) return `error: ${this.#fault}`;
    if (!this.#running) return "disabled";
    if (this.#diskFault !== undefined) return `error: ${this.#diskFault}`;
    const error = this.#clockWatch.fault ?? this.#blockError;
    if (error !== undefined) return `error: ${error}`;
    return this.#packing ? "mining microblocks" : "mining blocks";
  }

  /** Accounts that had a block scheduled since the start, with their balance of now. Page 06 §7.16. */
  minerInfo(): readonly MinerInfo[] {
    return [...this.#due.values()].map((info) => ({
      ...info,
      miningBalance: this.#dependencies.chain.forging.miningBalance(info.address),
    }));
  }

  /**
   * Starts anew for every account: to be called when the accounts changed, or the disk takes blocks again; changes of
   * the chain are seen. Page 03 §10.1.
   */
  schedule(): void {
    if (!this.#running) return;
    this.#cancelAll();
    this.#diskFault = undefined;
    this.#clockWatch.detectChange();
    this.#clockWatch.report();
    const errors: string[] = [];
    const accounts = this.#dependencies.accounts.accounts();
    for (const account of accounts) {
      const problem = this.#scheduleAccount(account);
      if (problem !== undefined) errors.push(problem);
    }
    this.#blockError = errors.length === accounts.length ? errors[0] : undefined;
    this.#goOnWithMicroBlocks();
  }

  #cancelAll(): void {
    for (const cancel of this.#attempts.values()) cancel();
    this.#attempts.clear();
    this.#endMicroBlocks();
    this.#total = undefined;
  }

  #endMicroBlocks(): void {
    this.#microAttempt?.();
    this.#microAttempt = undefined;
    this.#packing = false;
  }

  /** Steps 1 to 6 of page 03 §10.1; the text of what stands in the way, if anything does. */
  #scheduleAccount(account: WalletAccount): string | undefined {
    const { clock } = this.#dependencies;
    const key = bytesKey(account.address);
    const next = this.#nextBlock(account);
    const problem = next.ok ? undefined : next.error;
    this.#report(account, "schedule", problem);
    if (!next.ok) {
      this.#attempts.delete(key);
      return problem;
    }
    const { at, balance } = next.value;
    const now = clock.now();
    const offset = Math.max(at - now, 0);
    this.#due.set(key, { address: account.address, miningBalance: balance, timestamp: now + offset });
    const attempt =
      offset > MAX_WAIT_MS
        ? this.#later(MAX_WAIT_MS, () => this.schedule())
        : this.#later(offset + EXTRA_DELAY_MS, () => this.#forge(account, balance), true);
    this.#attempts.set(key, attempt);
    return undefined;
  }

  /** When an account may make the next block, ms; or why it may not, in the protocol's words. */
  #nextBlock({ address, publicKey }: WalletAccount): Result<{ at: number; balance: bigint }, string> {
    const { chain, clock, options } = this.#dependencies;
    const { tip } = chain;
    const now = clock.now();
    if (tip.height !== 1 && options.intervalAfterLastBlockMs !== undefined) {
      const age = now - Number(tip.keyBlock.timestamp);
      if (age > options.intervalAfterLastBlockMs)
        return failed(
          `BlockChain is too old (last block timestamp is ${tip.keyBlock.timestamp} generated ${age} milliseconds ago)`,
        );
    }
    const text = encodeBase58(address);
    if (chain.forging.isScripted(address))
      return failed(`Account(${text}) is scripted and therefore not allowed to forge blocks`);
    const balance = chain.forging.generatingBalance(address);
    if (balance < chain.forging.minimumGeneratingBalance())
      return failed(`Balance ${balance} of ${text} is lower than required for generation`);
    const at = BigInt.asIntN(64, chain.forging.blockDelay(publicKey, balance) + tip.keyBlock.timestamp);
    if (at <= 0n || at >= INT64_MAX) return failed(`Invalid next block generation time: ${at}`);
    return ok({ at: Number(at), balance });
  }

  /** Makes, signs and appends a key block, or starts again. Page 03 §10.2. */
  #forge(account: WalletAccount, balance: bigint): Promise<void> | undefined {
    this.#attempts.delete(bytesKey(account.address));
    const { chain, log, forged } = this.#dependencies;
    const made = this.#makeBlock(account, balance);
    if (!made.ok) {
      this.#report(account, "forge", made.error);
      this.schedule();
      return undefined;
    }
    const { value: block } = made;
    // Set before: appending makes the chain announce the change, which schedules anew.
    const before = this.#ownKeyBlock;
    this.#ownKeyBlock = block.signature;
    const takeBack = (): void => {
      this.#ownKeyBlock = before;
    };
    const settle = (result: AppendResult): void => {
      if (!result.ok) {
        takeBack();
        if (!this.#hasChanged(account, balance))
          log.error("Could not append the block just forged", { reason: result.error.printed });
        this.schedule();
        return;
      }
      log.info("Forged a block", {
        height: chain.tip.height,
        id: encodeBase58(block.signature),
        generator: encodeBase58(account.address),
      });
      this.#report(account, "forge", undefined);
      forged?.block(block);
    };
    return appending(() => chain.accept(block), settle, takeBack);
  }

  /**
   * Whether a micro block has given an account a script or taken stake from it since its block was scheduled: that is no
   * fault of this node, and `schedule` says what is in the way now.
   */
  #hasChanged({ address }: WalletAccount, balance: bigint): boolean {
    const { forging } = this.#dependencies.chain;
    return forging.isScripted(address) || forging.generatingBalance(address) !== balance;
  }

  #makeBlock({ address, publicKey }: WalletAccount, balance: bigint): Result<Block, string> {
    const { chain, clock, network, options, accounts, connections } = this.#dependencies;
    const n = connections();
    if (n < options.quorum) return failed(`Quorum not available (${n}/${options.quorum}, not forging block.`);
    const now = clock.now();
    const { keyBlock } = chain.tip;
    const delay = chain.forging.blockDelay(publicKey, balance);
    if (!(delay < BigInt(now) - keyBlock.timestamp))
      return failed(`${now}: Block delay ${delay} was NOT less than estimated delay`);
    const draft = chain.forging.draftBlock(publicKey, BigInt(now), now - network.forging.minMicroBlockAgeMs);
    const votes = chain.forging.minerVotes(options.features);
    const features = draft.version >= 3 ? votes : [];
    const feeVote = draft.version >= 4 ? feeVoteByte(this.feeVote) : 0;
    return ok(buildBlock({ ...draft, transactions: [], features, feeVote }, accounts.keyPair(address)));
  }

  #goOnWithMicroBlocks(): void {
    const { chain, accounts } = this.#dependencies;
    const { liquid, keyBlock } = chain.tip;
    if (!liquid || this.#ownKeyBlock === undefined || !bytesEqual(keyBlock.id, this.#ownKeyBlock)) return;
    if (!accounts.accounts().some(({ address }) => bytesEqual(address, keyBlock.generator))) return;
    this.#packing = true;
    this.#microAttempt = this.#later(0, () => this.#microTick());
  }

  /**
   * One attempt of page 03 §10.3, and the next one unless the block is full. The next one is planned first: if the chain
   * changes during the attempt, `schedule` replaces it.
   */
  #microTick(): Promise<void> | undefined {
    const { options, chain } = this.#dependencies;
    this.#microAttempt = this.#later(options.microBlockIntervalMs, () => this.#microTick());
    const forging = chain.forging.isFull ? undefined : this.#forgeMicroBlock();
    if (chain.forging.isFull) this.#endMicroBlocks();
    return forging;
  }

  /** @returns a promise of the end if it takes several turns; otherwise undefined */
  #forgeMicroBlock(): Promise<void> | undefined {
    const { chain, pool, network, options, accounts, connections, forged, log } = this.#dependencies;
    if (connections() < options.quorum || pool.size === 0) return undefined;
    const { tip } = chain;
    const { transactions } = pool.pack({
      room: { ...chain.forging.room, transactions: network.forging.maxTransactionsInMicroBlock },
      // What is appended is measured against the key block, not against the clock (page 03 §10.3).
      blockTimestamp: tip.keyBlock.timestamp,
      maxWork: MAX_PACKING_WORK,
    });
    if (transactions.length === 0) return undefined;
    const base = this.#total ?? chain.forging.liquidBlock();
    const { micro, total } = buildMicroBlock(base, transactions, accounts.keyPair(tip.keyBlock.generator));
    // Set before the change ends: the next micro block may wait for its end, and is built on it.
    const before = this.#total;
    this.#total = total;
    const takeBack = (): void => {
      if (this.#total === total) this.#total = before;
    };
    const settle = (result: AppendResult): void => {
      if (!result.ok) {
        takeBack();
        log.error("Could not append the micro block just forged", { reason: result.error.printed });
        // What was selected and is refused all the same would be selected again at every interval.
        if (result.error.cause !== undefined) pool.remove([result.error.cause.transactionId]);
        return;
      }
      log.debug("Forged a micro block", { height: tip.height, transactions: transactions.length });
      forged?.microBlock(micro);
    };
    return appending(() => chain.acceptMicroBlock(micro, { signature: true }), settle, takeBack);
  }

  /**
   * Runs a task after a delay, and after a change of the chain that is under way. If the disk or the machine fails, it is
   * tried again later; any other error ends forging, and nothing else.
   * @param urgent true: a fork that is being taken is interrupted for it
   */
  #later(delayMs: number, task: () => Promise<void> | undefined | void, urgent = false): Cancel {
    const { chain, clock, log } = this.#dependencies;
    let cancelled = false;
    const run = (): Promise<void> | undefined => (cancelled ? undefined : (task() ?? undefined));
    const fail = (error: unknown): void => {
      if (cancelled || error instanceof ChainClosedError) return;
      if (error instanceof DiskError) {
        this.#cancelAll();
        this.#diskFault = error.message;
        return;
      }
      const fault = machineFaultOf(error);
      if (fault !== undefined) {
        log.error("The machine failed while forging: the node tries again", { fault, error });
        this.#cancelAll();
        this.#microAttempt = this.#later(MACHINE_RETRY_DELAY_MS, () => this.schedule());
        return;
      }
      log.error("Forging ended by a fault of the node", { error });
      this.stop();
      this.#fault = reasonOf(error);
    };
    let cancel: Cancel = () => {};
    const wait = (ms: number): void => {
      cancel = clock.after(ms, () => {
        // What is free is used at once, in this turn.
        if (!chain.isBusy) {
          try {
            run()?.catch(fail);
          } catch (error) {
            fail(error);
          }
          return;
        }
        chain.whenFree(run, { urgent }).catch((error: unknown) => {
          if (!(error instanceof ChainBusyError)) fail(error);
          else if (!cancelled) wait(BUSY_RETRY_DELAY_MS);
        });
      });
    };
    wait(delayMs);
    return () => {
      cancelled = true;
      cancel();
    };
  }

  /** The clock is looked at as often as a long wait is cut. */
  #lookLater(): void {
    this.#nextLook = this.#later(MAX_WAIT_MS, () => {
      this.#lookLater();
      if (this.#clockWatch.detectChange()) this.schedule();
    });
  }

  #report(account: WalletAccount, stage: "schedule" | "forge", text: string | undefined): void {
    this.#problems.report(account, stage, text, this.#dependencies.chain.tip.height);
  }
}

function feeVoteByte(vote: FeeVote): number {
  return vote === "DECREASE" ? -1 : vote === "INCREASE" ? 1 : 0;
}

/**
 * Appends what was forged here, and settles it in the same turn if the result is there at once.
 * @param takeBack called if appending throws
 */
function appending(
  append: () => AppendResult | Promise<AppendResult>,
  settle: (result: AppendResult) => void,
  takeBack: () => void,
): Promise<void> | undefined {
  const fail = (error: unknown): never => {
    takeBack();
    throw error;
  };
  let result: AppendResult | Promise<AppendResult>;
  try {
    result = append();
  } catch (error) {
    return fail(error);
  }
  if (result instanceof Promise) return result.then(settle, fail);
  settle(result);
  return undefined;
}

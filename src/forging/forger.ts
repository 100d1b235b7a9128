import { type Block, buildBlock } from "../blocks/block.ts";
import { buildMicroBlock, type MicroBlock } from "../blocks/micro-block.ts";
import { encodeBase58 } from "../bytes/base58.ts";
import { bytesEqual, bytesKey } from "../bytes/compare.ts";
import { reasonOf } from "../bytes/errors.ts";
import type { Chain } from "../chain/chain.ts";
import type { AppendResult } from "../chain/deciding/block-refusal.ts";
import { isLiquidGrowth } from "../chain/writing/change.ts";
import { ChainBusyError, ChainClosedError } from "../chain/writing/write-queue.ts";
import { EXTRA_DELAY_MS } from "../consensus/proof-of-stake.ts";
import type { FeeVote, MinerInfo, WalletAccount } from "../control/index.ts";
import { failed, ok, type Result } from "../errors/result.ts";
import type { Cancel, Clock, Log } from "../interfaces.ts";
import type { Mempool } from "../mempool/mempool.ts";
import type { NetworkProfile } from "../profiles/index.ts";
import { machineFaultOf } from "../runtime/machine-fault.ts";
import { type Metrics, noMetrics } from "../runtime/metrics.ts";
import { DiskError } from "../storage/disk/disk-error.ts";
import { AccountProblems } from "./account-problems.ts";
import { appendForged } from "./append-forged.ts";
import { ClockMonitor } from "./clock-monitor.ts";
import { type AccountState, type ForgingCondition, ForgingCounter } from "./metrics.ts";
import { type ForgingProblem, nextBlock } from "./next-block.ts";
import type { ForgingAccounts, ForgingOptions, ForgingState } from "./options.ts";

/** The forger splits longer waits, because the clock may be set meanwhile. */
const MAX_WAIT_MS = 60_000;

const BUSY_RETRY_DELAY_MS = 1_000;

const MACHINE_FAULT_RETRY_DELAY_MS = 1_000;

/** Maximum work to pack a micro block, in units of `ScriptWork`: about 0.1 s. */
const MAX_PACKING_WORK = 100_000_000;

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
  readonly connections: () => number;
  /** True until the chain contains the block of `--assume-valid`. */
  readonly isProvisional: () => boolean;
  readonly forged: ForgedListener | undefined;
  readonly metrics?: Metrics | undefined;
}

interface Attempt {
  readonly cancel: Cancel;
  /** Monotonic time, ms; undefined if more than `MAX_WAIT_MS` away. */
  readonly dueAt: number | undefined;
  /** Id of the key block to extend. */
  readonly parent: Uint8Array;
}

/**
 * Forges key blocks and micro blocks with wallet accounts. Page 03 §10.
 *
 * Each new key block on the chain reschedules all accounts. After a restart, the forger continues its liquid block. If
 * no transaction fits into a micro block, the forger retries after an interval, unlike the reference, which ends the
 * series of micro blocks.
 */
export class Forger {
  readonly #dependencies: ForgerDependencies;
  readonly #attempts = new Map<string, Attempt>();
  readonly #minerInfos = new Map<string, MinerInfo>();
  readonly #problems: AccountProblems;
  readonly #counter: ForgingCounter;
  readonly #states = new Map<string, AccountState>();
  #microAttempt: Cancel | undefined;
  /** Id of the newest key block that this node forged. `start` sets it if a wallet account forged the liquid block. */
  #ownKeyBlock: Uint8Array | undefined;
  /** This node's liquid block with all transactions; undefined before the first micro block. */
  #liquidBlock: Block | undefined;
  #schedulingProblem: string | undefined;
  /** The internal error that stopped forging. */
  #fault: string | undefined;
  /** Why a disk write failed. Pauses forging. */
  #diskFault: string | undefined;
  readonly #clockMonitor: ClockMonitor;
  #cancelClockCheck: Cancel | undefined;
  #makesMicroBlocks = false;
  feeVote: FeeVote = "MAINTAIN";
  #isRunning = false;
  #unsubscribe: (() => void) | undefined;

  constructor(dependencies: ForgerDependencies) {
    this.#dependencies = dependencies;
    const { chain, clock, log, metrics = noMetrics } = dependencies;
    this.#counter = new ForgingCounter(metrics);
    const newestBlockTime = (): number => Number(chain.tip.keyBlock.timestamp);
    this.#clockMonitor = new ClockMonitor({ clock, log, newestBlockTime });
    this.#problems = new AccountProblems(log);
  }

  /** Starts forging, if enabled. Continues a liquid block of a wallet account. */
  start(): void {
    if (!this.#dependencies.options.enabled || this.#isRunning) return;
    this.#isRunning = true;
    this.#fault = undefined;
    const { chain, accounts } = this.#dependencies;
    const { tip } = chain;
    if (tip.liquid && accounts.accounts().some(({ address }) => bytesEqual(address, tip.keyBlock.generator)))
      this.#ownKeyBlock = tip.keyBlock.id;
    this.#unsubscribe = chain.onChange((change) => {
      if (!isLiquidGrowth(change)) this.schedule();
    });
    this.#clockMonitor.detectChange();
    this.#watchClock();
    this.schedule();
  }

  stop(): void {
    this.#isRunning = false;
    this.#cancelClockCheck?.();
    this.#cancelClockCheck = undefined;
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
    this.#cancelAll();
  }

  /** `error`: writes fail, or an internal error ended forging; `waiting`: no account can forge now. */
  get condition(): ForgingCondition {
    if (this.#fault !== undefined) return "error";
    if (!this.#isRunning) return "disabled";
    if (this.#diskFault !== undefined) return "error";
    return (this.#clockMonitor.fault ?? this.#schedulingProblem) === undefined ? "forging" : "waiting";
  }

  /** Page 06 §7.16. */
  get state(): ForgingState {
    if (this.#fault !== undefined) return `error: ${this.#fault}`;
    if (!this.#isRunning) return "disabled";
    if (this.#diskFault !== undefined) return `error: ${this.#diskFault}`;
    const error = this.#clockMonitor.fault ?? this.#schedulingProblem ?? this.#quorumFault;
    if (error !== undefined) return `error: ${error}`;
    return this.#makesMicroBlocks ? "mining microblocks" : "mining blocks";
  }

  /** Page 03 §10.2. */
  get #quorumFault(): string | undefined {
    const { connections, options } = this.#dependencies;
    const count = connections();
    if (count >= options.quorum) return undefined;
    return `Quorum not available (${count}/${options.quorum}, not forging block.`;
  }

  get accountStates(): Iterable<AccountState> {
    return this.#isRunning ? this.#states.values() : [];
  }

  /** Accounts that were scheduled since the start, with their current balance. Page 06 §7.16. */
  minerInfo(): readonly MinerInfo[] {
    return [...this.#minerInfos.values()].map((info) => ({
      ...info,
      miningBalance: this.#dependencies.chain.forging.miningBalance(info.address),
    }));
  }

  /**
   * Schedules every account. Runs automatically after chain changes other than new micro blocks; call it when accounts
   * change or the disk recovers. Page 03 §10.1.
   */
  schedule(): void {
    if (!this.#isRunning) return;
    this.#countOvertakenBlocks();
    this.#cancelAll();
    this.#diskFault = undefined;
    this.#clockMonitor.detectChange();
    this.#clockMonitor.report();
    const errors: string[] = [];
    const accounts = this.#dependencies.accounts.accounts();
    this.#states.clear();
    for (const account of accounts) {
      const problem = this.#scheduleAccount(account);
      if (problem !== undefined) errors.push(problem);
    }
    this.#schedulingProblem = errors.length === accounts.length ? errors[0] : undefined;
    this.#continueMicroBlocks();
  }

  #countOvertakenBlocks(): void {
    const { chain, clock } = this.#dependencies;
    const { id } = chain.tip.keyBlock;
    if (this.#ownKeyBlock !== undefined && bytesEqual(id, this.#ownKeyBlock)) return;
    const now = clock.monotonic();
    for (const { dueAt = Number.POSITIVE_INFINITY, parent } of this.#attempts.values())
      if (dueAt <= now && !bytesEqual(id, parent)) this.#counter.countMissed("overtaken");
  }

  #cancelAll(): void {
    for (const { cancel } of this.#attempts.values()) cancel();
    this.#attempts.clear();
    this.#endMicroBlocks();
    this.#liquidBlock = undefined;
  }

  #endMicroBlocks(): void {
    this.#microAttempt?.();
    this.#microAttempt = undefined;
    this.#makesMicroBlocks = false;
  }

  /** Page 03 §10.1. @returns why the account cannot forge; undefined on success */
  #scheduleAccount(account: WalletAccount): string | undefined {
    const { chain, clock } = this.#dependencies;
    const key = bytesKey(account.address);
    const next = nextBlock(this.#dependencies, account);
    const problem = next.ok ? undefined : next.error.text;
    this.#states.set(key, next.ok ? "scheduled" : next.error.reason);
    this.#report(account, "schedule", problem);
    if (!next.ok) {
      this.#attempts.delete(key);
      return problem;
    }
    const { at, balance } = next.value;
    const now = clock.now();
    const offset = Math.max(at - now, 0);
    this.#minerInfos.set(key, { address: account.address, miningBalance: balance, timestamp: now + offset });
    const delay = offset + EXTRA_DELAY_MS;
    const exceedsMaxWait = offset > MAX_WAIT_MS;
    const cancel = exceedsMaxWait
      ? this.#runLater(MAX_WAIT_MS, () => this.schedule())
      : this.#runLater(delay, () => this.#forge(account, balance), true);
    const dueAt = exceedsMaxWait ? undefined : clock.monotonic() + delay;
    this.#attempts.set(key, { cancel, dueAt, parent: chain.tip.keyBlock.id });
    return undefined;
  }

  /** Page 03 §10.2. */
  #forge(account: WalletAccount, balance: bigint): Promise<void> | undefined {
    this.#attempts.delete(bytesKey(account.address));
    const { chain, log, forged } = this.#dependencies;
    const result = this.#makeBlock(account, balance);
    if (!result.ok) {
      this.#counter.countMissed(result.error.reason);
      this.#report(account, "forge", result.error.text);
      this.schedule();
      return undefined;
    }
    const { value: block } = result;
    const previous = this.#ownKeyBlock;
    // Appending calls `schedule`, which reads this.
    this.#ownKeyBlock = block.signature;
    const undo = (): void => {
      this.#ownKeyBlock = previous;
    };
    const onAppended = (result: AppendResult): void => {
      if (!result.ok) {
        undo();
        const hasStakeChanged = this.#hasStakeChanged(account, balance);
        this.#counter.countMissed(hasStakeChanged ? "stake_changed" : "refused");
        if (!hasStakeChanged) log.error("Cannot append the forged block", { reason: result.error.printed });
        this.schedule();
        return;
      }
      this.#counter.countForged();
      log.info("Forged a block", {
        height: chain.tip.height,
        id: encodeBase58(block.signature),
        generator: encodeBase58(account.address),
      });
      this.#report(account, "forge", undefined);
      forged?.block(block);
    };
    return appendForged(
      () => chain.accept(block, {}, "forged"),
      onAppended,
      (error) => {
        undo();
        if (error instanceof ChainClosedError || error instanceof ChainBusyError) return;
        this.#counter.countError(error);
      },
    );
  }

  /** True if a micro block changed the account's script or stake after scheduling. */
  #hasStakeChanged({ address }: WalletAccount, balance: bigint): boolean {
    const { forging } = this.#dependencies.chain;
    return forging.isScripted(address) || forging.generatingBalance(address) !== balance;
  }

  #makeBlock(
    { address, publicKey }: WalletAccount,
    balance: bigint,
  ): Result<Block, ForgingProblem<"quorum" | "delay">> {
    const { chain, clock, network, options, accounts } = this.#dependencies;
    const quorumFault = this.#quorumFault;
    if (quorumFault !== undefined) return failed({ reason: "quorum", text: quorumFault });
    const now = clock.now();
    const { keyBlock } = chain.tip;
    const delay = chain.forging.blockDelay(publicKey, balance);
    if (!(delay < BigInt(now) - keyBlock.timestamp))
      return failed({
        reason: "delay",
        text: `${now}: Block delay ${delay} was NOT less than estimated delay`,
      });
    const draft = chain.forging.draftBlock(publicKey, BigInt(now), now - network.forging.minMicroBlockAgeMs);
    const votes = chain.forging.minerVotes(options.features);
    const features = draft.version >= 3 ? votes : [];
    const feeVote = draft.version >= 4 ? feeVoteByte(this.feeVote) : 0;
    return ok(buildBlock({ ...draft, transactions: [], features, feeVote }, accounts.keyPair(address)));
  }

  #continueMicroBlocks(): void {
    const { chain, accounts } = this.#dependencies;
    const { liquid, keyBlock } = chain.tip;
    if (!liquid || this.#ownKeyBlock === undefined || !bytesEqual(keyBlock.id, this.#ownKeyBlock)) return;
    if (!accounts.accounts().some(({ address }) => bytesEqual(address, keyBlock.generator))) return;
    this.#makesMicroBlocks = true;
    this.#microAttempt = this.#runLater(0, () => this.#attemptMicroBlock());
  }

  /** Page 03 §10.3. Sets the timer of the next attempt first, so that `schedule` can cancel it during this attempt. */
  #attemptMicroBlock(): Promise<void> | undefined {
    const { options, chain } = this.#dependencies;
    this.#microAttempt = this.#runLater(options.microBlockIntervalMs, () => this.#attemptMicroBlock());
    const pending = chain.forging.isFull ? undefined : this.#forgeMicroBlock();
    if (chain.forging.isFull) this.#endMicroBlocks();
    return pending;
  }

  #forgeMicroBlock(): Promise<void> | undefined {
    const { chain, pool, network, accounts, forged, log } = this.#dependencies;
    if (this.#quorumFault !== undefined || pool.size === 0) return undefined;
    const { tip } = chain;
    const { transactions } = pool.pack({
      capacity: {
        ...chain.forging.remainingCapacity,
        transactions: network.forging.maxTransactionsInMicroBlock,
      },
      // The protocol compares transactions with their key block's time (page 03 §10.3).
      blockTimestamp: tip.keyBlock.timestamp,
      maxWork: MAX_PACKING_WORK,
    });
    if (transactions.length === 0) return undefined;
    const base = this.#liquidBlock ?? chain.forging.liquidBlock();
    const { micro, total } = buildMicroBlock(base, transactions, accounts.keyPair(tip.keyBlock.generator));
    const previous = this.#liquidBlock;
    // The next micro block builds on this.
    this.#liquidBlock = total;
    const undo = (): void => {
      if (this.#liquidBlock === total) this.#liquidBlock = previous;
    };
    const onAppended = (result: AppendResult): void => {
      if (!result.ok) {
        undo();
        log.error("Cannot append the forged micro block", { reason: result.error.printed });
        // Otherwise each attempt would pack the rejected transaction again.
        if (result.error.cause !== undefined) pool.remove([result.error.cause.transactionId]);
        return;
      }
      log.debug("Forged a micro block", { height: tip.height, transactions: transactions.length });
      forged?.microBlock(micro);
    };
    return appendForged(() => chain.acceptMicroBlock(micro, { signature: true }, "forged"), onAppended, undo);
  }

  /**
   * Runs a task after a delay, and after the chain's current change. A disk fault pauses forging, a machine
   * fault causes a retry, any other error ends forging.
   * @param urgent true if the task may interrupt a fork that is being applied
   */
  #runLater(delayMs: number, task: () => Promise<void> | undefined | void, urgent = false): Cancel {
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
        log.error("A fault of the machine interrupted forging: retrying", { fault, error });
        this.#cancelAll();
        this.#microAttempt = this.#runLater(MACHINE_FAULT_RETRY_DELAY_MS, () => this.schedule());
        return;
      }
      log.error("Forging stopped after an internal error", { error });
      this.stop();
      this.#fault = reasonOf(error);
    };
    let cancel: Cancel = () => {};
    const wait = (ms: number): void => {
      cancel = clock.after(ms, () => {
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

  #watchClock(): void {
    this.#cancelClockCheck = this.#runLater(MAX_WAIT_MS, () => {
      this.#watchClock();
      if (this.#clockMonitor.detectChange()) this.schedule();
    });
  }

  #report(account: WalletAccount, stage: "schedule" | "forge", text: string | undefined): void {
    this.#problems.report(account, stage, text, this.#dependencies.chain.tip.height);
  }
}

function feeVoteByte(vote: FeeVote): number {
  return vote === "DECREASE" ? -1 : vote === "INCREASE" ? 1 : 0;
}

/** Page 04 §10, §11. */

import { rangeOf } from "../../bytes/ip.ts";
import { newestIds } from "../../chain/reading/history.ts";
import type { ChainChange } from "../../chain/writing/change.ts";
import { estimateHeight } from "../../consensus/proof-of-stake.ts";
import type { DeepBranch } from "../../control/deep-branch.ts";
import type { Cancel, Log } from "../../interfaces.ts";
import { contain } from "../../runtime/contain.ts";
import { type Metrics, noMetrics } from "../../runtime/metrics.ts";
import type { Peer } from "../connections/peer.ts";
import type { PeerContext } from "../context.ts";
import { extensionCounter, peerMetrics, syncMetrics, syncStages } from "../metrics.ts";
import type { SyncOptions } from "../options.ts";
import { Debounce } from "../scores/debounce.ts";
import { ScoreObserver, type SyncPeer } from "../scores/score-observer.ts";
import type { ReceivedMessage } from "../wire/messages.ts";
import { AssumedBlockSearch } from "./assumed-block-search.ts";
import { BehindWatch } from "./behind-watch.ts";
import { BlockLog } from "./block-log.ts";
import { DeepBranchSearch } from "./deep-branch.ts";
import { ExtensionLoader } from "./extension-loader.ts";
import { InvalidBlocks } from "./invalid-blocks.ts";
import type { BlockIntake } from "./loader-dependencies.ts";
import { type SyncProgress, SyncRate, type SyncTarget } from "./sync-progress.ts";

/** Page 04 §10. */
const SCORE_DEBOUNCE_MS = 1_000;
const REPORT_INTERVAL_MS = 30_000;

export interface SyncDependencies extends Omit<PeerContext, "pool"> {
  readonly extensions: BlockIntake;
  readonly blockDelayMs: number;
  /** Not rate-limited, because it gets one line per block. */
  readonly blockLog: Log;
  readonly options: SyncOptions;
  readonly metrics?: Metrics | undefined;
}

/** Page 06 §7.16. */
interface SyncState {
  readonly extensionLoader: string;
  readonly localScore: bigint;
  readonly best: string | undefined;
  readonly scores: number;
}

export class Sync {
  readonly #dependencies: SyncDependencies;
  readonly #observer: ScoreObserver<Peer>;
  readonly #announcement: Debounce<bigint>;
  readonly #loader: ExtensionLoader;
  readonly #deepBranch: DeepBranchSearch;
  readonly #assumedSearch: AssumedBlockSearch;
  readonly #rate: SyncRate;
  readonly #behindWatch: BehindWatch;
  readonly #blockLog: BlockLog;
  readonly #unsubscribe: () => void;
  readonly #stopObserving: () => void;
  #localScore: bigint;
  #cancelReport: Cancel | undefined;
  #hasEnded = false;

  constructor(dependencies: SyncDependencies) {
    const { network, chain, clock, random, options, metrics = noMetrics } = dependencies;
    this.#dependencies = dependencies;
    this.#localScore = chain.tip.score;
    this.#rate = new SyncRate(clock);
    this.#behindWatch = new BehindWatch(clock, dependencies.blockDelayMs);
    this.#blockLog = new BlockLog(dependencies.blockLog);
    const observer = new ScoreObserver<Peer>({
      clock,
      random,
      debounceMs: SCORE_DEBOUNCE_MS,
      localScore: chain.tip.score,
      groupOf: ({ host }) => rangeOf(host),
      onEvent: () => this.#contain(() => this.#onScoreEvent()),
      onScoreInEffect: () => this.#contain(() => this.#loader.scoresChanged()),
    });
    this.#observer = observer;
    this.#announcement = new Debounce<bigint>(clock, SCORE_DEBOUNCE_MS, (score) => this.#announce(score));
    const deep = new DeepBranchSearch({
      ...dependencies,
      maxRollback: options.maxRollback,
      onEnd: (peer, isFound) => {
        if (isFound) this.#loader.stopAsking(peer);
        else this.#loader.scoresChanged();
      },
    });
    this.#deepBranch = deep;
    this.#assumedSearch = new AssumedBlockSearch(dependencies, options.assumeValid);
    this.#loader = new ExtensionLoader({
      ...dependencies,
      invalidBlocks: new InvalidBlocks(clock, options.invalidBlocksMs),
      candidates: observer,
      behindWatch: this.#behindWatch,
      deepSearch: deep,
      assumedSearch: this.#assumedSearch,
      ownIds: (count) => chain.read((reader) => newestIds(reader, count)),
      onVerdict: extensionCounter(metrics),
    });
    this.#stopObserving = this.#observeMetrics(metrics);
    this.#unsubscribe = chain.onChange((change) => this.#onChange(change));
    network.onConnected((peer) => peer.send({ type: "Score", score: this.#localScore }));
    network.onClosed((peer) => {
      deep.forget(peer);
      this.#loader.forget(peer);
      observer.closed(peer);
    });
    network.on("Score", (peer, { score }) => observer.received(peer, score));
    network.on("Signatures", (peer, { ids }) => {
      // An empty answer can be for the loader or the search; the loader goes first.
      const isForLoader = ids.length === 0 && this.#loader.awaitsIds(peer);
      if (isForLoader || !deep.takeIds(peer, ids)) this.#loader.receiveIds(peer, ids);
    });
  }

  takeRequestedBlock(peer: Peer, { bytes, scan }: ReceivedMessage<"Block">): boolean {
    const block = { bytes, scan };
    return (
      this.#deepBranch.takeBlock(peer, block) ||
      this.#assumedSearch.takeBlock(peer, block) ||
      this.#loader.takeRequestedBlock(peer, block)
    );
  }

  announceScore(): void {
    this.#announcement.cancel();
    this.#announce(this.#dependencies.chain.tip.score);
  }

  scoreOf(peer: Peer): bigint | undefined {
    return this.#observer.scoreOf(peer);
  }

  get state(): SyncState {
    const observer = this.#observer;
    return {
      extensionLoader: this.#loader.state,
      localScore: observer.localScore,
      best: observer.syncWith?.peer.label,
      scores: observer.size,
    };
  }

  get deepBranch(): DeepBranch | undefined {
    return this.#deepBranch.found;
  }

  get progress(): SyncProgress {
    const { tip } = this.#dependencies.chain;
    const { blocks, transactions } = this.#rate.get();
    const progress = {
      height: tip.height,
      score: tip.score,
      blocksPerSecond: blocks,
      transactionsPerSecond: transactions,
    };
    const best = this.#observer.syncWith;
    const claimed = best && this.#claimOf(best);
    const ourChain = { score: tip.score, timestamp: tip.keyBlock.timestamp };
    const better = this.#behindWatch.better(ourChain, best !== undefined);
    if (better === undefined) return { ...progress, claimed, target: undefined, secondsLeft: undefined };
    const proven = { peer: addressOf(better.peer), ...better.evidence };
    // While catching up, a higher claim is the better estimate.
    const isLonger =
      claimed !== undefined && claimed.height > proven.height && this.#behindWatch.isCatchingUp(ourChain);
    const target = isLonger ? claimed : proven;
    const secondsLeft =
      blocks > 0 ? Math.max(0, Math.ceil((target.height - tip.height) / blocks)) : undefined;
    return { ...progress, claimed, target, secondsLeft };
  }

  #claimOf({ peer, score }: SyncPeer<Peer>): SyncTarget {
    const { tip } = this.#dependencies.chain;
    const ourTip = { height: tip.height, score: tip.score, baseTarget: tip.keyBlock.baseTarget };
    return { peer: addressOf(peer), score, height: estimateHeight(score, ourTip) };
  }

  end(): void {
    this.#hasEnded = true;
    this.#announcement.cancel();
    this.#deepBranch.end();
    this.#loader.end();
    this.#unsubscribe();
    this.#stopObserving();
    this.#cancelReport?.();
    this.#cancelReport = undefined;
  }

  #observeMetrics(metrics: Metrics): () => void {
    const ends = [
      metrics.observe(syncMetrics.stage, () => {
        const { stage } = this.#loader;
        return syncStages.map((name) => [{ stage: name }, name === stage ? 1 : 0] as const);
      }),
      metrics.observe(syncMetrics.remaining, () => {
        const { target, height } = this.progress;
        return target === undefined ? 0 : Math.max(0, target.height - height);
      }),
      metrics.observe(syncMetrics.deepBranch, () => this.#deepBranch.found?.depth ?? 0),
      metrics.observe(peerMetrics.scoreDifference, () => {
        const { highestClaim } = this.#observer;
        if (highestClaim === undefined) return undefined;
        return Number(highestClaim - this.#dependencies.chain.tip.score);
      }),
    ];
    return () => {
      for (const end of ends) end();
    };
  }

  #onChange(change: ChainChange): void {
    const { tip, committed } = change;
    this.#blockLog.follow(change);
    let blocks = 0;
    let transactions = 0;
    for (const unit of committed) {
      if (unit.sequence === 0) blocks++;
      transactions += unit.transactionCount;
    }
    this.#rate.add(blocks, transactions);
    if (tip.score === this.#localScore) return;
    this.#localScore = tip.score;
    // An error in one call must not prevent the next ones.
    this.#contain(() => this.#announcement.set(tip.score));
    this.#contain(() => this.#observer.localChanged(tip.score));
    this.#contain(() => this.#loader.chainChanged(tip.score));
    if (!change.isPart) this.#checkCaughtUp();
  }

  #checkCaughtUp(): void {
    const { chain, network } = this.#dependencies;
    if (this.#blockLog.downloadedCount === 0 || network.count === 0 || this.progress.target !== undefined)
      return;
    this.#blockLog.caughtUp(chain.tip.height);
  }

  #announce(score: bigint): void {
    if (!this.#hasEnded) this.#dependencies.network.broadcast({ type: "Score", score });
  }

  #contain(task: () => void): void {
    contain({ log: this.#dependencies.log, message: "Cannot react to a new score" }, task);
  }

  #onScoreEvent(): void {
    this.#loader.advance();
    this.#checkCaughtUp();
    if (this.#observer.syncWith === undefined) {
      this.#cancelReport?.();
      this.#cancelReport = undefined;
    } else
      this.#cancelReport ??= this.#dependencies.clock.after(REPORT_INTERVAL_MS, () => this.#reportProgress());
  }

  #reportProgress(): void {
    const { clock, log } = this.#dependencies;
    const { height, target, blocksPerSecond, transactionsPerSecond, secondsLeft } = this.progress;
    if (target !== undefined)
      log.info(`Height ${height} of about ${target.height}`, {
        from: target.peer,
        blocks: this.#blockLog.downloadedCount,
        blocksPerSecond: Math.round(blocksPerSecond),
        transactionsPerSecond: Math.round(transactionsPerSecond),
        secondsLeft,
      });
    this.#cancelReport = clock.after(REPORT_INTERVAL_MS, () => this.#reportProgress());
  }
}

function addressOf({ host, port }: Peer): string {
  return `${host}:${port}`;
}

/** Downloads the blocks of the peer with the best score. Page 04 §11, §13.2. */
import { bytesEqual } from "../../bytes/compare.ts";
import type { ReceivedBlock } from "../../chain/checking/extension-intake.ts";
import { blockText, signatureRefusal } from "../../chain/deciding/block-refusal.ts";
import { contain } from "../../runtime/contain.ts";
import type { Peer } from "../connections/peer.ts";
import { type SyncStage, stageOf } from "../metrics.ts";
import type { SyncPeer } from "../scores/score-observer.ts";
import { Applier } from "./applier.ts";
import { ArrivalChecks } from "./arrival-checks.ts";
import { ClaimDeadlines } from "./claim-deadlines.ts";
import { type Arrival, blockTimeoutMs, Download } from "./download.ts";
import { EarlyBlockTimers } from "./early-blocks.ts";
import { type ExtensionQueue, FetchedExtension, idsToRequest, stateText } from "./extension-queue.ts";
import type { LoaderDependencies, Verdict } from "./loader-dependencies.ts";
import { AbandonedRequests, SignaturesRequest } from "./signatures-request.ts";

/** Page 04 §25. */
const MAX_HELD_BYTES = 64 * 2 ** 20;
/** Above this many queued bytes, no further download starts. */
const MAX_QUEUED_BYTES = 16 * 2 ** 20;
/** While the queue is short, a download delivers parts of at least this size. */
const MIN_PART_BYTES = 256 * 1_024;
/** Answers without new blocks after which a peer is exhausted. */
const MAX_EMPTY_RESPONSES = 2;

export class ExtensionLoader {
  readonly #dependencies: LoaderDependencies;
  readonly #applier: Applier;
  readonly #arrivals: ArrivalChecks;
  #request: SignaturesRequest | Download | undefined;
  /** Blocks of a branch that is not better than our chain yet. */
  #pendingBranch: FetchedExtension | undefined;
  /** The peer without further blocks for us, and its claimed score. */
  #exhausted: SyncPeer<Peer> | undefined;
  readonly #abandoned = new AbandonedRequests();
  /** Moving average. */
  #expectedBlockBytes = 4_096;
  readonly #emptyResponses = new Map<Peer, number>();
  readonly #earlyBlocks: EarlyBlockTimers;
  readonly #deadlines: ClaimDeadlines;
  #hasEnded = false;

  constructor(dependencies: LoaderDependencies) {
    this.#dependencies = dependencies;
    this.#applier = new Applier(dependencies, {
      onEvidence: ({ peer }, evidence) => {
        dependencies.behindWatch.found(peer, evidence);
        this.#deadlines.settled(peer);
      },
      onVerdict: (extension, verdict) => this.#handleVerdict(extension, verdict),
      onGivenUp: (extension) => this.#giveUp(extension),
      onChainClosed: () => this.end(),
      onAttempted: () => this.#continue(),
      onFault: (peer) => this.#handleFault(peer),
    });
    this.#arrivals = new ArrivalChecks(dependencies);
    this.#earlyBlocks = new EarlyBlockTimers(dependencies.clock, (peer) => this.#retryEarlyBlocks(peer));
    this.#deadlines = new ClaimDeadlines(dependencies.clock, (peer) => this.#closeExpired(peer));
  }

  /** Page 06 §7.16. */
  get state(): string {
    return stateText(this.#request, this.#queue.extensions[0]);
  }

  get stage(): SyncStage {
    return stageOf(this.#request?.kind, this.#queue.length);
  }

  /** Call this when the sync peer may have changed. */
  advance(): void {
    this.#takeNextStep();
    this.scoresChanged();
  }

  scoresChanged(): void {
    this.#deadlines.update({
      isAsked: (peer) => this.#request?.peer === peer,
      isPaused: (peer) => this.#queue.has(peer) || this.#dependencies.deepSearch.isSearching(peer),
      claimsMore: (peer) => this.#dependencies.candidates.claimsMore(peer),
    });
  }

  chainChanged(score: bigint): void {
    this.#deadlines.overtaken(score);
    this.scoresChanged();
  }

  #takeNextStep(): void {
    if (this.#hasEnded || this.#abandonSlowRequest()) return;
    const { candidates } = this.#dependencies;
    const target = candidates.syncWith;
    if (this.#request !== undefined || this.#queue.bytes > MAX_QUEUED_BYTES || this.#applier.isWaitingToRetry)
      return;
    if (this.#pendingBranch !== undefined && this.#pendingBranch.peer !== target?.peer)
      this.#pendingBranch = undefined;
    if (target === undefined || target.peer.isClosed) return;
    const exhausted = this.#exhausted;
    if (exhausted?.peer !== target.peer || exhausted.score !== target.score) {
      this.#requestIds(target);
      return;
    }
    // Queued blocks may still prove the score.
    if (this.#queue.length > 0) return;
    this.#exhausted = undefined;
    this.#pendingBranch = undefined;
    this.#deadlines.answeredEmpty(target.peer);
    candidates.markUnfounded(target.peer);
  }

  awaitsIds(peer: Peer): boolean {
    if (this.#request?.kind === "signatures" && this.#request.peer === peer) return true;
    return this.#abandoned.has(peer);
  }

  /** Page 04 §11.2. */
  receiveIds(peer: Peer, ids: readonly Uint8Array[]): void {
    const request = this.#request;
    if (request?.kind !== "signatures" || request.peer !== peer) {
      this.#abandoned.answered(peer);
      return;
    }
    const banReason = this.#dependencies.invalidBlocks.banReason(ids);
    const answer = request.read(ids);
    const isForeign = answer.kind === "invalid" && answer.isForeign;
    if (banReason === undefined && isForeign && this.#abandoned.answered(peer)) return;
    this.#endRequest();
    if (banReason !== undefined) peer.blacklist(banReason);
    else if (answer.kind === "invalid")
      peer.close("The peer answered GetSignatures with ids that do not continue ours");
    else if (answer.kind === "nothing new") {
      this.#exhausted = { peer, score: request.score };
      if (ids.length === 0) this.#dependencies.deepSearch.start(peer);
    } else {
      this.#startDownload(request, answer.parent, answer.ids);
      return;
    }
    this.advance();
  }

  /** @returns false for a block that was not requested */
  takeRequestedBlock(peer: Peer, block: ReceivedBlock): boolean {
    const download = this.#request;
    if (download?.kind !== "blocks" || download.peer !== peer) return false;
    const arrival: Arrival = download.take(block);
    if (arrival === "not requested") return false;
    if (arrival === "unlinked") {
      this.#reset();
      const text = "GenericError(Blocks do not follow each other as they were listed)";
      peer.blacklist(new FetchedExtension(peer, [block]).banReason(text));
      this.advance();
      return true;
    }
    download.isLate = false;
    this.#deadlines.extend(peer, blockTimeoutMs(block.bytes.length));
    this.#expectedBlockBytes = Math.round(0.9 * this.#expectedBlockBytes + 0.1 * block.bytes.length);
    this.#tryDeliver(download);
    return true;
  }

  /** Keeps the peer's queued blocks. */
  forget(peer: Peer): void {
    if (this.#request?.peer === peer) this.#endRequest();
    if (this.#exhausted?.peer === peer) this.#exhausted = undefined;
    if (this.#pendingBranch?.peer === peer) this.#pendingBranch = undefined;
    this.#emptyResponses.delete(peer);
    this.#earlyBlocks.forget(peer);
    this.#deadlines.settled(peer);
  }

  /** The chain finishes an extension in progress. */
  end(): void {
    this.#hasEnded = true;
    this.#endRequest();
    this.#applier.end();
    this.#pendingBranch = undefined;
    this.#earlyBlocks.end();
    this.#deadlines.end();
  }

  get #queue(): ExtensionQueue {
    return this.#applier.queue;
  }

  #requestIds({ peer, score }: SyncPeer<Peer>): void {
    const { clock, options, ownIds } = this.#dependencies;
    const extensions = this.#pendingBranch === undefined ? this.#queue.extensions : [this.#pendingBranch];
    const ids = idsToRequest(extensions, ownIds, options.maxRollback);
    const request: SignaturesRequest = new SignaturesRequest(peer, score, ids, {
      clock,
      timeoutMs: options.timeoutMs,
      onTimeout: () => this.#handleTimeout(request),
      onSlow: () => this.#handleSlowRequest(),
    });
    this.#request = request;
    this.#dependencies.assumedSearch.ask(peer);
    this.#deadlines.asked(peer, score);
  }

  #handleTimeout(request: SignaturesRequest): void {
    const { peer } = request;
    this.#endRequest();
    // No ban: a peer without these ids does not answer. Page 04 §12.
    if (this.#dependencies.candidates.syncWith?.peer === peer) peer.close("Timeout loading extension");
    else this.#abandoned.add(request);
    this.advance();
  }

  #handleSlowRequest(): void {
    const request = this.#request;
    if (request !== undefined) request.isLate = true;
    if (request?.kind === "signatures") this.#dependencies.deepSearch.start(request.peer);
    this.#abandonSlowRequest();
  }

  /** Stops asking a peer whose better chain branches off too deep. */
  stopAsking(peer: Peer): void {
    if (this.#request?.kind === "signatures" && this.#request.peer === peer) {
      this.#abandoned.add(this.#request);
      this.#endRequest();
    }
    this.#deadlines.settled(peer);
    this.#dependencies.candidates.markUnfounded(peer);
    this.advance();
  }

  #abandonSlowRequest(): boolean {
    const request = this.#request;
    const { candidates, log } = this.#dependencies;
    if (request?.isLate !== true || !candidates.hasOtherClaimant(request.peer)) return false;
    const { peer } = request;
    log.debug("A peer answers slowly: asking another one", { peer: peer.label });
    if (request.kind === "signatures") this.#abandoned.add(request);
    this.#endRequest();
    candidates.markUnfounded(peer);
    this.advance();
    return true;
  }

  #endRequest(): void {
    const request = this.#request;
    this.#request = undefined;
    request?.end();
    if (request?.kind === "blocks") this.#arrivals.clear();
  }

  #startDownload({ peer, score }: SignaturesRequest, parent: Uint8Array, ids: readonly Uint8Array[]): void {
    const { clock, log, options, candidates } = this.#dependencies;
    const download: Download = new Download(peer, score, parent, ids, {
      clock,
      log,
      timeoutMs: options.timeoutMs,
      room: () => this.#room,
      expectedBlockBytes: () => this.#expectedBlockBytes,
      hasNewScore: () => candidates.syncWith?.peer === peer && candidates.syncWith.score !== score,
      check: (block) => this.#arrivals.check(peer.label, block),
      onChecked: () => this.#tryDeliver(download),
      onUnsigned: (block) => this.#banForUnsignedBlock(peer, block),
      onFault: () => this.#handleFault(peer),
      onSlow: () => this.#handleSlowRequest(),
      onTimeout: (reason, isSilent) => {
        this.#endRequest();
        if (isSilent) peer.suspend(reason);
        else peer.blacklist(reason);
        this.advance();
      },
      onSuperseded: () => {
        this.#endRequest();
        this.#deliver(peer, download.takeReady());
        this.advance();
      },
    });
    this.#request = download;
    // If no other peer can be asked, the deadline allows the whole download.
    if (!this.#dependencies.candidates.hasOtherClaimant(peer))
      this.#deadlines.allowDownload(peer, download.limitMs);
    download.requestMissing();
  }

  #banForUnsignedBlock(peer: Peer, block: ReceivedBlock): void {
    const refusal = signatureRefusal(blockText(block.scan.header));
    this.#ban(peer, new FetchedExtension(peer, [block]).banReason(refusal.printed));
    this.advance();
  }

  get #room(): number {
    const downloaded = this.#request?.kind === "blocks" ? this.#request.heldBytes : 0;
    return MAX_HELD_BYTES - downloaded - this.#queue.bytes - (this.#pendingBranch?.bytes ?? 0);
  }

  #handleFault(peer: Peer | undefined): void {
    this.#reset();
    peer?.close("This node failed to process the blocks of the peer");
    this.advance();
  }

  #tryDeliver(download: Download): void {
    const onFailure = (): void => this.#handleFault(download.peer);
    const message = "Cannot process downloaded blocks";
    contain({ log: this.#dependencies.log, message, onFailure }, () => this.#deliverReady(download));
  }

  #deliverReady(download: Download): void {
    const { peer } = download;
    const hasShortQueue = this.#queue.length < 2 && this.#pendingBranch === undefined;
    const isStuck = download.isStuck && this.#queue.length === 0;
    if (download.isComplete || isStuck || (hasShortQueue && download.readyBytes >= MIN_PART_BYTES))
      this.#deliver(peer, download.takeReady());
    if (!download.isDelivered) {
      if (download.isStuck && this.#queue.length === 0) this.#skipTooLongBranch(peer);
      return;
    }
    this.#endRequest();
    this.advance();
  }

  #skipTooLongBranch(peer: Peer): void {
    this.#dependencies.log.warn("The branch of a peer needs too much memory", { peer: peer.label });
    this.#reset();
    this.#deadlines.answeredEmpty(peer);
    this.#dependencies.candidates.markUnfounded(peer);
    this.advance();
  }

  #deliver(peer: Peer, blocks: readonly ReceivedBlock[]): void {
    if (blocks.length === 0) return;
    const assumed = this.#dependencies.assumedSearch.receivedFrom(peer);
    const delivered = assumed === undefined ? blocks : blocks.map((block) => ({ ...block, assumed }));
    let extension = new FetchedExtension(peer, delivered);
    const pending = this.#pendingBranch;
    this.#pendingBranch = undefined;
    if (pending !== undefined) extension = pending.joinedWith(extension) ?? extension;
    this.#queue.push(extension);
    this.#applier.apply();
  }

  #continue(): void {
    if (this.#request?.kind === "blocks") {
      this.#request.requestMissing();
      this.#tryDeliver(this.#request);
    }
    this.#applier.apply();
    this.advance();
  }

  #handleVerdict(extension: FetchedExtension, result: Verdict): void {
    this.#dependencies.behindWatch.settled(result.kind === "applied");
    switch (result.kind) {
      case "applied":
        this.#emptyResponses.clear();
        this.#deadlines.settled(extension.peer);
        this.#dependencies.candidates.markProven(extension.peer);
        extension.peer.credit("block", result.blocks);
        return;
      case "known":
        this.#countEmptyResponse(extension);
        return;
      case "not better":
        this.#keepBranch(extension);
        return;
      case "future":
        this.#waitForEarlyBlock(extension, result.id, result.dueAt);
        return;
      case "no common parent":
      case "too deep":
        // No ban: our chain has changed meanwhile.
        this.#reset();
        this.#countEmptyResponse(extension);
        return;
      case "malformed":
        this.#ban(extension.peer, `Invalid message. ${result.refusal.text}`);
        return;
      default:
        if (result.kind === "bad block" && result.remember)
          this.#dependencies.invalidBlocks.add(result.id, result.refusal.printed);
        this.#ban(extension.peer, extension.banReason(result.refusal.printed));
    }
  }

  #ban(peer: Peer, reason: string): void {
    this.#reset();
    this.#dependencies.log.warn("Extension refused", { peer: peer.label, reason });
    peer.blacklist(reason);
  }

  /** Page 04 §25. */
  #keepBranch(extension: FetchedExtension): void {
    if (extension.isTooLong(this.#dependencies.options.maxRollback)) {
      this.#skipTooLongBranch(extension.peer);
      return;
    }
    if (this.#queue.length === 0) this.#pendingBranch = extension;
    else this.#queue.prependToFirst(extension);
  }

  #countEmptyResponse({ peer }: FetchedExtension): void {
    const target = this.#dependencies.candidates.syncWith;
    if (target?.peer !== peer) return;
    const count = (this.#emptyResponses.get(peer) ?? 0) + 1;
    this.#emptyResponses.set(peer, count);
    if (count >= MAX_EMPTY_RESPONSES) this.#exhausted = target;
  }

  #waitForEarlyBlock(extension: FetchedExtension, id: Uint8Array, dueAt: number): void {
    const { clock, candidates } = this.#dependencies;
    const { peer, blocks } = extension;
    this.#reset();
    const index = blocks.findIndex(({ scan }) => bytesEqual(scan.header.signature, id));
    if (index > 0) this.#queue.unshift(new FetchedExtension(peer, blocks.slice(0, index)));
    candidates.markUnfounded(peer);
    const waitMs = Math.max(1, dueAt - clock.now());
    this.#deadlines.answeredEarly(peer, waitMs);
    this.#earlyBlocks.wait(peer, waitMs);
  }

  #retryEarlyBlocks(peer: Peer): void {
    this.#deadlines.answeredEmpty(peer);
    this.#dependencies.candidates.reconsider(peer);
    this.advance();
  }

  #giveUp({ peer }: FetchedExtension): void {
    this.#reset();
    this.#dependencies.behindWatch.settled(false);
    this.#deadlines.settled(peer);
    this.#dependencies.candidates.markUnfounded(peer);
  }

  #closeExpired(peer: Peer): void {
    const { log, candidates } = this.#dependencies;
    log.info("Disconnecting a peer that claims a better chain and does not send it", { peer: peer.label });
    candidates.markUnfounded(peer);
    peer.close("The peer did not send the better chain that it claims");
    this.advance();
  }

  #reset(): void {
    if (this.#request?.kind === "signatures") this.#abandoned.add(this.#request);
    this.#endRequest();
    this.#queue.clear();
    this.#pendingBranch = undefined;
    this.#exhausted = undefined;
  }
}

/**
 * Fetches what a better peer has, and hands it to the chain: GetSignatures, Signatures, GetBlock, Block, apply. One peer
 * is asked at a time, for the next blocks while earlier ones are applied. Page 04 §11, §13.2.
 */
import { bytesEqual } from "../../bytes/compare.ts";
import type { ReceivedBlock } from "../../chain/checking/extension-intake.ts";
import { blockText, signatureRefusal } from "../../chain/deciding/block-refusal.ts";
import { contain } from "../../runtime/contain.ts";
import type { Peer } from "../connections/peer.ts";
import type { SyncPeer } from "../scores/score-observer.ts";
import { Applier, type Verdict } from "./applier.ts";
import { ArrivalChecks } from "./arrival-checks.ts";
import { ClaimDeadlines } from "./claim-deadlines.ts";
import { type Arrival, blockTimeMs, Download } from "./download.ts";
import { EarlyBlockTimers } from "./early-blocks.ts";
import { type ExtensionQueue, FetchedExtension, idsToRequest } from "./extension-queue.ts";
import type { LoaderDependencies } from "./loader-dependencies.ts";
import { AbandonedRequests, SignaturesRequest } from "./signatures-request.ts";

/** Bytes of blocks that are held at most, whoever sent them. Page 04 §25. */
const MAX_HELD_BYTES = 64 * 2 ** 20;
/** Bytes that wait for the chain, above which no more blocks are asked about. */
const MAX_QUEUED_BYTES = 16 * 2 ** 20;
/** A part of a download goes to the chain when it has so many bytes, and nothing else waits there. */
const MIN_PART_BYTES = 256 * 1_024;
/** What blocks are expected to have as long as none came, bytes. */
const INITIAL_EXPECTED_BYTES = 4_096;
/** Answers of a peer in a row that bring nothing new. */
const MAX_EMPTY_RESPONSES = 2;

export class ExtensionLoader {
  readonly #dependencies: LoaderDependencies;
  readonly #applier: Applier;
  readonly #arrivals: ArrivalChecks;
  #request: SignaturesRequest | Download | undefined;
  /** What is not better than our chain yet, and waits for what follows it. */
  #pending: FetchedExtension | undefined;
  /** Who has shown everything, at which score. */
  #exhausted: SyncPeer<Peer> | undefined;
  readonly #abandoned = new AbandonedRequests();
  #expectedBytes = INITIAL_EXPECTED_BYTES;
  #emptyResponses = 0;
  readonly #earlyBlocks: EarlyBlockTimers;
  readonly #deadlines: ClaimDeadlines;
  #ended = false;

  constructor(dependencies: LoaderDependencies) {
    this.#dependencies = dependencies;
    this.#applier = new Applier(dependencies, {
      onEvidence: ({ peer }, evidence) => {
        dependencies.behind.found(peer, evidence);
        this.#deadlines.settled(peer);
      },
      onVerdict: (extension, verdict) => this.#applied(extension, verdict),
      onGivenUp: (extension) => this.#giveUp(extension),
      onClosed: () => this.end(),
      onAttempted: () => this.#continue(),
      onFault: (peer) => this.#failed(peer),
    });
    this.#arrivals = new ArrivalChecks(dependencies);
    this.#earlyBlocks = new EarlyBlockTimers(dependencies.clock, (peer) => this.#retryEarlyBlocks(peer));
    this.#deadlines = new ClaimDeadlines(dependencies.clock, (peer) => this.#closeExpired(peer));
  }

  /** As `/debug/info` shows it: loader, applier. Page 06 §7.16. */
  get state(): string {
    const request = this.#request;
    const [applying] = this.#queue.extensions;
    const expected = request?.kind === "signatures" ? "ExpectingSignatures" : "ExpectingBlocks";
    const loader = request === undefined ? "Idle" : `${expected}(${request.peer.label})`;
    return `State(${loader},${applying === undefined ? "Idle" : `Applying(${applying.text})`})`;
  }

  /** Whether anything is under way. */
  get isIdle(): boolean {
    return this.#request === undefined && this.#queue.length === 0;
  }

  /** Does what is to do next; to be called whenever the answer to whom to sync from has changed. */
  drive(): void {
    this.#takeNextStep();
    this.scoresChanged();
  }

  /** Counts the time of claims by the scores that peers tell now. */
  scoresChanged(): void {
    this.#deadlines.update({
      isAsked: (peer) => this.#request?.peer === peer,
      isExcused: (peer) => this.#queue.has(peer),
      claimsMore: (peer) => this.#dependencies.candidates.claimsMore(peer),
    });
  }

  /** Closes the claims that our chain, which has this score now, has overtaken. */
  chainChanged(score: bigint): void {
    this.#deadlines.overtaken(score);
    this.scoresChanged();
  }

  #takeNextStep(): void {
    if (this.#ended || this.#abandonSlowRequest()) return;
    const { candidates } = this.#dependencies;
    const target = candidates.syncWith;
    if (this.#request !== undefined || this.#queue.bytes > MAX_QUEUED_BYTES || this.#applier.isWaitingToRetry)
      return;
    if (this.#pending !== undefined && this.#pending.peer !== target?.peer) this.#pending = undefined;
    if (target === undefined || target.peer.isClosed) return;
    const exhausted = this.#exhausted;
    if (exhausted?.peer !== target.peer || exhausted.score !== target.score) {
      this.#ask(target);
      return;
    }
    // What it showed is not all in the chain: it may bear out the score.
    if (this.#queue.length > 0) return;
    this.#exhausted = undefined;
    this.#pending = undefined;
    this.#deadlines.answeredEmpty(target.peer);
    candidates.markUnfounded(target.peer);
  }

  /** A peer answers which blocks follow. Page 04 §11.2. */
  signatures(peer: Peer, ids: readonly Uint8Array[]): void {
    const request = this.#request;
    if (request?.kind !== "signatures" || request.peer !== peer) {
      this.#abandoned.answered(peer);
      return;
    }
    const fault = this.#dependencies.invalid.fault(ids);
    const answer = request.read(ids);
    if (fault === undefined && answer.kind === "unfit" && answer.elsewhere && this.#abandoned.answered(peer))
      return;
    this.#endRequest();
    if (fault !== undefined) peer.blacklist(fault);
    else if (answer.kind === "unfit")
      peer.close("It answered GetSignatures with ids that do not go on from ours");
    else if (answer.kind === "nothing new") this.#exhausted = { peer, score: request.score };
    else {
      this.#load(request, answer.parent, answer.ids);
      return;
    }
    this.drive();
  }

  /** Whether a block is one that was asked for; it is taken then. */
  takeRequestedBlock(peer: Peer, block: ReceivedBlock): boolean {
    const download = this.#request;
    if (download?.kind !== "blocks" || download.peer !== peer) return false;
    const arrival: Arrival = download.take(block);
    if (arrival === "none of these") return false;
    if (arrival === "unlinked") {
      this.#reset();
      const text = "GenericError(Blocks do not follow each other as they were listed)";
      peer.blacklist(new FetchedExtension(peer, [block]).banReason(text));
      this.drive();
      return true;
    }
    download.isLate = false;
    this.#deadlines.extend(peer, blockTimeMs(block.bytes.length));
    this.#expectedBytes = Math.round(0.9 * this.#expectedBytes + 0.1 * block.bytes.length);
    this.#tryDeliver(download);
    return true;
  }

  /** A peer has left: what it owes is not waited for. */
  left(peer: Peer): void {
    if (this.#request?.peer === peer) this.#endRequest();
    if (this.#exhausted?.peer === peer) this.#exhausted = undefined;
    if (this.#pending?.peer === peer) this.#pending = undefined;
    this.#earlyBlocks.forget(peer);
    this.#deadlines.settled(peer);
  }

  /** Asks nobody and applies nothing any more, but for what is being applied. */
  end(): void {
    this.#ended = true;
    this.#endRequest();
    this.#applier.end();
    this.#pending = undefined;
    this.#earlyBlocks.end();
    this.#deadlines.end();
  }

  get #queue(): ExtensionQueue {
    return this.#applier.queue;
  }

  #ask({ peer, score }: SyncPeer<Peer>): void {
    const { clock, options, ownIds } = this.#dependencies;
    const extensions = this.#pending === undefined ? this.#queue.extensions : [this.#pending];
    const ids = idsToRequest(extensions, ownIds, options.maxRollback);
    const request: SignaturesRequest = new SignaturesRequest(peer, score, ids, {
      clock,
      timeoutMs: options.timeoutMs,
      onTimeout: () => this.#timedOut(request),
      onSlow: () => this.#slowed(),
    });
    this.#request = request;
    this.#deadlines.asked(peer, score);
  }

  #timedOut(request: SignaturesRequest): void {
    const { peer } = request;
    this.#endRequest();
    // Perhaps it has nothing in common with us, and says so by silence: no ban. Page 04 §25.
    if (this.#dependencies.candidates.syncWith?.peer === peer) peer.close("Timeout loading extension");
    else this.#abandoned.add(request);
    this.drive();
  }

  #slowed(): void {
    if (this.#request === undefined) return;
    this.#request.isLate = true;
    this.#abandonSlowRequest();
  }

  /** Turns to another peer, where there is one, when the one that was asked takes its time. */
  #abandonSlowRequest(): boolean {
    const request = this.#request;
    const { candidates, log } = this.#dependencies;
    if (request?.isLate !== true || !candidates.hasOther(request.peer)) return false;
    const { peer } = request;
    log.debug("A peer is slow to send what it has; another one is asked", { peer: peer.label });
    if (request.kind === "signatures") this.#abandoned.add(request);
    this.#endRequest();
    candidates.markUnfounded(peer);
    this.drive();
    return true;
  }

  #endRequest(): void {
    const request = this.#request;
    this.#request = undefined;
    request?.end();
    if (request?.kind === "blocks") this.#arrivals.clear();
  }

  // -------------------------------------------------------------------------------------------------- loading

  #load({ peer, score }: SignaturesRequest, parent: Uint8Array, ids: readonly Uint8Array[]): void {
    const { clock, log, options, candidates } = this.#dependencies;
    const download: Download = new Download(peer, score, parent, ids, {
      clock,
      log,
      timeoutMs: options.timeoutMs,
      room: () => this.#room,
      expectedBytes: () => this.#expectedBytes,
      hasNewScore: () => candidates.syncWith?.peer === peer && candidates.syncWith.score !== score,
      check: (block) => this.#arrivals.check(peer.label, block),
      onChecked: () => this.#tryDeliver(download),
      onUnsigned: (block) => this.#unsigned(peer, block),
      onFault: () => this.#failed(peer),
      onSlow: () => this.#slowed(),
      onTimeout: (reason, isSilent) => {
        this.#endRequest();
        if (isSilent) peer.suspend(reason);
        else peer.blacklist(reason);
        this.drive();
      },
      onSuperseded: () => {
        this.#endRequest();
        this.#deliver(peer, download.takeReady());
        this.drive();
      },
    });
    this.#request = download;
    // With no other peer to ask, the limits of the download decide how long this one may take.
    if (!this.#dependencies.candidates.hasOther(peer)) this.#deadlines.allowDownload(peer, download.limitMs);
    download.ask();
  }

  /** A block is not signed: the peer is refused, and nothing else of its download is used. */
  #unsigned(peer: Peer, block: ReceivedBlock): void {
    const refusal = signatureRefusal(blockText(block.scan.header));
    this.#ban(peer, new FetchedExtension(peer, [block]).banReason(refusal.printed));
    this.drive();
  }

  /** Bytes that may still be held. */
  get #room(): number {
    const request = this.#request;
    const downloaded = request?.kind === "blocks" ? request.heldBytes : 0;
    return MAX_HELD_BYTES - downloaded - this.#queue.bytes - (this.#pending?.bytes ?? 0);
  }

  /** After a fault of this node: gives up what is under way and closes the connection. */
  #failed(peer: Peer | undefined): void {
    this.#reset();
    peer?.close("This node failed to handle its blocks");
    this.drive();
  }

  /** Hands on what came. A fault must not leave the request open. */
  #tryDeliver(download: Download): void {
    const { log } = this.#dependencies;
    const onFailure = (): void => this.#failed(download.peer);
    contain({ log, message: "Blocks could not be handed on", onFailure }, () => this.#deliverReady(download));
  }

  /** Hands on all blocks at the end, and parts of them while the chain waits for work. */
  #deliverReady(download: Download): void {
    const { peer } = download;
    const waits = this.#queue.length < 2 && this.#pending === undefined;
    const isStuck = download.isStuck && this.#queue.length === 0;
    if (download.isComplete || isStuck || (waits && download.readyBytes >= MIN_PART_BYTES))
      this.#deliver(peer, download.takeReady());
    if (!download.isDone) {
      if (download.isStuck && this.#queue.length === 0) this.#tooLarge(peer);
      return;
    }
    this.#endRequest();
    this.drive();
  }

  /** More is to be held than a better branch may need. */
  #tooLarge(peer: Peer): void {
    this.#dependencies.log.warn("A peer's branch is too large to be held", { peer: peer.label });
    this.#reset();
    this.#deadlines.answeredEmpty(peer);
    this.#dependencies.candidates.markUnfounded(peer);
    this.drive();
  }

  #deliver(peer: Peer, blocks: readonly ReceivedBlock[]): void {
    if (blocks.length === 0) return;
    let extension = new FetchedExtension(peer, blocks);
    const pending = this.#pending;
    this.#pending = undefined;
    if (pending !== undefined) extension = pending.continued(extension) ?? extension;
    this.#queue.push(extension);
    this.#applier.apply();
  }

  // ------------------------------------------------------------------------------------------------- applying

  /** An attempt to apply an extension has ended: there is room for more. */
  #continue(): void {
    if (this.#request?.kind === "blocks") {
      this.#request.ask();
      this.#tryDeliver(this.#request);
    }
    this.#applier.apply();
    this.drive();
  }

  #applied(extension: FetchedExtension, result: Verdict): void {
    this.#dependencies.behind.settled(result.kind === "applied");
    switch (result.kind) {
      case "applied":
        this.#emptyResponses = 0;
        this.#deadlines.settled(extension.peer);
        this.#dependencies.candidates.markProven(extension.peer);
        extension.peer.credit("block", result.blocks);
        return;
      case "known":
        this.#gotNothingNew(extension);
        return;
      case "not better":
        this.#notBetter(extension);
        return;
      case "future":
        this.#tooEarly(extension, result.id, result.dueAt);
        return;
      case "no common parent":
      case "too deep":
        // What we asked from has left our chain since, or lies too far back by now: no fault of the peer's.
        this.#reset();
        this.#gotNothingNew(extension);
        return;
      case "malformed":
        this.#ban(extension.peer, `Invalid message. ${result.refusal.text}`);
        return;
      default:
        if (result.kind === "bad block" && result.remember)
          this.#dependencies.invalid.add(result.id, result.refusal.printed);
        this.#ban(extension.peer, extension.banReason(result.refusal.printed));
    }
  }

  #ban(peer: Peer, reason: string): void {
    this.#reset();
    this.#dependencies.log.warn("An extension was refused", { peer: peer.label, reason });
    peer.blacklist(reason);
  }

  /** An extension of a branch that is not better by itself: what follows it decides. Page 04 §25. */
  #notBetter(extension: FetchedExtension): void {
    if (extension.isTooLong(this.#dependencies.options.maxRollback)) {
      this.#tooLarge(extension.peer);
      return;
    }
    if (this.#queue.length === 0) this.#pending = extension;
    else this.#queue.prepend(extension);
  }

  /** What the peer listed is in the chain already, or does not fit any more: to ask for it again and again leads nowhere. */
  #gotNothingNew({ peer }: FetchedExtension): void {
    const target = this.#dependencies.candidates.syncWith;
    if (target?.peer === peer && ++this.#emptyResponses >= MAX_EMPTY_RESPONSES) this.#exhausted = target;
  }

  /** Blocks ahead of our clock: those before them are taken, they themselves are asked for when their time has come. */
  #tooEarly(extension: FetchedExtension, id: Uint8Array, dueAt: number): void {
    const { clock, candidates } = this.#dependencies;
    const { peer, blocks } = extension;
    this.#reset();
    const place = blocks.findIndex(({ scan }) => bytesEqual(scan.header.signature, id));
    if (place > 0) this.#queue.unshift(new FetchedExtension(peer, blocks.slice(0, place)));
    candidates.markUnfounded(peer);
    const waitMs = Math.max(1, dueAt - clock.now());
    this.#deadlines.answeredEarly(peer, waitMs);
    this.#earlyBlocks.wait(peer, waitMs);
  }

  /** The early blocks of a peer are due now: the node asks for them again. */
  #retryEarlyBlocks(peer: Peer): void {
    this.#deadlines.answeredEmpty(peer);
    this.#dependencies.candidates.reconsider(peer);
    this.drive();
  }

  /** This node cannot take what a peer sent: it closes the peer's claim and asks other peers. */
  #giveUp({ peer }: FetchedExtension): void {
    this.#reset();
    this.#dependencies.behind.settled(false);
    this.#deadlines.settled(peer);
    this.#dependencies.candidates.markUnfounded(peer);
  }

  /** A peer has claimed a better chain for too long. It may be honest: it is disconnected, not banned. */
  #closeExpired(peer: Peer): void {
    const { log, candidates } = this.#dependencies;
    log.info("A peer claims a better chain and does not show it: it is disconnected", { peer: peer.label });
    candidates.markUnfounded(peer);
    peer.close("It has not shown the better chain that it claims");
    this.drive();
  }

  /** Forgets whatever is under way, which rests on what turned out to be nothing. */
  #reset(): void {
    if (this.#request?.kind === "signatures") this.#abandoned.add(this.#request);
    this.#endRequest();
    this.#queue.clear();
    this.#pending = undefined;
    this.#exhausted = undefined;
  }
}

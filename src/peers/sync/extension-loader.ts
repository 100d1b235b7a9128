/**
 * Fetches what a better peer has, and hands it to the chain: GetSignatures, Signatures, GetBlock, Block, apply. One peer
 * is asked at a time, and the next blocks are asked for while those that came are applied. Page 04 §11, §13.2.
 */
import { bytesKey } from "../../bytes/compare.ts";
import type { ExtensionResult } from "../../chain/chain.ts";
import type { SentBlock } from "../../chain/checking/extension-intake.ts";
import { blockText, signatureRefusal } from "../../chain/deciding/block-refusal.ts";
import { ChainClosedError } from "../../chain/writing/write-queue.ts";
import type { Cancel } from "../../interfaces.ts";
import type { Peer } from "../connections/peer.ts";
import type { SyncPeer } from "../scores/score-observer.ts";
import { ArrivalChecks } from "./arrival-checks.ts";
import { type Arrival, Download } from "./download.ts";
import type { LoaderDependencies } from "./loader-dependencies.ts";
import { follows, idsOf, joined, type Piece, PieceQueue, pieceOf, piecesText } from "./pieces.ts";
import { GivenUp, Question } from "./question.ts";

/** Ids in one message at most. Page 04 §8.3. */
const MOST_IDS = 200;
/** Ids of blocks that are not in the chain yet, in front of those that are. */
const MOST_AHEAD_IDS = 100;
/** Bytes of blocks that are held at most, whoever sent them. Page 04 §25. */
const MOST_BYTES = 64 * 2 ** 20;
/** Bytes that wait for the chain, above which no more blocks are asked about. */
const AHEAD_BYTES = 16 * 2 ** 20;
/** A part of a download goes to the chain when it has so many bytes, and nothing else waits there. */
const PART_BYTES = 256 * 1_024;
/** What blocks are expected to have as long as none came, bytes. */
const FIRST_EXPECTED = 4_096;
/** Blocks a little ahead of the clock are asked for again when their time has come, ms from now at most. */
const MOST_AHEAD_MS = 60_000;
/** How long what the chain could not take waits before it is tried again, ms, and how often that is done. */
const RETRY_MS = 1_000;
const MOST_RETRIES = 30;
/** Answers of a peer in a row that bring nothing new. */
const MOST_FRUITLESS = 2;

/** Blocks of a peer are on their way. */
interface Loading {
  readonly kind: "loading";
  readonly peer: Peer;
  readonly score: bigint;
  readonly download: Download;
  isLate: boolean;
}

export class ExtensionLoader {
  readonly #dependencies: LoaderDependencies;
  readonly #queue: PieceQueue;
  readonly #arrivals: ArrivalChecks;
  #request: Question | Loading | undefined;
  /** What is not better than our chain yet, and waits for what follows it. */
  #pending: Piece | undefined;
  /** Who has shown everything, at which score. */
  #exhausted: SyncPeer<Peer> | undefined;
  readonly #givenUp = new GivenUp();
  #expectedBytes = FIRST_EXPECTED;
  #isApplying = false;
  #retries = 0;
  #fruitless = 0;
  #cancelRetry: Cancel | undefined;
  /** Wait for the time of blocks that came too early, one for each peer. */
  readonly #reconsidering = new Map<Peer, Cancel>();
  #ended = false;

  constructor(dependencies: LoaderDependencies) {
    this.#dependencies = dependencies;
    this.#queue = new PieceQueue((blocks) => dependencies.intake.offer(blocks));
    this.#arrivals = new ArrivalChecks(dependencies);
  }

  /** As `/debug/info` shows it: loader, applier. Page 06 §7.16. */
  get state(): string {
    const loader =
      this.#request === undefined
        ? "Idle"
        : `${this.#request.kind === "question" ? "ExpectingSignatures" : "ExpectingBlocks"}(${this.#request.peer.label})`;
    const [first] = this.#queue.pieces;
    const applier = first === undefined ? "Idle" : `Applying(${piecesText(first)})`;
    return `State(${loader},${applier})`;
  }

  /** Whether anything is under way. */
  get isIdle(): boolean {
    return this.#request === undefined && this.#queue.length === 0;
  }

  /** Does what is to do next; to be called whenever the answer to whom to sync from has changed. */
  drive(): void {
    if (this.#ended || this.#giveUpLate()) return;
    const { candidates } = this.#dependencies;
    const target = candidates.syncWith;
    if (this.#request !== undefined || this.#queue.bytes > AHEAD_BYTES || this.#isHeld) return;
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
    candidates.unfounded(target.peer);
  }

  /** A peer answers which blocks follow. Page 04 §11.2. */
  signatures(peer: Peer, ids: readonly Uint8Array[]): void {
    const question = this.#request;
    if (question?.kind !== "question" || question.peer !== peer) {
      this.#givenUp.answered(peer);
      return;
    }
    const fault = this.#dependencies.invalid.fault(ids);
    const answer = question.read(ids);
    if (fault === undefined && answer.kind === "unfit" && answer.elsewhere && this.#givenUp.answered(peer))
      return;
    this.#endRequest();
    if (fault !== undefined) peer.blacklist(fault);
    else if (answer.kind === "unfit")
      peer.close("It answered GetSignatures with ids that do not go on from ours");
    else if (answer.kind === "nothing new") this.#exhausted = { peer, score: question.score };
    else {
      this.#load(question, answer.parent, answer.ids);
      return;
    }
    this.drive();
  }

  /** Whether a block is one that was asked for; it is taken then. */
  claims(peer: Peer, block: SentBlock): boolean {
    const loading = this.#request;
    if (loading?.kind !== "loading" || loading.peer !== peer) return false;
    const arrival: Arrival = loading.download.take(block);
    if (arrival === "none of these") return false;
    if (arrival === "unlinked") {
      this.#drop();
      const piece = pieceOf(peer, [block]);
      peer.blacklist(blameText(piece, "GenericError(Blocks do not follow each other as they were listed)"));
      this.drive();
      return true;
    }
    loading.isLate = false;
    this.#expectedBytes = Math.round(0.9 * this.#expectedBytes + 0.1 * block.bytes.length);
    this.#handOn(loading);
    return true;
  }

  /** A peer has left: what it owes is not waited for. */
  left(peer: Peer): void {
    if (this.#request?.peer === peer) this.#endRequest();
    if (this.#exhausted?.peer === peer) this.#exhausted = undefined;
    if (this.#pending?.peer === peer) this.#pending = undefined;
    this.#reconsidering.get(peer)?.();
    this.#reconsidering.delete(peer);
  }

  /** Asks nobody and applies nothing any more, but for what is being applied. */
  end(): void {
    this.#ended = true;
    this.#endRequest();
    this.#queue.clear();
    this.#pending = undefined;
    this.#cancelRetry?.();
    for (const cancel of this.#reconsidering.values()) cancel();
    this.#reconsidering.clear();
  }

  /** Whether the chain could not take something, which is tried again. */
  get #isHeld(): boolean {
    return this.#cancelRetry !== undefined;
  }

  // --------------------------------------------------------------------------------------------------- asking

  #ask({ peer, score }: SyncPeer<Peer>): void {
    const { clock, options, ownIds } = this.#dependencies;
    const pieces = this.#pending === undefined ? this.#queue.pieces : [this.#pending];
    const ahead = idsOf(pieces).slice(0, MOST_AHEAD_IDS);
    const own = Math.min(options.maxRollback, MOST_IDS - ahead.length);
    // Older ones of ours behind those ahead: the peer may be on another branch.
    const ids = [...ahead, ...ownIds(own)];
    const question: Question = new Question(peer, score, ids, {
      clock,
      timeoutMs: options.timeoutMs,
      onTimeout: () => this.#unansweredInTime(question),
      onSlow: () => this.#isSlow(),
    });
    this.#request = question;
  }

  #unansweredInTime(question: Question): void {
    const { peer } = question;
    this.#endRequest();
    // Perhaps it has nothing in common with us, and says so by silence: no ban. Page 04 §25.
    if (this.#dependencies.candidates.syncWith?.peer === peer) peer.close("Timeout loading extension");
    else this.#givenUp.add(question);
    this.drive();
  }

  #isSlow(): void {
    if (this.#request === undefined) return;
    this.#request.isLate = true;
    this.#giveUpLate();
  }

  /** Turns to another peer, where there is one, when the one that was asked takes its time. */
  #giveUpLate(): boolean {
    const request = this.#request;
    const { candidates, log } = this.#dependencies;
    if (request?.isLate !== true || !candidates.hasOther(request.peer)) return false;
    const { peer } = request;
    log.debug("A peer is slow to send what it has; another one is asked", { peer: peer.label });
    if (request.kind === "question") this.#givenUp.add(request);
    this.#endRequest();
    candidates.unfounded(peer);
    this.drive();
    return true;
  }

  #endRequest(): void {
    const request = this.#request;
    this.#request = undefined;
    if (request?.kind === "question") request.end();
    else if (request !== undefined) {
      request.download.end();
      this.#arrivals.clear();
    }
  }

  // -------------------------------------------------------------------------------------------------- loading

  #load({ peer, score }: Question, parent: Uint8Array, ids: readonly Uint8Array[]): void {
    const { clock, options, candidates } = this.#dependencies;
    const download: Download = new Download(peer, parent, ids, {
      clock,
      timeoutMs: options.timeoutMs,
      room: () => this.#room,
      expectedBytes: () => this.#expectedBytes,
      hasNewScore: () => candidates.syncWith?.peer === peer && candidates.syncWith.score !== score,
      check: (block) => this.#arrivals.check(peer.label, block),
      onChecked: () => this.#handOn(loading),
      onUnsigned: (block) => this.#unsigned(peer, block),
      onSlow: () => this.#isSlow(),
      onTimeout: (reason, isSilent) => {
        this.#endRequest();
        if (isSilent) peer.suspend(reason);
        else peer.blacklist(reason);
        this.drive();
      },
      onSuperseded: () => {
        this.#endRequest();
        this.#deliver(peer, download.handOn());
        this.drive();
      },
    });
    const loading: Loading = { kind: "loading", peer, score, download, isLate: false };
    this.#request = loading;
    download.ask();
  }

  /** The first block that is not signed ends the download: nothing else of that peer is looked at. */
  #unsigned(peer: Peer, block: SentBlock): void {
    const refusal = signatureRefusal(blockText(block.scan.header));
    this.#refuse(peer, blameText(pieceOf(peer, [block]), refusal.printed));
    this.drive();
  }

  /** Bytes that may still be held. */
  get #room(): number {
    const request = this.#request;
    const loading = request?.kind === "loading" ? request.download.heldBytes : 0;
    return MOST_BYTES - loading - this.#queue.bytes - (this.#pending?.bytes ?? 0);
  }

  /** Hands on what came: all of it at the end, parts of it while the chain waits for work. */
  #handOn({ peer, download }: Loading): void {
    const waits = this.#queue.length < 2 && this.#pending === undefined;
    const isStuck = download.isStuck && this.#queue.length === 0;
    if (download.isComplete || isStuck || (waits && download.readyBytes >= PART_BYTES))
      this.#deliver(peer, download.handOn());
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
    this.#drop();
    this.#dependencies.candidates.unfounded(peer);
    this.drive();
  }

  #deliver(peer: Peer, blocks: readonly SentBlock[]): void {
    if (blocks.length === 0) return;
    let piece = pieceOf(peer, blocks);
    const pending = this.#pending;
    this.#pending = undefined;
    if (pending !== undefined && follows(piece, pending)) piece = joined(pending, piece);
    this.#queue.push(piece);
    this.#apply();
  }

  // ------------------------------------------------------------------------------------------------- applying

  #apply(): void {
    if (this.#isApplying || this.#isHeld || this.#ended) return;
    const next = this.#queue.begin();
    if (next === undefined) return;
    const { piece, offered } = next;
    this.#isApplying = true;
    offered
      .apply()
      .then(
        (result) => this.#applied(piece, result),
        (error: unknown) => {
          // A fault of ours: nobody is to blame.
          this.#dependencies.log.error("An extension could not be applied", { error });
          this.#drop();
          this.#dependencies.candidates.unfounded(piece.peer);
        },
      )
      .finally(() => {
        this.#isApplying = false;
        if (this.#ended) return;
        if (this.#request?.kind === "loading") {
          this.#request.download.ask();
          this.#handOn(this.#request);
        }
        this.#apply();
        this.drive();
      });
  }

  #applied(piece: Piece, result: ExtensionResult): void {
    if (this.#ended) return;
    this.#queue.shift();
    if (result.kind !== "unable") this.#retries = 0;
    switch (result.kind) {
      case "applied":
        this.#fruitless = 0;
        this.#dependencies.candidates.proved(piece.peer);
        return;
      case "known":
        this.#broughtNothing(piece);
        return;
      case "not better":
        this.#notBetter(piece);
        return;
      case "future":
        this.#early(piece, result.id, result.dueAt);
        return;
      case "unable":
        this.#tryAgain(piece, result.error);
        return;
      case "no common parent":
      case "too deep":
        // What we asked from has left our chain since, or lies too far back by now: no fault of the peer's.
        this.#drop();
        this.#broughtNothing(piece);
        return;
      case "malformed":
        this.#refuse(piece.peer, `Invalid message. ${result.refusal.text}`);
        return;
      case "bad block":
        if (result.remember) this.#dependencies.invalid.add(result.id, result.refusal.printed);
        this.#refuse(piece.peer, blameText(piece, result.refusal.printed));
        return;
      default:
        this.#refuse(piece.peer, blameText(piece, result.refusal.printed));
    }
  }

  #refuse(peer: Peer, reason: string): void {
    this.#drop();
    this.#dependencies.log.warn("An extension was refused", { peer: peer.label, reason });
    peer.blacklist(reason);
  }

  /** A piece of a branch that is not better by itself: what follows it decides. Page 04 §25. */
  #notBetter(piece: Piece): void {
    if (piece.blocks.length > 2 * this.#dependencies.options.maxRollback + MOST_IDS) {
      this.#tooLarge(piece.peer);
      return;
    }
    const [next, ...others] = this.#queue.pieces;
    if (next === undefined) this.#pending = piece;
    if (next === undefined || !follows(next, piece)) return;
    this.#queue.clear();
    for (const one of [joined(piece, next), ...others]) this.#queue.push(one);
  }

  /** What the peer listed is in the chain already, or does not fit any more: to ask for it again and again leads nowhere. */
  #broughtNothing({ peer }: Piece): void {
    const target = this.#dependencies.candidates.syncWith;
    if (target?.peer === peer && ++this.#fruitless >= MOST_FRUITLESS) this.#exhausted = target;
  }

  /** Blocks ahead of our clock: those before them are taken, they themselves are asked for when their time has come. */
  #early(piece: Piece, id: Uint8Array, dueAt: number): void {
    const { clock, candidates } = this.#dependencies;
    const { peer, blocks } = piece;
    this.#drop();
    const key = bytesKey(id);
    const place = blocks.findIndex(({ scan }) => bytesKey(scan.header.signature) === key);
    if (place > 0) this.#queue.unshift(pieceOf(peer, blocks.slice(0, place)));
    candidates.unfounded(peer);
    const waitMs = Math.max(1, dueAt - clock.now());
    if (waitMs > MOST_AHEAD_MS || peer.isClosed) return;
    this.#reconsidering.get(peer)?.();
    const cancel = clock.after(waitMs, () => {
      this.#reconsidering.delete(peer);
      candidates.reconsider(peer);
    });
    this.#reconsidering.set(peer, cancel);
  }

  #tryAgain(piece: Piece, error: Error): void {
    const { clock, log, candidates } = this.#dependencies;
    if (error instanceof ChainClosedError) {
      this.end();
      return;
    }
    if (++this.#retries > MOST_RETRIES) {
      this.#retries = 0;
      this.#drop();
      candidates.unfounded(piece.peer);
      return;
    }
    log.debug("An extension has to wait", { error });
    this.#queue.unshift(piece);
    this.#cancelRetry = clock.after(RETRY_MS, () => {
      this.#cancelRetry = undefined;
      this.#apply();
    });
  }

  /** Forgets whatever is under way, which rests on what turned out to be nothing. */
  #drop(): void {
    if (this.#request?.kind === "question") this.#givenUp.add(this.#request);
    this.#endRequest();
    this.#queue.clear();
    this.#pending = undefined;
    this.#exhausted = undefined;
  }
}

/** Why a peer is banned whose blocks were refused. Page 04 §13.2, §21. */
function blameText(piece: Piece, error: string): string {
  return `${piece.peer.label} Error appending extension ${piecesText(piece)}: ${error}`;
}

/** What was fetched and is not in the chain yet. Page 04 §11, §13.2. */
import { bytesEqual } from "../../bytes/compare.ts";
import type { OfferedExtension, SentBlock } from "../../chain/checking/extension-intake.ts";
import type { Peer } from "../connections/peer.ts";
import { shortId } from "../short-id.ts";

/** Consecutive blocks that one peer sent, on their way into the chain. */
export interface Piece {
  readonly peer: Peer;
  readonly blocks: readonly SentBlock[];
  readonly bytes: number;
}

export function pieceOf(peer: Peer, blocks: readonly SentBlock[]): Piece {
  return { peer, blocks, bytes: blocks.reduce((sum, { bytes }) => sum + bytes.length, 0) };
}

/** Returns both pieces as one; undefined if the second does not follow the first. */
export function continued(first: Piece, second: Piece): Piece | undefined {
  return follows(second, first) ? joined(first, second) : undefined;
}

/** Returns true if a branch that is not better than ours is longer than any that the node holds. */
export function isTooLong({ blocks }: Piece, maxRollback: number): boolean {
  return blocks.length > 2 * maxRollback + MOST_IDS;
}

/** Whether a piece goes on where another one ends, and is from the same peer. */
function follows(piece: Piece, before: Piece): boolean {
  const last = before.blocks.at(-1);
  return (
    piece.peer === before.peer &&
    last !== undefined &&
    bytesEqual(piece.blocks[0].scan.header.reference, last.scan.header.signature)
  );
}

function joined(first: Piece, second: Piece): Piece {
  return {
    peer: first.peer,
    blocks: [...first.blocks, ...second.blocks],
    bytes: first.bytes + second.bytes,
  };
}

/** Ids in one message at most. Page 04 §8.3. */
const MOST_IDS = 200;
/** Ids of blocks that are not in the chain yet, in front of those that are. */
const MOST_AHEAD_IDS = 100;

/**
 * Returns the ids that a peer is asked about, newest first.
 * @param pieces blocks that are not in the chain yet, oldest first
 * @param ownIds returns ids of our newest blocks, newest first
 */
export function idsToAsk(
  pieces: readonly Piece[],
  ownIds: (count: number) => readonly Uint8Array[],
  maxRollback: number,
): Uint8Array[] {
  const ahead = idsOf(pieces).slice(0, MOST_AHEAD_IDS);
  // Older ones of ours follow those ahead: the peer may be on another branch.
  return [...ahead, ...ownIds(Math.min(maxRollback, MOST_IDS - ahead.length))];
}

/** Ids of the blocks of pieces, newest first. @param pieces oldest first */
function idsOf(pieces: readonly Piece[]): Uint8Array[] {
  return pieces.flatMap(({ blocks }) => blocks.map(({ scan }) => scan.header.signature)).reverse();
}

/** Blocks as reasons name them: `[<id>]`, `(total=<n>) [<first> -- <last>]`. Page 04 §13.2. */
export function piecesText({ blocks }: Piece): string {
  const ids = blocks.map(({ scan }) => shortId(scan.header.signature));
  if (ids.length === 0) return "[Empty]";
  return ids.length === 1 ? `[${ids[0]}]` : `(total=${ids.length}) [${ids[0]} -- ${ids.at(-1)}]`;
}

/** Why a peer is banned whose blocks were refused. Page 04 §13.2, §21. */
export function blameText(piece: Piece, error: string): string {
  return `${piece.peer.label} Error appending extension ${piecesText(piece)}: ${error}`;
}

interface Waiting {
  piece: Piece;
  /** Its signatures are being checked. */
  offered: OfferedExtension | undefined;
}

/** Pieces in order: the first is being applied, the second is being checked, the others wait. */
export class PieceQueue {
  readonly #offer: (blocks: readonly SentBlock[]) => OfferedExtension;
  #waiting: Waiting[] = [];

  constructor(offer: (blocks: readonly SentBlock[]) => OfferedExtension) {
    this.#offer = offer;
  }

  get length(): number {
    return this.#waiting.length;
  }

  get bytes(): number {
    return this.#waiting.reduce((sum, { piece }) => sum + piece.bytes, 0);
  }

  get pieces(): readonly Piece[] {
    return this.#waiting.map(({ piece }) => piece);
  }

  /** Returns true if blocks of a peer are waiting or being applied. */
  has(peer: Peer): boolean {
    return this.#waiting.some(({ piece }) => piece.peer === peer);
  }

  /** Adds a piece behind the others; to the last one, if nobody has begun with that. */
  push(piece: Piece): void {
    const last = this.#waiting.at(-1);
    if (last !== undefined && last.offered === undefined && follows(piece, last.piece))
      last.piece = joined(last.piece, piece);
    else this.#waiting.push({ piece, offered: undefined });
    this.#checkAhead();
  }

  /** Puts a piece before all others. */
  unshift(piece: Piece): void {
    this.#waiting.unshift({ piece, offered: undefined });
  }

  /** Joins a piece with the first one, if that follows it. Otherwise the piece is dropped. */
  prepend(piece: Piece): void {
    const [first, ...others] = this.pieces;
    if (first === undefined || !follows(first, piece)) return;
    this.clear();
    for (const one of [joined(piece, first), ...others]) this.push(one);
  }

  /** The first piece, about to be applied. */
  begin(): { readonly piece: Piece; readonly offered: OfferedExtension } | undefined {
    const [first] = this.#waiting;
    if (first === undefined) return undefined;
    first.offered ??= this.#offer(first.piece.blocks);
    this.#checkAhead();
    return { piece: first.piece, offered: first.offered };
  }

  /** The first piece is done with. */
  shift(): void {
    this.#waiting.shift();
  }

  clear(): void {
    for (const { offered } of this.#waiting.splice(0)) offered?.drop();
  }

  #checkAhead(): void {
    const second = this.#waiting[1];
    if (second !== undefined) second.offered ??= this.#offer(second.piece.blocks);
  }
}

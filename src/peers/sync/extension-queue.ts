/** Page 04 §11, §13.2. */
import { bytesEqual } from "../../bytes/compare.ts";
import type { OfferedExtension, ReceivedBlock } from "../../chain/checking/extension-intake.ts";
import type { Peer } from "../connections/peer.ts";
import { shortId } from "../short-id.ts";

/** Page 04 §8.3. */
const MAX_IDS = 200;
/** Maximum ids per request of blocks that are not in our chain yet. */
const MAX_PENDING_IDS = 100;

export class FetchedExtension {
  readonly bytes: number;

  constructor(
    readonly peer: Peer,
    readonly blocks: readonly ReceivedBlock[],
  ) {
    this.bytes = blocks.reduce((sum, { bytes }) => sum + bytes.length, 0);
  }

  /** Format: `[<id>]` or `(total=<n>) [<first> -- <last>]`. Page 04 §13.2. */
  get text(): string {
    const ids = this.blocks.map(({ scan }) => shortId(scan.header.signature));
    if (ids.length === 0) return "[Empty]";
    return ids.length === 1 ? `[${ids[0]}]` : `(total=${ids.length}) [${ids[0]} -- ${ids.at(-1)}]`;
  }

  /** Page 04 §13.2, §21. */
  banReason(error: string): string {
    return `${this.peer.label} Error appending extension ${this.text}: ${error}`;
  }

  isTooLong(maxRollback: number): boolean {
    return this.blocks.length > 2 * maxRollback + MAX_IDS;
  }

  /** Undefined if `next` does not continue this extension or has another peer. */
  joinedWith(next: FetchedExtension): FetchedExtension | undefined {
    const last = this.blocks.at(-1)?.scan.header.signature;
    const isNext =
      next.peer === this.peer && last !== undefined && bytesEqual(next.blocks[0].scan.header.reference, last);
    return isNext ? new FetchedExtension(this.peer, [...this.blocks, ...next.blocks]) : undefined;
  }
}

/**
 * Returns ids for `GetSignatures`, newest first.
 * @param extensions blocks that are not in the chain yet, oldest first
 * @param ownIds newest first
 */
export function idsToRequest(
  extensions: readonly FetchedExtension[],
  ownIds: (count: number) => readonly Uint8Array[],
  maxRollback: number,
): Uint8Array[] {
  const fetched = extensions.flatMap(({ blocks }) => blocks.map(({ scan }) => scan.header.signature));
  const fetchedIds = fetched.reverse().slice(0, MAX_PENDING_IDS);
  // Our own ids follow: the peer may be on another branch.
  return [...fetchedIds, ...ownIds(Math.min(maxRollback, MAX_IDS - fetchedIds.length))];
}

/** Page 06 §7.16. */
export function stateText(
  request: { readonly kind: "signatures" | "blocks"; readonly peer: Peer } | undefined,
  applying: FetchedExtension | undefined,
): string {
  const expected = request?.kind === "signatures" ? "ExpectingSignatures" : "ExpectingBlocks";
  const loader = request === undefined ? "Idle" : `${expected}(${request.peer.label})`;
  return `State(${loader},${applying === undefined ? "Idle" : `Applying(${applying.text})`})`;
}

interface QueuedExtension {
  extension: FetchedExtension;
  offered: OfferedExtension | undefined;
}

/** While the chain applies the first extension, it checks the second. */
export class ExtensionQueue {
  readonly #offer: (blocks: readonly ReceivedBlock[]) => OfferedExtension;
  #queued: QueuedExtension[] = [];

  constructor(offer: (blocks: readonly ReceivedBlock[]) => OfferedExtension) {
    this.#offer = offer;
  }

  get length(): number {
    return this.#queued.length;
  }

  get bytes(): number {
    return this.#queued.reduce((sum, { extension }) => sum + extension.bytes, 0);
  }

  get extensions(): readonly FetchedExtension[] {
    return this.#queued.map(({ extension }) => extension);
  }

  has(peer: Peer): boolean {
    return this.#queued.some(({ extension }) => extension.peer === peer);
  }

  push(extension: FetchedExtension): void {
    const last = this.#queued.at(-1);
    const joined = last?.offered === undefined ? last?.extension.joinedWith(extension) : undefined;
    if (last !== undefined && joined !== undefined) last.extension = joined;
    else this.#queued.push({ extension, offered: undefined });
    this.#checkAhead();
  }

  unshift(extension: FetchedExtension): void {
    this.#queued.unshift({ extension, offered: undefined });
  }

  /** Does nothing if the first extension does not continue this one. */
  prependToFirst(extension: FetchedExtension): void {
    const [first, ...others] = this.extensions;
    const joined = first && extension.joinedWith(first);
    if (joined === undefined) return;
    this.clear();
    for (const queued of [joined, ...others]) this.push(queued);
  }

  /** Offers the first two extensions to the chain. */
  offerFirst(): { readonly extension: FetchedExtension; readonly offered: OfferedExtension } | undefined {
    const [first] = this.#queued;
    if (first === undefined) return undefined;
    first.offered ??= this.#offer(first.extension.blocks);
    this.#checkAhead();
    return { extension: first.extension, offered: first.offered };
  }

  shift(): void {
    this.#queued.shift();
  }

  clear(): void {
    for (const { offered } of this.#queued.splice(0)) offered?.drop();
  }

  #checkAhead(): void {
    const second = this.#queued[1];
    if (second !== undefined) second.offered ??= this.#offer(second.extension.blocks);
  }
}

import type { ChainCursor } from "../queries/changes.ts";
import type { FollowedPosition, RevertedRecord, UnitRecord } from "../queries/units.ts";

export interface SourceDescription {
  /** Version of the stream's format. */
  readonly version: number;
  /** Program and version of the source, for log lines. */
  readonly program: string;
  readonly network: {
    readonly name: string;
    readonly chainId: number;
    /** Id of the genesis block, 64 bytes. */
    readonly genesis: Uint8Array;
  };
  /** Identifies the source's store. A rebuilt or restored store has another id. */
  readonly store: string;
  /** Text of each setting that answers depend on, by the setting's name, e.g. `index-anchors`: `trust`. */
  readonly settings: Readonly<Record<string, string>>;
  /** Root of the trust network, an address of 26 bytes; undefined if the source has none. */
  readonly trustRoot: Uint8Array | undefined;
}

/**
 * A stream begins with `source` and `tip`. Then the changes follow: `unit` appends to the unit before it, or to the
 * position at which the stream was opened; `undo` names the unit that the next `unit` appends to.
 */
export type UnitFrame =
  | { readonly kind: "source"; readonly description: SourceDescription }
  | { readonly kind: "unit"; readonly record: UnitRecord }
  /** The units after `to`, on the follower's chain, left the source's chain. Units of a better chain follow. */
  | { readonly kind: "undo"; readonly to: ChainCursor }
  /**
   * Newest unit of the source, sent after each page of units. If it is the unit before this frame, the stream is
   * complete, and a change that `undo` began has ended.
   */
  | {
      readonly kind: "tip";
      readonly cursor: ChainCursor;
      readonly score: bigint;
      readonly persistedHeight: number;
    }
  /** Sent if there was nothing else for 15 s. */
  | { readonly kind: "heartbeat" };

/**
 * Not part of a stream of bytes: the source itself, such as a paused replica, lacks newer units. A later `tip` ends
 * this state.
 */
export interface StaleSource {
  readonly kind: "stale";
  readonly reason: string;
}

export type SourceFrame = UnitFrame | StaleSource;

/** A node, or its store, from which a follower receives units. */
export interface UnitSource {
  /** For log lines; an address without secrets. */
  readonly name: string;
  /**
   * Opens one stream of frames after a position. It is endless, reads on demand, and does not reconnect.
   * @param signal ends the stream, and then the iteration without an error
   * @throws UnitSourceError if the stream cannot be opened or breaks
   */
  open(after: FollowedPosition, signal: AbortSignal): AsyncIterable<SourceFrame>;
  /**
   * Returns units that left the source's chain, oldest first, so that readers of events can resume at them.
   * @throws UnitSourceError
   */
  reverted?(): Promise<readonly RevertedRecord[]>;
  /** Closes what the source keeps between streams. It can be opened again. */
  close?(): Promise<void>;
}

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
  /** Values of the settings that affect answers, by name, e.g. `index-anchors`: `trust`. */
  readonly settings: Readonly<Record<string, string>>;
  /** Root of the trust network, an address of 26 bytes; undefined if the source has none. */
  readonly trustRoot: Uint8Array | undefined;
}

/**
 * A stream begins with `source` and `tip`. Changes follow. The parent of a `unit` is the previous unit of the stream
 * or, at first, the position at which the stream was opened. After `undo`, the next unit's parent is `to`.
 */
export type UnitFrame =
  | { readonly kind: "source"; readonly description: SourceDescription }
  | { readonly kind: "unit"; readonly record: UnitRecord }
  /** The follower must revert its units after `to`. Units of a better chain follow. */
  | { readonly kind: "undo"; readonly to: ChainCursor }
  /**
   * Newest unit of the source, sent after each page of units. If the stream has reached this unit, the follower has
   * all units, and a change that `undo` began has ended.
   */
  | {
      readonly kind: "tip";
      readonly cursor: ChainCursor;
      readonly score: bigint;
      readonly persistedHeight: number;
    }
  /** Sent after 15 s without another frame. */
  | { readonly kind: "heartbeat" };

/**
 * Reports that the source, such as a paused replica, lacks newer units. Nodes do not send this. After a later
 * `tip`, the source is current again.
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
   * Opens one stream of the changes after a position. It is endless, reads on demand, and does not reconnect.
   * @param signal ends the stream when aborted; the iteration then ends without an error
   * @throws UnitSourceError if the stream cannot be opened or breaks
   */
  open(after: FollowedPosition, signal: AbortSignal): AsyncIterable<SourceFrame>;
  /**
   * Returns units that left the source's chain, oldest first. Event streams can resume at these units.
   * @throws UnitSourceError
   */
  reverted?(): Promise<readonly RevertedRecord[]>;
  /** Releases what the source keeps between streams. `open` can be called again. */
  close?(): Promise<void>;
}

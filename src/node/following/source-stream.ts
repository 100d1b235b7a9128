import { MAX_CHANGE, type UnitChange } from "../../chain/following/follower.ts";
import type {
  ChainCursor,
  FollowedPosition,
  SourceDescription,
  SourceFrame,
  StaleSource,
  UnitFrame,
  UnitRecord,
  UnitSource,
} from "../../interfaces.ts";
import { isSameUnit } from "../../units/same-unit.ts";
import { UnitSourceError } from "../../units/source-error.ts";

/** A change that only appends ends at this size. */
const MAX_APPEND_UNITS = 2_000;
const MAX_APPEND_BYTES = 4 * 2 ** 20;
/** A switch to another branch may be larger, so that readers do not see a lower score. */
const MAX_SWITCH_UNITS = MAX_CHANGE.units / 2;
const MAX_SWITCH_BYTES = (MAX_CHANGE.bytes * 3) / 4;

type TipFrame = Extract<UnitFrame, { readonly kind: "tip" }>;

export type SourceEvent =
  | { readonly kind: "source"; readonly description: SourceDescription }
  | {
      readonly kind: "change";
      readonly change: UnitChange;
      /** True if no further units of the source are known. */
      readonly isComplete: boolean;
    }
  /** The source's newest unit. `isComplete`: the follower's chain ends there. */
  | { readonly kind: "tip"; readonly tip: TipFrame; readonly isComplete: boolean }
  | StaleSource
  | { readonly kind: "heartbeat" };

/** Error for units before the first tip: the follower needs the tip's score first. */
export function tipMissingError({ name }: UnitSource): UnitSourceError {
  return new UnitSourceError(
    "malformed",
    `The source ${name} does not begin its stream with its newest unit`,
  );
}

/**
 * Groups a stream's frames into changes. A tip is reported before the change that ends at it.
 * @param after position on the follower's chain
 * @param undoTo equals `after` if the follower must undo its units after this position; otherwise undefined
 * @throws UnitSourceError
 */
export async function* sourceEvents(
  source: UnitSource,
  after: FollowedPosition,
  undoTo: ChainCursor | undefined,
  signal: AbortSignal,
): AsyncGenerator<SourceEvent> {
  let records: UnitRecord[] = [];
  let bytes = 0;
  let undoTarget = undoTo;
  let last: ChainCursor = after;
  const takeChange = (): UnitChange => {
    const change = { undoTo: undoTarget, records };
    records = [];
    bytes = 0;
    undoTarget = undefined;
    return change;
  };
  let hasTip = false;
  for await (const frame of source.open(after, signal)) {
    if (frame.kind === "tip") hasTip = true;
    else if (!hasTip && frame.kind !== "source" && frame.kind !== "undo") throw tipMissingError(source);
    switch (frame.kind) {
      case "source":
      case "heartbeat":
      case "stale":
        yield frame;
        break;
      case "undo":
        if (records.length > 0) yield { kind: "change", change: takeChange(), isComplete: false };
        undoTarget = frame.to;
        last = frame.to;
        break;
      case "unit": {
        const { record } = frame;
        records.push(record);
        bytes += record.bytes.length;
        last = record;
        const [maxUnits, maxBytes] =
          undoTarget === undefined
            ? [MAX_APPEND_UNITS, MAX_APPEND_BYTES]
            : [MAX_SWITCH_UNITS, MAX_SWITCH_BYTES];
        if (records.length >= maxUnits || bytes >= maxBytes)
          yield { kind: "change", change: takeChange(), isComplete: false };
        break;
      }
      case "tip": {
        const isComplete = isSameUnit(frame.cursor, last);
        const isChange = records.length > 0 || undoTarget !== undefined;
        yield { kind: "tip", tip: frame, isComplete: isComplete && !isChange };
        if (isComplete && isChange) yield { kind: "change", change: takeChange(), isComplete: true };
      }
    }
  }
}

/**
 * Reads a stream until `find` returns a value, and closes it.
 * @returns undefined if the stream ends first, as after an abort of `signal`
 * @throws UnitSourceError; what `find` throws
 */
export async function findInStream<T>(
  source: UnitSource,
  after: ChainCursor,
  signal: AbortSignal,
  find: (frame: SourceFrame) => T | undefined,
): Promise<T | undefined> {
  const closing = new AbortController();
  const close = (): void => closing.abort();
  signal.addEventListener("abort", close, { once: true });
  try {
    for await (const frame of source.open(after, closing.signal)) {
      const found = find(frame);
      if (found !== undefined) return found;
    }
    return undefined;
  } finally {
    signal.removeEventListener("abort", close);
    close();
  }
}

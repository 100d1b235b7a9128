import { UnitPages } from "../../api/units/pages.ts";
import type {
  ChainEvents,
  ChainReader,
  FollowedPosition,
  SourceDescription,
  UnitFrame,
  UnitSource,
} from "../../interfaces.ts";
import { FrameDecoder } from "../../units/frames.ts";
import { UnitSourceError } from "../../units/source-error.ts";

/** Reads the units of a chain in the same process, as frames that were encoded and decoded. */
export function readerUnitSource(options: {
  readonly name?: string;
  readonly reader: ChainReader;
  readonly events: ChainEvents;
  readonly description: SourceDescription;
}): UnitSource {
  const { name = "store", reader, events, description } = options;
  async function* open(
    after: FollowedPosition,
    signal: AbortSignal,
  ): AsyncGenerator<UnitFrame, void, undefined> {
    const pages = new UnitPages(reader);
    const first = pages.begin(after);
    if (first === undefined)
      throw new UnitSourceError("unknown position", `${name} does not know the position`);
    let hasChanged = true;
    let wake = (): void => {};
    const onChange = (): void => {
      hasChanged = true;
      pages.clear();
      wake();
    };
    const unsubscribe = events.onCommit(onChange);
    signal.addEventListener("abort", onChange);
    try {
      const decoder = new FrameDecoder(name);
      yield { kind: "source", description };
      if (first.bytes !== undefined) yield* decoder.decode(first.bytes);
      for (let position = first.next; !signal.aborted; ) {
        hasChanged = false;
        const page = pages.page(position);
        if (page === undefined) throw new UnitSourceError("unreachable", `${name} ended the stream`);
        position = page.next;
        if (page.bytes !== undefined) yield* decoder.decode(page.bytes);
        if (page.isComplete && !hasChanged && !signal.aborted)
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    } finally {
      unsubscribe();
      signal.removeEventListener("abort", onChange);
    }
  }
  return { name, open };
}

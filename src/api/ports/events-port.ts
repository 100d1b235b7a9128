/**
 * `ChainEvents` across a message port: a few bytes for each commit go from the node's thread to the HTTP thread, which
 * asks its own snapshot what changed. Both ends stand here.
 */
import type { ChainCursor, ChainEvents, ChainReader } from "../../interfaces.ts";
import type { Port } from "../../runtime/rpc.ts";

/** The node's end: says every commit. Returns how to stop it. */
export function announceCommits(port: Pick<Port, "postMessage">, events: ChainEvents): () => void {
  // A copy of its own: the id may be a part of something larger, which would travel with it.
  return events.onCommit(({ height, sequence, id }) =>
    port.postMessage({ height, sequence, id: id.slice() }, []),
  );
}

/**
 * The other end.
 * @param reader reads the chain in this thread: what listeners read is as new as what they were told
 */
export function eventsOverPort(port: Port, reader: Pick<ChainReader, "renew">): ChainEvents {
  const listeners = new Set<(tip: ChainCursor) => void>();
  port.on("message", (message) => {
    // Only the other end of this file writes to the port.
    const tip = message as ChainCursor;
    reader.renew();
    for (const listener of listeners) listener(tip);
  });
  return {
    onCommit(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}

/** Events of commits over a port, which carries only positions. */
import type { ChainCursor, ChainEvents, ChainReader } from "../../interfaces.ts";
import type { Port } from "../../runtime/rpc.ts";

/** Runs in the node's thread. Call the result to stop. */
export function announceCommits(port: Pick<Port, "postMessage">, events: ChainEvents): () => void {
  // The id may be a view of a larger buffer.
  return events.onCommit(({ height, sequence, id }) =>
    port.postMessage({ height, sequence, id: id.slice() }, []),
  );
}

/** Runs in the HTTP thread. @param reader renewed before listeners are called */
export function eventsOverPort(port: Port, reader: Pick<ChainReader, "renew">): ChainEvents {
  const listeners = new Set<(tip: ChainCursor) => void>();
  port.on("message", (message) => {
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

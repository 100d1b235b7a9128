/** Two ends of a frame connection in memory, the twin of `tls-frames.ts` for tests. */
import { type FrameConnection, MAX_TOKEN_BYTES } from "../remote-rpc.ts";

class MemoryFrames implements FrameConnection {
  maxFrameBytes = MAX_TOKEN_BYTES;
  onFrame: (frame: Uint8Array) => void = () => {};
  onClose: () => void = () => {};
  other: MemoryFrames | undefined;
  #isClosed = false;

  send(frame: Uint8Array): void {
    if (this.#isClosed) return;
    queueMicrotask(() => this.other?.receive(frame));
  }

  receive(frame: Uint8Array): void {
    if (this.#isClosed) return;
    if (frame.length > this.maxFrameBytes) this.close();
    else this.onFrame(frame);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    queueMicrotask(() => {
      this.onClose();
      this.other?.close();
    });
  }
}

export function pairedFrames(): readonly [FrameConnection, FrameConnection] {
  const ends = [new MemoryFrames(), new MemoryFrames()] as const;
  ends[0].other = ends[1];
  ends[1].other = ends[0];
  return ends;
}

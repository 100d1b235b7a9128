import { readFile, rm } from "node:fs/promises";
import type { Cancel, Clock, FeeVote, Log } from "../interfaces.ts";

/** More than any of the words, little enough to read at any time. */
const MAX_BYTES = 4_096;

/**
 * Lets a file change the fee vote of the running node: its first line, in capitals or not, is DECREASE, MAINTAIN or
 * INCREASE. The file is deleted at the start, so that an old vote is not taken for a new one. Page 03 §7.
 */
export class FeeVoteFile {
  private cancel: Cancel | undefined;
  private stopped = false;

  constructor(
    private readonly path: string,
    private readonly intervalMs: number,
    private readonly dependencies: { clock: Clock; log: Log; vote(vote: FeeVote): void },
  ) {}

  async start(): Promise<void> {
    await rm(this.path, { force: true });
    this.schedule();
  }

  stop(): void {
    this.stopped = true;
    this.cancel?.();
  }

  private schedule(): void {
    if (this.stopped) return;
    this.cancel = this.dependencies.clock.after(this.intervalMs, () => {
      this.look().finally(() => this.schedule());
    });
  }

  private async look(): Promise<void> {
    let bytes: Buffer;
    try {
      bytes = await readFile(this.path);
    } catch (error) {
      // No file, no vote; anything else is worth a word.
      if ((error as NodeJS.ErrnoException).code !== "ENOENT")
        this.dependencies.log.warn("Cannot read the fee vote file", { path: this.path, error });
      return;
    }
    const line = bytes.subarray(0, MAX_BYTES).toString("utf8").split(/\r?\n/)[0] as string;
    const word = line.toUpperCase();
    if (word === "DECREASE" || word === "MAINTAIN" || word === "INCREASE") this.dependencies.vote(word);
    else this.dependencies.log.error(`Invalid fee vote status '${line.slice(0, 40)}'`, { path: this.path });
  }
}

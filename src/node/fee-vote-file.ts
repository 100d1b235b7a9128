import { decodeUtf8 } from "../bytes/utf8.ts";
import type { FeeVote } from "../control/index.ts";
import { FEE_VOTE_FILE_POLL_INTERVAL_MS } from "../forging/options.ts";
import type { Cancel, Clock, Log } from "../interfaces.ts";
import type { OperatorFiles } from "../runtime/system.ts";
import { repeat } from "../runtime/timers.ts";

const MAX_FILE_BYTES = 4_096;

interface FeeVoteFileDependencies {
  readonly clock: Clock;
  readonly log: Log;
  readonly files: OperatorFiles;
  vote(vote: FeeVote): void;
}

/**
 * Polls a file, and changes the fee vote if its first line is DECREASE, MAINTAIN or INCREASE, in upper or lower case.
 * `start` deletes the file. Page 03 §7.
 */
export class FeeVoteFile {
  readonly #path: string;
  readonly #dependencies: FeeVoteFileDependencies;
  #cancel: Cancel = () => {};

  constructor(path: string, dependencies: FeeVoteFileDependencies) {
    this.#path = path;
    this.#dependencies = dependencies;
  }

  async start(): Promise<void> {
    await this.#dependencies.files.remove(this.#path);
    this.#cancel = repeat(this.#dependencies.clock, FEE_VOTE_FILE_POLL_INTERVAL_MS, () => this.#poll());
  }

  stop(): void {
    this.#cancel();
  }

  async #poll(): Promise<void> {
    const { files, log } = this.#dependencies;
    let bytes: Uint8Array | undefined;
    try {
      bytes = await files.read(this.#path, MAX_FILE_BYTES);
    } catch (error) {
      // An unreadable file must not end the node.
      log.warn("Cannot read the fee vote file", { path: this.#path, error });
    }
    if (bytes === undefined) return;
    const line = decodeUtf8(bytes).split(/\r?\n/, 1)[0];
    const word = line.toUpperCase();
    if (word === "DECREASE" || word === "MAINTAIN" || word === "INCREASE") this.#dependencies.vote(word);
    else log.error(`Invalid fee vote status '${line.slice(0, 40)}'`, { path: this.#path });
  }
}

import { encodeBase58 } from "../bytes/base58.ts";
import { bytesKey } from "../bytes/compare.ts";
import type { WalletAccount } from "../control/index.ts";
import type { Log } from "../interfaces.ts";

interface Problem {
  /** `schedule`: no time for the next block; `forge`: the block failed. */
  readonly stage: "schedule" | "forge";
  readonly kind: string;
}

/** Logs why an account cannot forge: once, and again if the reason changes. */
export class AccountProblems {
  readonly #log: Log;
  readonly #problems = new Map<string, Problem>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** @param text undefined if the stage succeeded */
  report(
    { address }: WalletAccount,
    stage: Problem["stage"],
    text: string | undefined,
    height: number,
  ): void {
    const key = bytesKey(address);
    const previous = this.#problems.get(key);
    const account = encodeBase58(address);
    if (text === undefined) {
      // Scheduling does not end a problem of forging.
      if (previous === undefined || (stage === "schedule" && previous.stage === "forge")) return;
      this.#problems.delete(key);
      this.#log.info("Account forges again", { address: account });
      return;
    }
    // Numbers in the text differ in each attempt.
    const kind = text.replace(/\d+/g, "#");
    if (previous?.kind === kind) return;
    this.#problems.set(key, { stage, kind });
    this.#log.warn("Account does not forge", { address: account, reason: text, height });
  }
}

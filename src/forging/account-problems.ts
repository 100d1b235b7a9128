import { encodeBase58 } from "../bytes/base58.ts";
import { bytesKey } from "../bytes/compare.ts";
import type { WalletAccount } from "../control/index.ts";
import type { Log } from "../interfaces.ts";

/** What was reported last about an account. */
interface Problem {
  readonly stage: "schedule" | "forge";
  readonly kind: string;
}

/** Says of each account what keeps it from forging, once for each change. */
export class AccountProblems {
  readonly #log: Log;
  readonly #problems = new Map<string, Problem>();

  constructor(log: Log) {
    this.#log = log;
  }

  /**
   * @param stage where it was found: what stands in the way of scheduling is gone once a block is scheduled,
   * what stood in the way of making it only when one was made
   * @param text undefined: nothing stands in the way there
   */
  report(
    { address }: WalletAccount,
    stage: Problem["stage"],
    text: string | undefined,
    height: number,
  ): void {
    const key = bytesKey(address);
    const known = this.#problems.get(key);
    const account = encodeBase58(address);
    if (text === undefined) {
      if (known === undefined || (stage === "schedule" && known.stage === "forge")) return;
      this.#problems.delete(key);
      this.#log.info("Account forges again", { address: account });
      return;
    }
    // Figures in the text change with every attempt.
    const kind = text.replace(/\d+/g, "#");
    if (known?.kind === kind) return;
    this.#problems.set(key, { stage, kind });
    this.#log.warn("Account does not forge", { address: account, reason: text, height });
  }
}

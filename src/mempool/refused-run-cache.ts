import { bytesKey, concatBytes } from "../bytes/compare.ts";
import { BoundedCache } from "../collections/bounded-cache.ts";
import { sha256 } from "../crypto/hashes.ts";
import type { Clock } from "../interfaces.ts";
import type { ScriptReport, ScriptRun } from "../ledger/scripts/script-verdicts.ts";
import { transactionBytes } from "../transactions/index.ts";

const LIFETIME_MS = 600_000;
const MAX_RUNS = 4_096;
/** Maximum text of all reports, in characters. */
const MAX_TEXT_LENGTH = 4_000_000;

interface CachedRun {
  readonly report: ScriptReport;
  /** Matters only if the script reads the height. */
  readonly height: number;
  /** Monotonic, ms. */
  readonly expiresAt: number;
}

export class RefusedRunCache {
  readonly #runs = new BoundedCache<CachedRun>({ entries: MAX_RUNS, weight: MAX_TEXT_LENGTH });
  readonly #clock: Pick<Clock, "monotonic">;

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  get(run: ScriptRun): ScriptReport | undefined {
    if (this.#runs.size === 0) return undefined;
    const key = keyOf(run);
    const found = this.#runs.get(key);
    if (found === undefined) return undefined;
    if (found.expiresAt <= this.#clock.monotonic()) {
      this.#runs.delete(key);
      return undefined;
    }
    return found.report.readsHeight && found.height !== run.height ? undefined : found.report;
  }

  add(run: ScriptRun, report: ScriptReport): void {
    let weight = report.text.length;
    for (const entry of report.vars ?? [])
      weight += entry.name.length + ("error" in entry ? entry.error : entry.value).length;
    const expiresAt = this.#clock.monotonic() + LIFETIME_MS;
    this.#runs.set(keyOf(run), { report, height: run.height, expiresAt }, weight);
  }
}

function keyOf({ script, transaction }: ScriptRun): string {
  // The script's hash has a fixed length, which separates the parts.
  return bytesKey(sha256(concatBytes(sha256(script), transactionBytes(transaction))));
}

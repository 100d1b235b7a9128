import { bytesKey } from "../bytes/compare.ts";
import {
  cacheReport,
  runReport,
  type ScriptReport,
  type ScriptRun,
} from "../ledger/scripts/script-verdicts.ts";
import { transactionBytes } from "../transactions/index.ts";
import type { ScriptJob } from "./run-script.ts";

/** A source of requests: the HTTP API, a peer, an import. */
export type SourceId = string;

export interface ScriptRunner {
  /** Number of scripts that `run` accepts now. */
  readonly freeSlots: number;
  /** @throws CheckerError (as a rejection) */
  run(job: ScriptJob): Promise<ScriptReport>;
}

export interface ScriptRequest {
  readonly run: ScriptRun;
  readonly includesVars: boolean;
  /**
   * Called just before the script runs. Returns the work limit in units of `ScriptWork`, undefined for no limit, "none"
   * to skip the script.
   */
  allowance(): number | undefined | "none";
  /** Called after the report is stored with the transaction. */
  onReport?(report: ScriptReport, allowance: number | undefined): void;
}

/** A call of `enqueue`. */
interface PendingRequest {
  remaining: number;
  failure: Error | undefined;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

interface Item {
  readonly script: ScriptRequest;
  readonly request: PendingRequest;
}

interface Source {
  readonly senders: Map<string, Item[]>;
  waiting: number;
}

/** Sources take turns, and so do the senders within a source. */
export class ScriptQueue {
  readonly #runner: ScriptRunner;
  readonly #chainId: number;
  /** The next one first. */
  readonly #sources = new Map<SourceId, Source>();
  #waiting = 0;

  constructor(runner: ScriptRunner, chainId: number) {
    this.#runner = runner;
    this.#chainId = chainId;
  }

  get waiting(): number {
    return this.#waiting;
  }

  waitingOf(source: SourceId): number {
    return this.#sources.get(source)?.waiting ?? 0;
  }

  /**
   * Resolves when all scripts have run or were skipped.
   * @throws CheckerError (as a rejection)
   */
  enqueue(id: SourceId, scripts: readonly ScriptRequest[]): Promise<void> {
    if (scripts.length === 0) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const request: PendingRequest = { remaining: scripts.length, failure: undefined, resolve, reject };
      const source = this.#sources.get(id) ?? { senders: new Map<string, Item[]>(), waiting: 0 };
      this.#sources.set(id, source);
      const { senders } = source;
      for (const script of scripts) {
        const key = bytesKey(script.run.transaction.senderAddress);
        const items = senders.get(key);
        if (items === undefined) senders.set(key, [{ script, request }]);
        else items.push({ script, request });
      }
      source.waiting += scripts.length;
      this.#waiting += scripts.length;
      this.#send();
    });
  }

  /** Runs the next script of a source in the caller's thread. @returns false if none is queued */
  assist(source: SourceId): boolean {
    const item = this.#next(source);
    if (item === undefined) return false;
    const { run, includesVars } = item.script;
    const allowance = item.script.allowance();
    if (allowance !== "none") {
      const report = runReport(run, { chainId: this.#chainId, allowance, includesVars });
      this.#store(item, report, allowance);
    }
    this.#itemDone(item.request, undefined);
    return true;
  }

  close(failure: Error): void {
    for (let item = this.#next(); item !== undefined; item = this.#next())
      this.#itemDone(item.request, failure);
  }

  #send(): void {
    while (this.#runner.freeSlots > 0) {
      const item = this.#next();
      if (item === undefined) return;
      const { run, includesVars } = item.script;
      const allowance = item.script.allowance();
      if (allowance === "none") {
        this.#itemDone(item.request, undefined);
        continue;
      }
      const { script, height } = run;
      const job = { script, transaction: transactionBytes(run.transaction), height, allowance, includesVars };
      this.#runner.run(job).then(
        (report) => {
          this.#store(item, report, allowance);
          this.#itemDone(item.request, undefined);
          this.#send();
        },
        (error: Error) => {
          this.#itemDone(item.request, error);
          this.#send();
        },
      );
    }
  }

  #next(only?: SourceId): Item | undefined {
    for (const [id, source] of this.#sources) {
      if (only !== undefined && id !== only) continue;
      this.#sources.delete(id);
      const { senders } = source;
      for (const [sender, items] of senders) {
        senders.delete(sender);
        const item = items.shift();
        if (item === undefined) continue;
        if (items.length > 0) senders.set(sender, items);
        if (--source.waiting > 0) this.#sources.set(id, source);
        this.#waiting--;
        return item;
      }
    }
    return undefined;
  }

  #store({ script }: Item, report: ScriptReport, allowance: number | undefined): void {
    cacheReport(script.run, { chainId: this.#chainId, allowance }, report);
    script.onReport?.(report, allowance);
  }

  #itemDone(request: PendingRequest, failure: Error | undefined): void {
    request.failure ??= failure;
    if (--request.remaining > 0) return;
    if (request.failure === undefined) request.resolve();
    else request.reject(request.failure);
  }
}

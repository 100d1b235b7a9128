import { bytesKey } from "../bytes/compare.ts";
import {
  rememberReport,
  runReport,
  type ScriptReport,
  type ScriptRun,
} from "../ledger/scripts/script-verdicts.ts";
import { transactionBytes } from "../transactions/index.ts";
import type { ScriptJob } from "./run-script.ts";

/** The origin of requests: the HTTP API, a peer, an import. */
export type SourceId = string;

export interface ScriptRunner {
  readonly free: number;
  /** @throws CheckerError (as a rejection) */
  run(job: ScriptJob): Promise<ScriptReport>;
}

export interface ScriptRequest {
  readonly run: ScriptRun;
  readonly texts: boolean;
  /**
   * Called when it is next. Returns the work limit in units of `ScriptWork`, undefined for no limit, "none" to skip
   * it.
   */
  allowance(): number | undefined | "none";
  /** Called after the report is remembered. */
  onReport?(report: ScriptReport, allowance: number | undefined): void;
}

interface Request {
  left: number;
  failure: Error | undefined;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

interface Item {
  readonly wanted: ScriptRequest;
  readonly request: Request;
}

interface Source {
  readonly senders: Map<string, Item[]>;
  waiting: number;
}

export class ScriptQueue {
  readonly #runner: ScriptRunner;
  readonly #chainId: number;
  /** The first source is next, and so is its first sender. */
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
  enqueue(id: SourceId, wanted: readonly ScriptRequest[]): Promise<void> {
    if (wanted.length === 0) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const request: Request = { left: wanted.length, failure: undefined, resolve, reject };
      const source = this.#sources.get(id) ?? { senders: new Map<string, Item[]>(), waiting: 0 };
      this.#sources.set(id, source);
      const { senders } = source;
      for (const one of wanted) {
        const key = bytesKey(one.run.transaction.senderAddress);
        const items = senders.get(key);
        if (items === undefined) senders.set(key, [{ wanted: one, request }]);
        else items.push({ wanted: one, request });
      }
      source.waiting += wanted.length;
      this.#waiting += wanted.length;
      this.#send();
    });
  }

  /** @returns false if none is queued */
  assist(source: SourceId): boolean {
    const item = this.#next(source);
    if (item === undefined) return false;
    const { run, texts } = item.wanted;
    const allowance = item.wanted.allowance();
    if (allowance !== "none") {
      const report = runReport(run, { chainId: this.#chainId, allowance, texts });
      this.#store(item, report, allowance);
    }
    this.#settle(item.request, undefined);
    return true;
  }

  close(failure: Error): void {
    for (let item = this.#next(); item !== undefined; item = this.#next())
      this.#settle(item.request, failure);
  }

  #send(): void {
    while (this.#runner.free > 0) {
      const item = this.#next();
      if (item === undefined) return;
      const { run, texts } = item.wanted;
      const allowance = item.wanted.allowance();
      if (allowance === "none") {
        this.#settle(item.request, undefined);
        continue;
      }
      const { script, height } = run;
      const job = { script, transaction: transactionBytes(run.transaction), height, allowance, texts };
      this.#runner.run(job).then(
        (report) => {
          this.#store(item, report, allowance);
          this.#settle(item.request, undefined);
          this.#send();
        },
        (error: Error) => {
          this.#settle(item.request, error);
          this.#send();
        },
      );
    }
  }

  /** Returns the next script: of the next sender of the next source, or of source `only`. */
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

  #store({ wanted }: Item, report: ScriptReport, allowance: number | undefined): void {
    rememberReport(wanted.run, { chainId: this.#chainId, allowance }, report);
    wanted.onReport?.(report, allowance);
  }

  #settle(request: Request, failure: Error | undefined): void {
    request.failure ??= failure;
    if (--request.left > 0) return;
    if (request.failure === undefined) request.resolve();
    else request.reject(request.failure);
  }
}

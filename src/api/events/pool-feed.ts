/** Polls for new pool transactions while at least one stream subscribes to them. */
import { printJson } from "../../bytes/json.ts";
import type { NodeControl, PoolNews } from "../../control/index.ts";
import type { Cancel, Clock, Log } from "../../interfaces.ts";
import { UnavailableError, UnreachableError } from "../../runtime/rpc.ts";
import { type NetworkRules, reparseTransaction, transactionId } from "../../transactions/index.ts";
import { transactionOnlyJson } from "../chain-json.ts";
import { filterFieldsOf, matchesFilter } from "./filter.ts";
import { formatEvent } from "./pages.ts";
import type { EventStream } from "./stream.ts";

const RETRY_DELAY_MS = 1_000;

interface FilteredNews {
  readonly bytes: Uint8Array;
  readonly count: number;
}

interface PoolFeedOptions {
  readonly control: Pick<NodeControl, "pool">;
  readonly network: NetworkRules;
  readonly clock: Clock;
  readonly log: Log;
  readonly streams: ReadonlySet<EventStream>;
}

export class PoolFeed {
  readonly #options: PoolFeedOptions;
  #isPolling = false;
  #cancelRetry: Cancel | undefined;

  constructor(options: PoolFeedOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#isPolling) return;
    this.#isPolling = true;
    this.#poll(undefined);
  }

  close(): void {
    this.#cancelRetry?.();
  }

  #poll(after: number | undefined): void {
    if (!this.#subscribers().next().done) {
      this.#options.control.pool.news(after).then(
        (news) => {
          this.#send(news);
          this.#poll(news.next);
        },
        (error: unknown) => this.#handleFailure(error, after),
      );
    } else this.#isPolling = false;
  }

  #handleFailure(error: unknown, after: number | undefined): void {
    const reason = error instanceof UnavailableError ? error.reason : undefined;
    if (reason === "closing" || this.#options.streams.size === 0) {
      this.#isPolling = false;
      return;
    }
    if (reason === undefined && !(error instanceof UnreachableError))
      this.#options.log.error("Cannot read new pool transactions for event streams", {
        error: String(error),
      });
    this.#cancelRetry = this.#options.clock.after(RETRY_DELAY_MS, () => this.#poll(after));
  }

  *#subscribers(): Generator<EventStream> {
    for (const stream of this.#options.streams) if (stream.filter.events.has("pool")) yield stream;
  }

  #send({ bytes, ends, missed }: PoolNews): void {
    const transactions = ends.map((end, i) => {
      const transaction = reparseTransaction(
        bytes.subarray(i === 0 ? 0 : ends[i - 1], end),
        this.#options.network,
      );
      const data = printJson({ transaction: transactionOnlyJson(transaction) });
      const fields = filterFieldsOf(transaction, transactionId(transaction));
      return { fields, text: formatEvent("pool", undefined, data) };
    });
    const byFilter = new Map<string, FilteredNews>();
    for (const stream of this.#subscribers()) {
      const { filter } = stream;
      let filtered = byFilter.get(filter.key);
      if (filtered === undefined) {
        const matching = transactions.filter(({ fields }) => matchesFilter(filter, fields));
        filtered = { bytes: Buffer.from(matching.map(({ text }) => text).join("")), count: matching.length };
        byFilter.set(filter.key, filtered);
      }
      if (missed > 0) stream.addMissed(missed);
      if (filtered.count > 0) stream.sendPool(filtered.bytes, filtered.count);
    }
  }
}

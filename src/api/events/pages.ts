import { encodeBase58 } from "../../bytes/base58.ts";
import { type JsonOut, printJson } from "../../bytes/json.ts";
import { BoundedCache } from "../../collections/bounded-cache.ts";
import { addressText } from "../../crypto/addresses.ts";
import type {
  AppliedUnit,
  ChainCursor,
  ChainReader,
  ChangesSince,
  StoredTransaction,
} from "../../interfaces.ts";
import { blockTransactionJson } from "../chain-json.ts";
import { type EventFilter, type FilterFields, filterFieldsOf, matchesFilter } from "./filter.ts";
import { afterUnit, type EventPosition, formatPosition, startPosition } from "./position.ts";

/** A page ends after the event that reaches this length (UTF-16 units). */
const MAX_PAGE_LENGTH = 48 * 1024;
const MAX_SCANNED_PER_PAGE = 500;
const MAX_UNITS_PER_READ = 100;
const PAGE_CACHE_BYTES = 8 * 2 ** 20;
const UNIT_CACHE_TRANSACTIONS = 10_000;

interface EventPage {
  /** Undefined if the filter matches no event of the page. */
  readonly bytes: Uint8Array | undefined;
  readonly next: EventPosition;
  /** True if `next` is the tip. */
  readonly isComplete: boolean;
}

export function formatEvent(event: string, id: string | undefined, data: string): string {
  return `event: ${event}\n${id === undefined ? "" : `id: ${id}\n`}data: ${data}\n\n`;
}

interface CachedTransaction {
  readonly fields: FilterFields;
  printed: string | undefined;
}

type Change = "committed" | "reverted";

class PageDraft {
  text = "";
  /** Units and transactions, including those that do not match. */
  scanned = 0;

  get isFull(): boolean {
    return this.text.length >= MAX_PAGE_LENGTH || this.scanned >= MAX_SCANNED_PER_PAGE;
  }
}

export class EventPages {
  readonly #reader: ChainReader;
  readonly #pages = new BoundedCache<EventPage>({ weight: PAGE_CACHE_BYTES });
  readonly #changes = new BoundedCache<ChangesSince>({ weight: UNIT_CACHE_TRANSACTIONS });
  readonly #units = new BoundedCache<AppliedUnit>({ weight: UNIT_CACHE_TRANSACTIONS });
  readonly #transactions = new WeakMap<StoredTransaction, CachedTransaction>();

  constructor(reader: ChainReader) {
    this.#reader = reader;
  }

  clear(): void {
    this.#pages.clear();
    this.#changes.clear();
    this.#units.clear();
  }

  tip(): EventPosition {
    return this.#reader.read((chain) => this.#endOfUnit(chain.tip()));
  }

  page(filter: EventFilter, from: EventPosition): EventPage {
    const key = `${formatPosition(from)} ${filter.key}`;
    const cached = this.#pages.get(key);
    if (cached !== undefined) return cached;
    const page = this.#makePage(filter, from);
    return this.#pages.set(key, page, key.length + (page.bytes?.length ?? 0));
  }

  #changesSince(cursor: ChainCursor): ChangesSince {
    const key = formatPosition({ unit: cursor, offset: 0 });
    const cached = this.#changes.get(key);
    if (cached !== undefined) return cached;
    const changes = this.#reader.read((chain) =>
      chain.changes.since(cursor, MAX_UNITS_PER_READ, MAX_SCANNED_PER_PAGE),
    );
    const units = changes.kind === "changes" ? [...changes.reverted, ...changes.committed] : [];
    const size = units.reduce((sum, { transactions }) => sum + 1 + transactions.length, 1);
    return this.#changes.set(key, changes, size);
  }

  #unit(cursor: ChainCursor): AppliedUnit | undefined {
    const key = formatPosition({ unit: cursor, offset: 0 });
    const cached = this.#units.get(key);
    if (cached !== undefined) return cached;
    const unit = this.#reader.read((chain) => chain.changes.unit(cursor));
    return unit && this.#units.set(key, unit, 1 + unit.transactions.length);
  }

  #endOfUnit(cursor: ChainCursor): EventPosition {
    const unit = this.#unit(cursor);
    return unit === undefined ? startPosition : afterUnit(unit);
  }

  #makePage(filter: EventFilter, from: EventPosition): EventPage {
    const changes = this.#changesSince(from.unit);
    if (changes.kind !== "changes") return this.#gapPage(from);
    const draft = new PageDraft();
    const finish = (next: EventPosition, isComplete: boolean): EventPage => {
      const { text } = draft;
      return { bytes: text === "" ? undefined : Buffer.from(text), next, isComplete };
    };
    const { reverted, committed, ancestor } = changes;
    let position = from;
    for (const [i, unit] of reverted.entries()) {
      const start = Math.min(i === 0 ? from.offset : Number.POSITIVE_INFINITY, unit.transactions.length);
      for (let offset = start; offset > 0; offset--) {
        position = { unit, offset };
        if (draft.isFull) return finish(position, false);
        this.#addTransaction(draft, filter, "reverted", unit, offset - 1, { unit, offset: offset - 1 });
      }
      position = { unit, offset: 0 };
      if (draft.isFull) return finish(position, false);
      const parent = reverted.at(i + 1);
      position = parent === undefined ? this.#endOfUnit(ancestor) : afterUnit(parent);
      this.#addUnit(draft, filter, "reverted", unit, position);
    }
    if (reverted.length === 0 && from.isWhole !== true) {
      const fromUnit = this.#unit(from.unit);
      if (fromUnit === undefined) return this.#gapPage(from);
      const continuation = this.#addTransactions(draft, filter, fromUnit, from.offset);
      if (continuation !== undefined) return finish(continuation, false);
      position = afterUnit(fromUnit);
    }
    for (const unit of committed) {
      if (draft.isFull) return finish(position, false);
      this.#addUnit(draft, filter, "committed", unit, { unit, offset: 0 });
      const continuation = this.#addTransactions(draft, filter, unit, 0);
      if (continuation !== undefined) return finish(continuation, false);
      position = afterUnit(unit);
    }
    return finish(position, changes.complete);
  }

  /** Returns the position of the next page if this one is full. */
  #addTransactions(
    draft: PageDraft,
    filter: EventFilter,
    unit: AppliedUnit,
    from: number,
  ): EventPosition | undefined {
    for (let i = from; i < unit.transactions.length; i++) {
      if (draft.isFull) return { unit, offset: i };
      this.#addTransaction(draft, filter, "committed", unit, i, { unit, offset: i + 1 });
    }
    return undefined;
  }

  #gapPage(from: EventPosition): EventPage {
    const next = this.tip();
    const data = {
      since: formatPosition(from),
      message: "events after this id are missing: the node no longer stores the changes since then",
    };
    const text = formatEvent("gap", formatPosition(next), printJson(data));
    return { bytes: Buffer.from(text), next, isComplete: true };
  }

  #addUnit(
    draft: PageDraft,
    { events }: EventFilter,
    change: Change,
    unit: AppliedUnit,
    after: EventPosition,
  ): void {
    draft.scanned++;
    const event = unit.sequence === 0 ? "block" : "microblock";
    if (!events.has(event)) return;
    const data: JsonOut = {
      change,
      height: unit.height,
      sequence: unit.sequence,
      signature: encodeBase58(unit.id),
      timestamp: unit.timestamp,
      generator: addressText(unit.generator),
      transactionCount: unit.transactions.length,
    };
    draft.text += formatEvent(event, formatPosition(after), printJson(data));
  }

  #addTransaction(
    draft: PageDraft,
    filter: EventFilter,
    change: Change,
    unit: AppliedUnit,
    index: number,
    after: EventPosition,
  ): void {
    draft.scanned++;
    if (!filter.events.has("transaction")) return;
    const stored = unit.transactions[index];
    const { transaction, id, position, effectiveSponsor } = stored;
    let cached = this.#transactions.get(stored);
    if (cached === undefined) {
      cached = { fields: filterFieldsOf(transaction, id, effectiveSponsor), printed: undefined };
      this.#transactions.set(stored, cached);
    }
    if (!matchesFilter(filter, cached.fields)) return;
    cached.printed ??= printJson(blockTransactionJson(stored));
    const { height, sequence } = unit;
    const header = printJson({ change, height, sequence, blockSignature: encodeBase58(unit.id), position });
    draft.text += formatEvent(
      "transaction",
      formatPosition(after),
      `${header.slice(0, -1)},"transaction":${cached.printed}}`,
    );
  }
}

/**
 * What readers of events are sent, page by page: a page leads from one position to the next one. Readers that stand at
 * the same place and ask for the same get the same page, which is made once.
 */
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
import { transactionInBlock } from "../chain-json.ts";
import { type EventFilter, type FilterFacts, filterFacts, letsThrough } from "./filter.ts";
import { beforeAll, behindAll, type EventPosition, positionText } from "./position.ts";

/** A page ends behind the event that brings it to so many UTF-16 units, or behind so many transactions looked at. */
const PAGE_TEXT = 48 * 1024;
const PAGE_TRANSACTIONS = 500;
/** What is read of the chain for a page. */
const READ_UNITS = 100;
/** Pages and units that are kept for other readers, until the chain changes. */
const KEPT_BYTES = 8 * 2 ** 20;
const KEPT_TRANSACTIONS = 10_000;

/** A part of the way from a position to the tip. */
interface EventPage {
  /** Undefined: nothing that the filter lets through. */
  readonly bytes: Uint8Array | undefined;
  readonly next: EventPosition;
  /** Whether that is the tip. */
  readonly isComplete: boolean;
}

/** A message of the stream. @param data JSON on one line */
export function message(event: string, id: string | undefined, data: string): string {
  return `event: ${event}\n${id === undefined ? "" : `id: ${id}\n`}data: ${data}\n\n`;
}

interface Known {
  readonly facts: FilterFacts;
  /** As it stands in a block; undefined while no filter let it through. */
  printed: string | undefined;
}

type Change = "committed" | "reverted";

/** Text that is being put together, up to where. */
class Draft {
  text = "";
  looked = 0;

  get isFull(): boolean {
    return this.text.length >= PAGE_TEXT || this.looked >= PAGE_TRANSACTIONS;
  }
}

export class EventPages {
  readonly #reader: ChainReader;
  readonly #pages = new BoundedCache<EventPage>({ weight: KEPT_BYTES });
  readonly #changes = new BoundedCache<ChangesSince>({ weight: KEPT_TRANSACTIONS });
  readonly #units = new BoundedCache<AppliedUnit>({ weight: KEPT_TRANSACTIONS });
  /** What was found out of transactions, for all filters. */
  readonly #known = new WeakMap<StoredTransaction, Known>();

  constructor(reader: ChainReader) {
    this.#reader = reader;
  }

  renew(): void {
    this.#pages.clear();
    this.#changes.clear();
    this.#units.clear();
  }

  tip(): EventPosition {
    return this.#reader.read((chain) => this.#whole(chain.tip()));
  }

  /** The next page for a reader that stands at a position. */
  page(filter: EventFilter, from: EventPosition): EventPage {
    const key = `${positionText(from)} ${filter.key}`;
    const kept = this.#pages.get(key);
    if (kept !== undefined) return kept;
    const made = this.#make(filter, from);
    return this.#pages.set(key, made, key.length + (made.bytes?.length ?? 0));
  }

  #changesSince(cursor: ChainCursor): ChangesSince {
    const key = positionText({ unit: cursor, place: 0 });
    const kept = this.#changes.get(key);
    if (kept !== undefined) return kept;
    const changes = this.#reader.read((chain) => chain.changes.since(cursor, READ_UNITS, PAGE_TRANSACTIONS));
    const units = changes.kind === "changes" ? [...changes.reverted, ...changes.committed] : [];
    const size = units.reduce((sum, { transactions }) => sum + 1 + transactions.length, 1);
    return this.#changes.set(key, changes, size);
  }

  #unit(cursor: ChainCursor): AppliedUnit | undefined {
    const key = positionText({ unit: cursor, place: 0 });
    const kept = this.#units.get(key);
    if (kept !== undefined) return kept;
    const unit = this.#reader.read((chain) => chain.changes.unit(cursor));
    return unit && this.#units.set(key, unit, 1 + unit.transactions.length);
  }

  /** Behind all transactions of a unit that is on the chain or remembered. */
  #whole(cursor: ChainCursor): EventPosition {
    const unit = this.#unit(cursor);
    return unit === undefined ? beforeAll : behindAll(unit);
  }

  #make(filter: EventFilter, from: EventPosition): EventPage {
    const changes = this.#changesSince(from.unit);
    if (changes.kind !== "changes") return this.#gap(from);
    const draft = new Draft();
    const page = (next: EventPosition, isComplete: boolean): EventPage => {
      const { text } = draft;
      return { bytes: text === "" ? undefined : Buffer.from(text), next, isComplete };
    };
    const { reverted, committed, ancestor } = changes;
    let at = from;
    for (const [i, unit] of reverted.entries()) {
      const last = Math.min(i === 0 ? from.place : Number.POSITIVE_INFINITY, unit.transactions.length);
      for (let place = last; place > 0; place--) {
        at = { unit, place };
        if (draft.isFull) return page(at, false);
        this.#tellTransaction(draft, filter, "reverted", unit, place - 1, { unit, place: place - 1 });
      }
      at = { unit, place: 0 };
      if (draft.isFull) return page(at, false);
      const parent = reverted.at(i + 1);
      at = parent === undefined ? this.#whole(ancestor) : behindAll(parent);
      this.#tellUnit(draft, filter, "reverted", unit, at);
    }
    if (reverted.length === 0 && from.isWhole !== true) {
      const own = this.#unit(from.unit);
      if (own === undefined) return this.#gap(from);
      const rest = this.#tellTransactions(draft, filter, own, from.place);
      if (rest !== undefined) return page(rest, false);
      at = behindAll(own);
    }
    for (const unit of committed) {
      if (draft.isFull) return page(at, false);
      this.#tellUnit(draft, filter, "committed", unit, { unit, place: 0 });
      const rest = this.#tellTransactions(draft, filter, unit, 0);
      if (rest !== undefined) return page(rest, false);
      at = behindAll(unit);
    }
    return page(at, changes.complete);
  }

  /** Those of a unit from a place on; where the page ended before that was all. */
  #tellTransactions(
    draft: Draft,
    filter: EventFilter,
    unit: AppliedUnit,
    from: number,
  ): EventPosition | undefined {
    for (let i = from; i < unit.transactions.length; i++) {
      if (draft.isFull) return { unit, place: i };
      this.#tellTransaction(draft, filter, "committed", unit, i, { unit, place: i + 1 });
    }
    return undefined;
  }

  /** Nobody remembers how the chain came from there to where it is now. */
  #gap(from: EventPosition): EventPage {
    const next = this.tip();
    const facts = {
      since: positionText(from),
      message:
        "this place is on no chain that is remembered: events between it and the newest block are missing",
    };
    const text = message("gap", positionText(next), printJson(facts));
    return { bytes: Buffer.from(text), next, isComplete: true };
  }

  #tellUnit(
    draft: Draft,
    { events }: EventFilter,
    change: Change,
    unit: AppliedUnit,
    behind: EventPosition,
  ): void {
    draft.looked++;
    const event = unit.sequence === 0 ? "block" : "microblock";
    if (!events.has(event)) return;
    const facts: JsonOut = {
      change,
      height: unit.height,
      sequence: unit.sequence,
      signature: encodeBase58(unit.id),
      timestamp: unit.timestamp,
      generator: addressText(unit.generator),
      transactionCount: unit.transactions.length,
    };
    draft.text += message(event, positionText(behind), printJson(facts));
  }

  #tellTransaction(
    draft: Draft,
    filter: EventFilter,
    change: Change,
    unit: AppliedUnit,
    index: number,
    behind: EventPosition,
  ): void {
    draft.looked++;
    if (!filter.events.has("transaction")) return;
    const told = unit.transactions[index];
    const { transaction, id, position, effectiveSponsor } = told;
    let known = this.#known.get(told);
    if (known === undefined) {
      known = { facts: filterFacts(transaction, id, effectiveSponsor), printed: undefined };
      this.#known.set(told, known);
    }
    if (!letsThrough(filter, known.facts)) return;
    known.printed ??= printJson(transactionInBlock(told));
    const { height, sequence } = unit;
    const place = printJson({ change, height, sequence, blockSignature: encodeBase58(unit.id), position });
    draft.text += message(
      "transaction",
      positionText(behind),
      `${place.slice(0, -1)},"transaction":${known.printed}}`,
    );
  }
}

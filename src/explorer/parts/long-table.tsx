/**
 * A paged list: the first page is kept up to date, further pages are loaded on request. All loaded rows stay
 * in the document for the browser's search. Rows do not move while the pointer or focus is on the list.
 */
import { useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { yieldToBrowser } from "../data/platform.ts";
import { problemOf } from "../data/problems.ts";
import { commonTexts } from "../text/common-texts.ts";
import { type Column, TableBody, TableHead } from "./table.tsx";
import { partTexts as texts } from "./texts.ts";

/** Pages are kept while others reload, so `next` must not depend on other pages. */
export interface ListPage<Row, Place = string> {
  readonly rows: readonly Row[];
  /** Undefined after the last page. */
  readonly next: Place | undefined;
}

export interface PagedAnswer<T> {
  readonly value: T;
  header(name: string): string | null;
}

export function nextCursor({ header }: PagedAnswer<unknown>): string | undefined {
  return header("x-next-cursor") ?? undefined;
}

/** Maximum rows that the browser has to render. */
const MAX_ROWS = 10_000;
/** Rows rendered at a time, to keep the page responsive. */
const BATCH_ROWS = 25;

interface LongTableProps<Row, Place> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly first: ListPage<Row, Place>;
  more(place: Place): Promise<ListPage<Row, Place>>;
  keyOf(row: Row): string;
  /** Total number of rows, if known. */
  readonly total?: number | undefined;
  readonly empty: ComponentChildren;
  /** CSS classes that set the column widths. */
  readonly name: string;
}

type BatchProps<Row> = Pick<LongTableProps<Row, unknown>, "caption" | "columns" | "keyOf"> & {
  readonly rows: readonly Row[];
  readonly isFirst: boolean;
};

function BatchTable<Row>(props: BatchProps<Row>): JSX.Element {
  const { caption, rows, columns, keyOf, isFirst } = props;
  return (
    <div class={isFirst ? undefined : "later"}>
      <table>
        <caption class="unseen">{isFirst ? caption : texts.continued(caption)}</caption>
        <colgroup>
          {columns.map((_, i) => (
            <col key={i} />
          ))}
        </colgroup>
        <TableHead columns={columns} isUnseen={!isFirst} />
        <TableBody columns={columns} rows={rows} keyOf={keyOf} />
      </table>
    </div>
  );
}

/**
 * Renders a batch only when its rows change. Must be a component: Preact compares a memoized element again,
 * with all its children. With `content-visibility` browsers lay out only visible batches, so a batch costs
 * the same after 10,000 rows.
 */
function Batch<Row>(props: BatchProps<Row>): JSX.Element {
  return useMemo(() => <BatchTable {...props} />, [props.rows]);
}

/** Replaces the first page and keeps the rows after it if the two still overlap. */
export function mergeFirstPage<Row, Place>(
  pages: readonly ListPage<Row, Place>[],
  first: ListPage<Row, Place>,
  keyOf: (row: Row) => string,
): readonly ListPage<Row, Place>[] {
  const end = first.rows.at(-1);
  // The list has only one page, or no other was loaded.
  if (end === undefined || first.next === undefined || pages.length < 2) return [first];
  const key = keyOf(end);
  const at = pages.findIndex(({ rows }) => rows.some((row) => keyOf(row) === key));
  // More rows are new than a page has, so those in between are missing.
  if (at < 0) return [first];
  const { rows, next } = pages[at];
  const rest = rows.slice(rows.findIndex((row) => keyOf(row) === key) + 1);
  return [first, ...(rest.length > 0 ? [{ rows: rest, next }] : []), ...pages.slice(at + 1)];
}

/**
 * Splits a page into batches that are rendered one after another.
 * @param place start of the page, where loading continues until all of its batches are rendered
 */
export function splitPage<Row, Place>(
  { rows, next }: ListPage<Row, Place>,
  place: Place,
): readonly ListPage<Row, Place>[] {
  const parts: ListPage<Row, Place>[] = [];
  for (let at = 0; at < rows.length; at += BATCH_ROWS)
    parts.push({ rows: rows.slice(at, at + BATCH_ROWS), next: at + BATCH_ROWS < rows.length ? place : next });
  return parts.length === 0 ? [{ rows, next }] : parts;
}

function newRows<Row>(
  pages: readonly ListPage<Row, unknown>[],
  page: ListPage<Row, unknown>,
  keyOf: (row: Row) => string,
): readonly Row[] {
  const known = new Set(pages.flatMap(({ rows }) => rows.map(keyOf)));
  return page.rows.filter((row) => !known.has(keyOf(row)));
}

export function LongTable<Row, Place>(props: LongTableProps<Row, Place>): JSX.Element {
  const { caption, columns, first, more, keyOf, total, empty, name } = props;
  const pages = useSignal<readonly ListPage<Row, Place>[]>([first]);
  const state = useSignal<{ readonly message: string; readonly busy: boolean }>({ message: "", busy: false });
  const waiting = useSignal<ListPage<Row, Place> | undefined>(undefined);
  const isHeld = useRef(false);
  const isGone = useRef(false);

  const take = (page: ListPage<Row, Place>): void => {
    waiting.value = undefined;
    pages.value = mergeFirstPage(pages.value, page, keyOf);
  };
  useEffect(() => {
    if (pages.value[0] === first) return;
    // Rows that only changed in place need not wait.
    if (isHeld.current && newRows(pages.value, first, keyOf).length > 0) waiting.value = first;
    else take(first);
  }, [first]);
  useEffect(
    () => () => {
      isGone.current = true;
    },
    [],
  );
  const hold = (): void => {
    isHeld.current = true;
  };
  const release = (): void => {
    isHeld.current = false;
    if (waiting.value !== undefined) take(waiting.value);
  };

  const count = pages.value.reduce((sum, { rows }) => sum + rows.length, 0);
  const next = pages.value.at(-1)?.next;
  const load = async (most: number): Promise<void> => {
    state.value = { message: texts.loading, busy: true };
    try {
      for (;;) {
        const cursor = pages.value.at(-1)?.next;
        const loaded = pages.value.reduce((sum, { rows }) => sum + rows.length, 0);
        if (cursor === undefined || loaded >= most || isGone.current) break;
        const page = await more(cursor);
        // A fork can move a row to the first page.
        const rows = newRows(pages.value, page, keyOf);
        for (const part of splitPage({ rows, next: page.next }, cursor)) {
          // The list was replaced meanwhile, so this page no longer follows.
          if (pages.value.at(-1)?.next !== cursor || isGone.current) break;
          pages.value = [...pages.value, part];
          await yieldToBrowser();
        }
      }
      state.value = { message: "", busy: false };
    } catch (error) {
      state.value = { message: problemOf(error).message, busy: false };
    }
  };
  if (count === 0 && next === undefined) return <p class="empty quiet">{empty}</p>;
  const fresh = waiting.value === undefined ? 0 : newRows(pages.value, waiting.value, keyOf).length;
  return (
    <div
      class="long-list"
      onPointerEnter={hold}
      onPointerLeave={release}
      onFocusIn={hold}
      onFocusOut={(event) => {
        const { relatedTarget, currentTarget } = event;
        if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) release();
      }}
    >
      {fresh > 0 && (
        <button
          type="button"
          class="fresh"
          onClick={() => waiting.value !== undefined && take(waiting.value)}
        >
          {texts.fresh(fresh)}
        </button>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard */}
      <section class="scrolled" tabIndex={0} aria-label={caption}>
        <div class={`long ${name}`}>
          {pages.value.map(({ rows }, i) => (
            <Batch key={i} caption={caption} rows={rows} columns={columns} keyOf={keyOf} isFirst={i === 0} />
          ))}
        </div>
      </section>
      <p class="list-end">
        <span class="quiet" role="status">
          {texts.shown(count, total !== undefined && total >= count ? total : undefined)}
          {state.value.message === "" ? "" : `. ${state.value.message}`}
        </span>
        {next !== undefined && count < MAX_ROWS && (
          <>
            <button type="button" class="small" disabled={state.value.busy} onClick={() => load(count + 1)}>
              {texts.showMore}
            </button>
            <button type="button" class="small" disabled={state.value.busy} onClick={() => load(MAX_ROWS)}>
              {total !== undefined && total <= MAX_ROWS
                ? commonTexts.showAll(total)
                : texts.showFirst(MAX_ROWS)}
            </button>
          </>
        )}
      </p>
    </div>
  );
}

/**
 * Shows a paged list. The first page is kept up to date. Rows do not move while the pointer or focus is on
 * the list.
 */
import { useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { yieldToBrowser } from "../../data/platform.ts";
import { problemOf } from "../../data/problems.ts";
import { commonTexts } from "../../text/common-texts.ts";
import { partTexts as texts } from "../texts.ts";
import { type Column, TableBody, TableHead } from "./table.tsx";

/** `next` must stay valid when other pages are reloaded. */
export interface ListPage<Row, Cursor = string> {
  readonly rows: readonly Row[];
  readonly next: Cursor | undefined;
}

export interface PagedAnswer<T> {
  readonly value: T;
  header(name: string): string | null;
}

export function nextCursor({ header }: PagedAnswer<unknown>): string | undefined {
  return header("x-next-cursor") ?? undefined;
}

/** More rows need a filter. */
const MAX_ROWS = 2_000;
/** Number of rows rendered at a time. */
const BATCH_ROWS = 25;

interface LongTableProps<Row, Cursor> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly first: ListPage<Row, Cursor>;
  loadPage(cursor: Cursor): Promise<ListPage<Row, Cursor>>;
  keyOf(row: Row): string;
  readonly total?: number | undefined;
  readonly empty: ComponentChildren;
  /** CSS classes that set the widths of columns. */
  readonly classes: string;
}

type BatchProps<Row> = Pick<LongTableProps<Row, unknown>, "caption" | "columns" | "keyOf"> & {
  readonly rows: readonly Row[];
  readonly isFirst: boolean;
};

function BatchTable<Row>(props: BatchProps<Row>): JSX.Element {
  const { caption, rows, columns, keyOf, isFirst } = props;
  return (
    <div class={isFirst ? undefined : "later-batch"}>
      <table>
        <caption class="visually-hidden">{isFirst ? caption : texts.continuedCaption(caption)}</caption>
        <colgroup>
          {columns.map((_, i) => (
            <col key={i} />
          ))}
        </colgroup>
        <TableHead columns={columns} isVisuallyHidden={!isFirst} />
        <TableBody columns={columns} rows={rows} keyOf={keyOf} />
      </table>
    </div>
  );
}

/** Renders a batch only when its rows change. */
function Batch<Row>(props: BatchProps<Row>): JSX.Element {
  return useMemo(() => <BatchTable {...props} />, [props.rows]);
}

/** Replaces the first page. Keeps the loaded rows after its last row, if that row is loaded. */
export function mergeFirstPage<Row, Cursor>(
  pages: readonly ListPage<Row, Cursor>[],
  first: ListPage<Row, Cursor>,
  keyOf: (row: Row) => string,
): readonly ListPage<Row, Cursor>[] {
  const end = first.rows.at(-1);
  // The list has only one page, or no later page was loaded.
  if (end === undefined || first.next === undefined || pages.length < 2) return [first];
  const key = keyOf(end);
  const index = pages.findIndex(({ rows }) => rows.some((row) => keyOf(row) === key));
  // Rows between `first` and the loaded pages are missing.
  if (index < 0) return [first];
  const { rows, next } = pages[index];
  const laterRows = rows.slice(rows.findIndex((row) => keyOf(row) === key) + 1);
  return [first, ...(laterRows.length > 0 ? [{ rows: laterRows, next }] : []), ...pages.slice(index + 1)];
}

/** Each batch but the last has `cursor`, which loads this page again if rendering is interrupted. */
export function splitPage<Row, Cursor>(
  { rows, next }: ListPage<Row, Cursor>,
  cursor: Cursor,
): readonly ListPage<Row, Cursor>[] {
  const batches: ListPage<Row, Cursor>[] = [];
  for (let start = 0; start < rows.length; start += BATCH_ROWS) {
    const end = start + BATCH_ROWS;
    batches.push({ rows: rows.slice(start, end), next: end < rows.length ? cursor : next });
  }
  return batches.length === 0 ? [{ rows, next }] : batches;
}

function findNewRows<Row>(
  pages: readonly ListPage<Row, unknown>[],
  page: ListPage<Row, unknown>,
  keyOf: (row: Row) => string,
): readonly Row[] {
  const loadedKeys = new Set(pages.flatMap(({ rows }) => rows.map(keyOf)));
  return page.rows.filter((row) => !loadedKeys.has(keyOf(row)));
}

export function LongTable<Row, Cursor>(props: LongTableProps<Row, Cursor>): JSX.Element {
  const { caption, columns, first, loadPage, keyOf, total, empty, classes } = props;
  const pages = useSignal<readonly ListPage<Row, Cursor>[]>([first]);
  const state = useSignal<{ readonly message: string; readonly busy: boolean }>({ message: "", busy: false });
  /** Shown when the list is no longer paused. */
  const pendingFirst = useSignal<ListPage<Row, Cursor> | undefined>(undefined);
  const isPaused = useRef(false);
  const isUnmounted = useRef(false);

  const showFirst = (page: ListPage<Row, Cursor>): void => {
    pendingFirst.value = undefined;
    pages.value = mergeFirstPage(pages.value, page, keyOf);
  };
  useEffect(() => {
    if (pages.value[0] === first) return;
    // Without new rows, no row moves.
    if (isPaused.current && findNewRows(pages.value, first, keyOf).length > 0) pendingFirst.value = first;
    else showFirst(first);
  }, [first]);
  useEffect(
    () => () => {
      isUnmounted.current = true;
    },
    [],
  );
  const pause = (): void => {
    isPaused.current = true;
  };
  const resume = (): void => {
    isPaused.current = false;
    if (pendingFirst.value !== undefined) showFirst(pendingFirst.value);
  };

  const count = pages.value.reduce((sum, { rows }) => sum + rows.length, 0);
  const next = pages.value.at(-1)?.next;
  const loadUntil = async (maxRows: number): Promise<void> => {
    state.value = { message: commonTexts.loading, busy: true };
    try {
      for (;;) {
        const cursor = pages.value.at(-1)?.next;
        const loaded = pages.value.reduce((sum, { rows }) => sum + rows.length, 0);
        if (cursor === undefined || loaded >= maxRows || isUnmounted.current) break;
        const page = await loadPage(cursor);
        // Skip rows that a fork has moved to a page that is already loaded.
        const rows = findNewRows(pages.value, page, keyOf);
        for (const batch of splitPage({ rows, next: page.next }, cursor)) {
          if (pages.value.at(-1)?.next !== cursor || isUnmounted.current) break;
          pages.value = [...pages.value, batch];
          await yieldToBrowser();
        }
      }
      state.value = { message: "", busy: false };
    } catch (error) {
      state.value = { message: problemOf(error).message, busy: false };
    }
  };
  if (count === 0 && next === undefined) return <p class="empty quiet">{empty}</p>;
  const pending = pendingFirst.value;
  const newCount = pending === undefined ? 0 : findNewRows(pages.value, pending, keyOf).length;
  return (
    <div
      class="long-list"
      onPointerEnter={pause}
      onPointerLeave={resume}
      onFocusIn={pause}
      onFocusOut={(event) => {
        const { relatedTarget, currentTarget } = event;
        if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) resume();
      }}
    >
      {newCount > 0 && (
        <button
          type="button"
          class="new-rows"
          onClick={() => pendingFirst.value !== undefined && showFirst(pendingFirst.value)}
        >
          {texts.newRows(newCount)}
        </button>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard */}
      <section class="scrolled" tabIndex={0} aria-label={caption}>
        <div class={`long-table ${classes}`}>
          {pages.value.map(({ rows }, i) => (
            <Batch key={i} caption={caption} rows={rows} columns={columns} keyOf={keyOf} isFirst={i === 0} />
          ))}
        </div>
      </section>
      <p class="list-end">
        <span class="quiet" role="status">
          {texts.shownCount(count, total !== undefined && total >= count ? total : undefined)}
          {state.value.message === "" ? "" : `. ${state.value.message}`}
        </span>
        {next !== undefined && count < MAX_ROWS && (
          <>
            <button
              type="button"
              class="small"
              disabled={state.value.busy}
              onClick={() => loadUntil(count + 1)}
            >
              {texts.showMore}
            </button>
            <button
              type="button"
              class="small"
              disabled={state.value.busy}
              onClick={() => loadUntil(MAX_ROWS)}
            >
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

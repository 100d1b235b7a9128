/**
 * Shows a paged list. The first page is kept up to date. Rows do not move while the pointer or focus is on
 * the list.
 */
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { problemOf } from "../../data/problems.ts";
import { commonTexts } from "../../text/common-texts.ts";
import { partTexts as texts } from "../texts.ts";
import { useCode } from "../use-code.ts";
import { usePausedUpdates } from "./paused-updates.ts";
import { PlainRows, type RowsProps } from "./rows.tsx";

/** `next` must stay valid when other pages are reloaded. */
export interface ListPage<Row, Cursor = string> {
  readonly rows: readonly Row[];
  readonly next: Cursor | undefined;
}

export interface PagedAnswer<T> {
  readonly value: T;
  header(name: string): string | null;
}

export function toListPage<Row>(answer: PagedAnswer<readonly Row[]>): ListPage<Row> {
  return { rows: answer.value, next: answer.header("x-next-cursor") ?? undefined };
}

/** Users find further rows with the filters of the page. */
const MAX_ROWS = 10_000;
/** Lists with more rows render only the visible ones. */
const MAX_PLAIN_ROWS = 100;
/** Lists with more rows never render all of them. */
const MAX_RENDERED_ROWS = 2_000;
/** Lists with fewer rows have no filter. */
const MIN_FILTERED_ROWS = 20;
export const PAGE_SIZE = 100;
const LARGE_PAGE_SIZE = 1_000;

export interface LongTableProps<Row, Cursor> extends Omit<RowsProps<Row>, "rows"> {
  readonly first: ListPage<Row, Cursor>;
  loadPage(cursor: Cursor, limit: number): Promise<ListPage<Row, Cursor>>;
  readonly empty: ComponentChildren;
}

export function mergeFirstPage<Row, Cursor>(
  loaded: ListPage<Row, Cursor>,
  first: ListPage<Row, Cursor>,
  keyOf: (row: Row) => string,
): ListPage<Row, Cursor> {
  const end = first.rows.at(-1);
  if (end === undefined || first.next === undefined) return first;
  const key = keyOf(end);
  const index = loaded.rows.findIndex((row) => keyOf(row) === key);
  // Otherwise rows between the two pages could be missing.
  if (index < 0 || index === loaded.rows.length - 1) return first;
  return { rows: [...first.rows, ...loaded.rows.slice(index + 1)], next: loaded.next };
}

function newRowsOf<Row>(loaded: readonly Row[], rows: readonly Row[], keyOf: (row: Row) => string): Row[] {
  const loadedKeys = new Set(loaded.map(keyOf));
  return rows.filter((row) => !loadedKeys.has(keyOf(row)));
}

const searchable = (text: string): string => text.toLowerCase().replaceAll("-", " ");

export function filterRows<Row>(rows: readonly Row[], text: string): readonly Row[] {
  const searched = searchable(text.trim());
  if (searched === "") return rows;
  const plain = (_name: string, value: unknown): unknown =>
    typeof value === "bigint" ? String(value) : value;
  return rows.filter((row) => searchable(JSON.stringify(row, plain)).includes(searched));
}

/** Renders only rows near the visible part, once the code for that is loaded. */
function VirtualTable<Row>(props: RowsProps<Row>) {
  const code = useCode(() => import("./virtual-rows.tsx"));
  if (code === undefined) return <PlainRows {...props} rows={props.rows.slice(0, MAX_PLAIN_ROWS)} />;
  return <code.VirtualRows {...props} />;
}

export function LongTable<Row, Cursor>(props: LongTableProps<Row, Cursor>) {
  const { caption, first, loadPage, keyOf, empty } = props;
  const loaded = useSignal<ListPage<Row, Cursor>>(first);
  const state = useSignal<{ readonly message: string; readonly busy: boolean }>({ message: "", busy: false });
  const filter = useSignal("");
  const rendersAll = useSignal(false);
  const isUnmounted = useRef(false);
  const { isPaused, attributes } = usePausedUpdates<HTMLDivElement>();
  const shownFirst = useRef(first);

  const showFirst = (): void => {
    shownFirst.current = first;
    loaded.value = mergeFirstPage(loaded.value, first, keyOf);
  };
  const newCount = shownFirst.current === first ? 0 : newRowsOf(loaded.value.rows, first.rows, keyOf).length;
  // If there are no new rows, no row moves.
  const shouldShowFirst = shownFirst.current !== first && (newCount === 0 || !isPaused.value);
  useEffect(() => {
    if (shouldShowFirst) showFirst();
  }, [shouldShowFirst, first]);
  useEffect(
    () => () => {
      isUnmounted.current = true;
    },
    [],
  );

  const loadUntil = async (maxRows: number, limit: number): Promise<void> => {
    state.value = { message: commonTexts.loading, busy: true };
    try {
      for (;;) {
        const { rows, next } = loaded.value;
        if (next === undefined || rows.length >= maxRows || isUnmounted.current) break;
        const page = await loadPage(next, Math.min(limit, MAX_ROWS - rows.length));
        const current = loaded.value;
        // The first page was replaced meanwhile.
        if (current.next !== next) continue;
        // Skip rows that a fork has moved to a page that is already loaded.
        loaded.value = {
          rows: [...current.rows, ...newRowsOf(current.rows, page.rows, keyOf)],
          next: page.next,
        };
      }
      state.value = { message: "", busy: false };
    } catch (error) {
      state.value = { message: problemOf(error).message, busy: false };
    }
  };
  const { rows, next } = loaded.value;
  const count = rows.length;
  const shown = useMemo(() => filterRows(rows, filter.value), [rows, filter.value]);
  const isVirtual = shown.length > MAX_PLAIN_ROWS && !(rendersAll.value && shown.length <= MAX_RENDERED_ROWS);
  // Renders the rows again only if `shown` or `Rows` changed.
  const Rows = isVirtual ? VirtualTable<Row> : PlainRows<Row>;
  const table = useMemo(() => <Rows {...props} rows={shown} />, [shown, Rows]);
  if (count === 0 && next === undefined) return <p class="empty quiet">{empty}</p>;
  const button = (label: string, onClick: () => void) => (
    <button type="button" class="small" disabled={state.value.busy} onClick={onClick}>
      {label}
    </button>
  );
  return (
    <div class="long-list" {...attributes}>
      {newCount > 0 && (
        <button type="button" class="new-rows" onClick={showFirst}>
          {texts.newRows(newCount)}
        </button>
      )}
      <div class="row list-tools">
        {count >= MIN_FILTERED_ROWS && (
          <input
            type="text"
            class="row-filter"
            aria-label={texts.filterRows}
            placeholder={texts.filterRows}
            value={filter.value}
            onInput={({ currentTarget }) => (filter.value = currentTarget.value)}
          />
        )}
        {isVirtual &&
          shown.length <= MAX_RENDERED_ROWS &&
          button(texts.renderAll(shown.length), () => (rendersAll.value = true))}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard */}
      <section class="scrolled" tabIndex={0} aria-label={caption}>
        {table}
      </section>
      <p class="row list-end">
        <span class="quiet" role="status">
          {texts.shownCount(shown.length, shown.length === count ? undefined : count)}
          {state.value.message === "" ? "" : `. ${state.value.message}`}
        </span>
        {next !== undefined && count < MAX_ROWS && (
          <>
            {button(texts.showMore, () => void loadUntil(count + 1, PAGE_SIZE))}
            {button(texts.loadUpTo(MAX_ROWS), () => void loadUntil(MAX_ROWS, LARGE_PAGE_SIZE))}
          </>
        )}
      </p>
    </div>
  );
}

/** Grows at the top, except while the pointer or focus is in the list. */
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { usePausedUpdates } from "./paused-updates.ts";

/** Updates the shown rows, and counts the others. */
export function pausedRows<Row>(
  shown: readonly Row[],
  all: readonly Row[],
  keyOf: (row: Row) => string,
): { readonly rows: readonly Row[]; readonly newCount: number } {
  const shownKeys = new Set(shown.map(keyOf));
  const current = new Map(all.map((row) => [keyOf(row), row]));
  return {
    rows: shown.map((row) => current.get(keyOf(row)) ?? row),
    newCount: all.filter((row) => !shownKeys.has(keyOf(row))).length,
  };
}

export function PausableList<Row>(props: {
  readonly rows: readonly Row[];
  keyOf(row: Row): string;
  readonly list: string;
  readonly label: string;
  newText(count: number): string;
  render(rows: readonly Row[]): ComponentChildren;
}) {
  const { rows, keyOf, list, label, newText, render } = props;
  const { isPaused, attributes } = usePausedUpdates<HTMLElement>();
  const shown = useRef({ list, rows });
  if (!isPaused.value || shown.current.list !== list) shown.current = { list, rows };
  const paused = pausedRows(shown.current.rows, rows, keyOf);
  const showNewRows = (): void => {
    shown.current = { list, rows };
    // Render the new rows, but stay paused.
    isPaused.value = false;
    isPaused.value = true;
    attributes.ref.current?.focus();
  };
  return (
    <section class="pausable-list" tabIndex={-1} aria-label={label} {...attributes}>
      {paused.newCount > 0 && (
        <button type="button" class="new-rows" onClick={showNewRows}>
          {newText(paused.newCount)}
        </button>
      )}
      {render(paused.rows)}
    </section>
  );
}

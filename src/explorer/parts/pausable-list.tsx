/** A list that grows at the top and stands still while the pointer or focus is in it. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useRef } from "preact/hooks";
import { partTexts as texts } from "./texts.ts";

/** Updates shown rows in place, and counts the new ones. */
export function pausedRows<Row>(
  shown: readonly Row[],
  all: readonly Row[],
  keyOf: (row: Row) => string,
): { readonly rows: readonly Row[]; readonly fresh: number } {
  const known = new Set(shown.map(keyOf));
  const current = new Map(all.map((row) => [keyOf(row), row]));
  return {
    rows: shown.map((row) => current.get(keyOf(row)) ?? row),
    fresh: all.filter((row) => !known.has(keyOf(row))).length,
  };
}

export function PausableList<Row>(props: {
  /** Newest first. */
  readonly rows: readonly Row[];
  keyOf(row: Row): string;
  /** Identifies the list; a change replaces all rows. */
  readonly list: string;
  /** Noun for one row. */
  readonly what: string;
  draw(rows: readonly Row[]): ComponentChildren;
}): JSX.Element {
  const { rows, keyOf, list, what, draw } = props;
  const isHeld = useSignal(false);
  const shown = useRef({ list, rows });
  const element = useRef<HTMLElement>(null);
  if (!isHeld.value || shown.current.list !== list) shown.current = { list, rows };
  const held = pausedRows(shown.current.rows, rows, keyOf);
  const hold = (): void => {
    isHeld.value = true;
  };
  const release = (): void => {
    const here = element.current;
    if (here?.matches(":hover") === true || here?.contains(document.activeElement) === true) return;
    isHeld.value = false;
  };
  const catchUp = (): void => {
    shown.current = { list, rows };
    // Keep it paused for the pointer that is still here.
    isHeld.value = false;
    isHeld.value = true;
    element.current?.focus();
  };
  return (
    <section
      class="held"
      ref={element}
      tabIndex={-1}
      aria-label={texts.live(what)}
      onPointerEnter={hold}
      onPointerLeave={release}
      onFocusIn={hold}
      // The focus reaches its next element a moment later.
      onFocusOut={() => setTimeout(release, 0)}
    >
      {held.fresh > 0 && (
        <button type="button" class="fresh" onClick={catchUp}>
          {texts.freshItems(held.fresh, what)}
        </button>
      )}
      {draw(held.rows)}
    </section>
  );
}

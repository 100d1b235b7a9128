import { useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { commonTexts } from "../text/common-texts.ts";

const SHOWN_ITEMS = 20;

export function TruncatedList<T>(props: {
  readonly items: readonly T[];
  readonly draw: (items: readonly T[]) => ComponentChildren;
}): JSX.Element {
  const { items, draw } = props;
  const all = useSignal(false);
  const shown = all.value ? items : items.slice(0, SHOWN_ITEMS);
  return (
    <>
      {draw(shown)}
      {shown.length < items.length && (
        <button type="button" class="small" onClick={() => (all.value = true)}>
          {commonTexts.showAll(items.length)}
        </button>
      )}
    </>
  );
}

import { useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { commonTexts } from "../../text/common-texts.ts";

const MAX_SHOWN_ITEMS = 20;

export function TruncatedList<T>(props: {
  readonly items: readonly T[];
  readonly render: (items: readonly T[]) => ComponentChildren;
}): JSX.Element {
  const { items, render } = props;
  const isExpanded = useSignal(false);
  const shown = isExpanded.value ? items : items.slice(0, MAX_SHOWN_ITEMS);
  return (
    <>
      {render(shown)}
      {shown.length < items.length && (
        <button type="button" class="small" onClick={() => (isExpanded.value = true)}>
          {commonTexts.showAll(items.length)}
        </button>
      )}
    </>
  );
}

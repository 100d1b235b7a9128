/** What anybody may have written: what is not seen in it is named, and what is long is cut, with a button for all of it. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { numberText } from "../text/measures.ts";
import { beginningOf, calmText } from "../text/shown-text.ts";

/** Characters that are shown before somebody wants all. */
const SHOWN = 400;

/** A text of somebody, cut where it is long; the rest on request. */
export function ShowAll(props: {
  readonly text: string;
  /** Characters that are shown at first; 400 unless given. */
  readonly most?: number | undefined;
}): JSX.Element {
  const { text, most = SHOWN } = props;
  const isOpen = useSignal(false);
  if (text === "") return <span class="quiet">empty</span>;
  if (text.length <= most) return <bdi class="long">{calmText(text)}</bdi>;
  const shown = isOpen.value ? text : beginningOf(text, most);
  return (
    <span class="long">
      <bdi>{calmText(shown)}</bdi>
      {!isOpen.value && "…"}{" "}
      <button
        type="button"
        class="small"
        aria-expanded={isOpen.value}
        onClick={() => (isOpen.value = !isOpen.value)}
      >
        {isOpen.value ? "Show less" : `Show all ${numberText(text.length)} characters`}
      </button>
    </span>
  );
}

/** What anybody may have written: what is not seen in it is named, and what is long is cut, with a button for all of it. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { displayText, truncate } from "../text/display-text.ts";
import { numberText } from "../text/measures.ts";

/** Characters that are shown before somebody wants all. */
const SHOWN = 400;

/** A text of somebody, cut where it is long; the rest on request. */
export function TruncatedText(props: {
  readonly text: string;
  /** Characters that are shown at first; 400 unless given. */
  readonly most?: number | undefined;
}): JSX.Element {
  const { text, most = SHOWN } = props;
  const isOpen = useSignal(false);
  if (text === "") return <span class="quiet">empty</span>;
  if (text.length <= most) return <bdi class="long">{displayText(text)}</bdi>;
  const shown = isOpen.value ? text : truncate(text, most);
  return (
    <span class="long">
      <bdi>{displayText(shown)}</bdi>
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

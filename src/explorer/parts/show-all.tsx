/** What is long, cut, with a button that shows all of it. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";

/** Characters that are shown before somebody wants all. */
const SHOWN = 400;

export function ShowAll(props: {
  readonly text: string;
  /** Characters that are shown at first; 400 unless given. */
  readonly most?: number | undefined;
}): JSX.Element {
  const { text, most = SHOWN } = props;
  const isOpen = useSignal(false);
  if (text.length <= most) return <bdi class="long">{text}</bdi>;
  const shown = isOpen.value ? text : text.slice(0, most);
  return (
    <span class="long">
      <bdi>{shown}</bdi>
      {!isOpen.value && "…"}{" "}
      <button
        type="button"
        class="small"
        aria-expanded={isOpen.value}
        onClick={() => (isOpen.value = !isOpen.value)}
      >
        {isOpen.value ? "Show less" : `Show all ${text.length.toLocaleString("en")} characters`}
      </button>
    </span>
  );
}

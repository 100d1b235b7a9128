import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { displayText, truncate } from "../text/display-text.ts";
import { partTexts as texts } from "./texts.ts";

const SHOWN = 400;

/** Untrusted text: names invisible characters, and truncates long text. */
export function TruncatedText(props: {
  readonly text: string;
  /** Characters shown at first; 400 by default. */
  readonly most?: number | undefined;
}): JSX.Element {
  const { text, most = SHOWN } = props;
  const isOpen = useSignal(false);
  if (text === "") return <span class="quiet">{texts.empty}</span>;
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
        {isOpen.value ? texts.showLess : texts.showCharacters(text.length)}
      </button>
    </span>
  );
}

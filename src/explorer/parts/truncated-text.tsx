import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { commonTexts } from "../text/common-texts.ts";
import { displayText, truncate } from "../text/text.ts";
import { partTexts as texts } from "./texts.ts";

const DEFAULT_MAX_CHARACTERS = 400;

/** For untrusted text: reveals invisible characters, and truncates. */
export function TruncatedText(props: {
  readonly text: string;
  /** UTF-16 units shown before the user expands the text. */
  readonly maxCharacters?: number | undefined;
}) {
  const { text, maxCharacters = DEFAULT_MAX_CHARACTERS } = props;
  const isOpen = useSignal(false);
  if (text === "") return <span class="quiet">{texts.empty}</span>;
  if (text.length <= maxCharacters) return <bdi class="long">{displayText(text)}</bdi>;
  const shown = isOpen.value ? text : truncate(text, maxCharacters);
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

const DEFAULT_MAX_SHOWN = 20;

export function TruncatedList<T>(props: {
  readonly items: readonly T[];
  /** Before the user expands the list. */
  readonly maxShown?: number | undefined;
  readonly render: (items: readonly T[]) => ComponentChildren;
}) {
  const { items, maxShown = DEFAULT_MAX_SHOWN, render } = props;
  const isExpanded = useSignal(false);
  const shown = isExpanded.value ? items : items.slice(0, maxShown);
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

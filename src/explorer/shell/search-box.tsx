import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { searchLink } from "../links.ts";
import type { PageContext } from "../page.ts";
import { Icon } from "../parts/icon.tsx";
import {
  loadSuggestions,
  recentSearches,
  rememberSearch,
  resultLink,
  type Suggestion,
} from "../search/suggestions.ts";
import { lookupTexts } from "../search/texts.ts";
import { displayText } from "../text/text.ts";
import { navigate } from "./page-location.ts";
import { shellTexts as texts } from "./texts.ts";

const DEBOUNCE_MS = 150;
const NONE = -1;

const optionId = (index: number): string => `suggestion-${index}`;

export function SearchBox({ context }: { readonly context: PageContext }) {
  const text = useSignal("");
  const isOpen = useSignal(false);
  const suggestions = useSignal<readonly Suggestion[]>([]);
  const selected = useSignal(NONE);
  useEffect(() => {
    selected.value = NONE;
    const typed = text.value.trim();
    if (!isOpen.value || typed === "") {
      suggestions.value = isOpen.value ? recentSearches() : [];
      return undefined;
    }
    suggestions.value = suggestions.value.filter(({ kind }) => kind !== "recent");
    let isOutdated = false;
    const timer = setTimeout(async () => {
      const found = await loadSuggestions(context.node.client, typed);
      if (isOutdated) return;
      const chosen = suggestions.value[selected.value];
      suggestions.value = found;
      selected.value = found.findIndex(({ kind, text }) => kind === chosen?.kind && text === chosen.text);
    }, DEBOUNCE_MS);
    return () => {
      isOutdated = true;
      clearTimeout(timer);
    };
  }, [text.value, isOpen.value]);
  const endSearch = (searched: string): void => {
    rememberSearch(searched);
    // The result page takes the focus when it loads, unless the user types again.
    document.getElementById("search-field")?.blur();
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    const suggestion = suggestions.value[selected.value];
    const typed = text.value.trim();
    if (suggestion === undefined && typed === "") return;
    endSearch(suggestion?.text ?? typed);
    navigate(suggestion === undefined ? searchLink(typed) : resultLink(suggestion));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const { length } = suggestions.value;
    if (event.key === "Escape") isOpen.value = false;
    else if (length > 0 && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      event.preventDefault();
      // One position selects no suggestion, only the typed text.
      const step = event.key === "ArrowDown" ? 2 : length + 1;
      selected.value = ((selected.value + step) % (length + 1)) + NONE;
    }
  };
  const isListed = isOpen.value && suggestions.value.length > 0;
  const combobox = {
    role: "combobox",
    // The field has its own list instead of the browser's.
    list: undefined,
    "aria-expanded": isListed,
    "aria-controls": "suggestions",
    "aria-autocomplete": "list",
    "aria-activedescendant": selected.value === NONE ? undefined : optionId(selected.value),
  } as const;
  return (
    <search>
      <form class="search" onSubmit={submit}>
        <label class="visually-hidden" for="search-field">
          {texts.searchLabel}
        </label>
        <input
          id="search-field"
          type="search"
          {...combobox}
          name="q"
          placeholder={texts.searchPlaceholder}
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          maxLength={2_000}
          aria-keyshortcuts="/"
          onInput={({ currentTarget }) => {
            text.value = currentTarget.value;
            isOpen.value = true;
          }}
          onFocus={() => (isOpen.value = true)}
          onBlur={() => (isOpen.value = false)}
          onKeyDown={onKeyDown}
        />
        <button type="submit" class="plain" aria-label={texts.search}>
          <Icon name="search" />
        </button>
        <div
          id="suggestions"
          class="suggestions"
          role="listbox"
          aria-label={texts.suggestions}
          hidden={!isListed}
        >
          {suggestions.value.map((suggestion, i) => (
            <a
              key={`${suggestion.kind} ${suggestion.text}`}
              id={optionId(i)}
              role="option"
              tabIndex={-1}
              aria-selected={i === selected.value}
              href={resultLink(suggestion)}
              // The field keeps the focus until the click.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => endSearch(suggestion.text)}
            >
              <span class="quiet">{lookupTexts.kinds[suggestion.kind]}</span>{" "}
              <bdi class="code">{displayText(suggestion.text)}</bdi>
            </a>
          ))}
        </div>
      </form>
    </search>
  );
}

function acceptsTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/** The key `/` focuses the search field. Must be called once. */
export function listenForKeys(): void {
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || acceptsTyping(event.target))
      return;
    const field = document.getElementById("search-field");
    if (!(field instanceof HTMLInputElement)) return;
    event.preventDefault();
    field.focus();
    field.select();
  });
}

import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { numberText } from "../text/text.ts";

/** Part of the previous tab that stays visible. */
const TAB_MARGIN_PX = 40;

interface Tab {
  readonly name: string;
  readonly label: string;
  readonly count?: number | undefined;
  render(): JSX.Element;
}

export function Tabs(props: {
  readonly label: string;
  readonly tabs: readonly Tab[];
  /** Unknown names and null select the first tab. */
  readonly selected: string | null;
  select(name: string): void;
}) {
  const { label, tabs, selected, select } = props;
  const list = useRef<HTMLDivElement>(null);
  const index = Math.max(
    0,
    tabs.findIndex(({ name }) => name === selected),
  );
  const move = (event: KeyboardEvent): void => {
    const targets: Readonly<Record<string, number>> = {
      ArrowRight: index + 1,
      ArrowLeft: index - 1 + tabs.length,
      Home: 0,
      End: tabs.length - 1,
    };
    const target = targets[event.key];
    if (target === undefined) return;
    event.preventDefault();
    const next = target % tabs.length;
    select(tabs[next].name);
    list.current?.querySelectorAll<HTMLElement>("[role=tab]")[next]?.focus();
  };
  useEffect(() => {
    const tab = list.current?.querySelectorAll<HTMLElement>("[role=tab]")[index];
    // Unlike scrollIntoView, this does not scroll the page.
    if (tab) list.current?.scrollTo({ left: tab.offsetLeft - list.current.offsetLeft - TAB_MARGIN_PX });
  }, [index]);
  const current = tabs[index];
  return (
    <div class="tabs">
      <div role="tablist" aria-label={label} ref={list} onKeyDown={move}>
        {tabs.map(({ name, label, count }, i) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`tab-${name}`}
            aria-selected={i === index}
            aria-controls={i === index ? `panel-${name}` : undefined}
            tabIndex={i === index ? 0 : -1}
            onClick={() => select(name)}
          >
            {label}
            {count !== undefined && <span class="count"> {numberText(count)}</span>}
          </button>
        ))}
      </div>
      {current !== undefined && (
        <div
          role="tabpanel"
          id={`panel-${current.name}`}
          aria-labelledby={`tab-${current.name}`}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a panel may contain no other focusable element
          tabIndex={0}
        >
          {current.render()}
        </div>
      )}
    </div>
  );
}

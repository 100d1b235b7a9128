import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { numberText } from "../text/measures.ts";

interface Tab {
  readonly name: string;
  readonly label: string;
  readonly count?: number | undefined;
  draw(): JSX.Element;
}

/** Tabs for pointer and arrow keys; the URL has the selected one as `?tab=`. */
export function Tabs(props: {
  readonly label: string;
  readonly tabs: readonly Tab[];
  /** The `tab` parameter; unknown names select the first tab. */
  readonly open: string | null;
  choose(name: string): void;
}): JSX.Element {
  const { label, tabs, open, choose } = props;
  const list = useRef<HTMLDivElement>(null);
  const at = Math.max(
    0,
    tabs.findIndex(({ name }) => name === open),
  );
  const move = (event: KeyboardEvent): void => {
    const steps: Readonly<Record<string, number>> = {
      ArrowRight: at + 1,
      ArrowLeft: at - 1 + tabs.length,
      Home: 0,
      End: tabs.length - 1,
    };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = step % tabs.length;
    choose(tabs[next].name);
    list.current?.querySelectorAll<HTMLElement>("[role=tab]")[next]?.focus();
  };
  const current = tabs[at];
  return (
    <div class="tabs">
      <div role="tablist" aria-label={label} ref={list} onKeyDown={move}>
        {tabs.map(({ name, label, count }, i) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`tab-${name}`}
            aria-selected={i === at}
            aria-controls={i === at ? `panel-${name}` : undefined}
            tabIndex={i === at ? 0 : -1}
            onClick={() => choose(name)}
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
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a panel may hold nothing else that can have the focus
          tabIndex={0}
        >
          {current.draw()}
        </div>
      )}
    </div>
  );
}

/** JSON as the node gives it, with integers as they are. */

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { Copy } from "./copy.tsx";
import { ShowAll } from "./show-all.tsx";

/** Integers beyond 2⁵³ are bigints here, and numbers in JSON. */
function printed(value: unknown, indent: string): string {
  if (typeof value === "bigint") return String(value);
  if (Array.isArray(value)) {
    if (value.length === 0) return "[]";
    const inner = `${indent}  `;
    return `[\n${value.map((one) => inner + printed(one, inner)).join(",\n")}\n${indent}]`;
  }
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const members = Object.entries(value).filter(([, one]) => one !== undefined);
  if (members.length === 0) return "{}";
  const inner = `${indent}  `;
  const lines = members.map(([name, one]) => `${inner}${JSON.stringify(name)}: ${printed(one, inner)}`);
  return `{\n${lines.join(",\n")}\n${indent}}`;
}

/** Characters that are shown before somebody wants all. */
const SHOWN = 20_000;

/** A value as JSON, laid out over lines, with a button to copy it. */
function Json(props: { readonly value: unknown }): JSX.Element {
  const text = useMemo(() => printed(props.value, ""), [props.value]);
  return (
    <div class="json">
      <Copy text={text} what="JSON" />
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what is scrolled must be reached by keyboard
        tabIndex={0}
        aria-label="JSON"
      >
        <pre>
          <ShowAll text={text} most={SHOWN} />
        </pre>
      </section>
    </div>
  );
}

/** An answer as JSON, which is drawn once somebody opens it. */
export function JsonPanel(props: {
  readonly title?: string | undefined;
  readonly value: unknown;
}): JSX.Element {
  const { title = "JSON", value } = props;
  const isOpen = useSignal(false);
  return (
    <details class="panel" onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}>
      <summary>
        <h2>{title}</h2>
      </summary>
      {isOpen.value && <Json value={value} />}
    </details>
  );
}

/** JSON as the node gives it, with integers as they are. */

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { type JsonOut, printIndentedJson } from "../../bytes/json.ts";
import { Copy } from "./copy.tsx";
import { TruncatedText } from "./truncated-text.tsx";

/** Characters that are shown before somebody wants all. */
const SHOWN = 20_000;

/** A value as JSON, laid out over lines, with a button to copy it. */
function Json(props: { readonly value: unknown }): JSX.Element {
  // An answer holds JSON values and bigints only.
  const text = useMemo(() => printIndentedJson(props.value as JsonOut), [props.value]);
  return (
    <div class="json">
      <Copy text={text} what="JSON" />
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what is scrolled must be reached by keyboard
        tabIndex={0}
        aria-label="JSON"
      >
        <pre>
          <TruncatedText text={text} most={SHOWN} />
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

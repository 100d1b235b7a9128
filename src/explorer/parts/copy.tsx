import { useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { Icon } from "./icon.tsx";

/** How long it says what came of it, ms. */
const FEEDBACK_MS = 1_500;

type Outcome = "none" | "copied" | "refused";

/** A button that copies a text, and says that it did. */
export function Copy(props: {
  readonly text: string;
  /** What it is, e.g. "address": the button is called "Copy address". */
  readonly what: string;
}): JSX.Element {
  const outcome = useSignal<Outcome>("none");
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(props.text);
      outcome.value = "copied";
    } catch {
      // Without https, or when it is forbidden, a browser lets nobody write there: the text can still be marked.
      outcome.value = "refused";
    }
    setTimeout(() => {
      outcome.value = "none";
    }, FEEDBACK_MS);
  };
  const name = outcome.value === "copied" ? "check" : outcome.value === "refused" ? "cross" : "copy";
  return (
    <button type="button" class="plain copy" onClick={copy} title={`Copy ${props.what}`}>
      <Icon name={name} />
      <span class="unseen">
        {outcome.value === "none"
          ? `Copy ${props.what}`
          : outcome.value === "copied"
            ? "Copied"
            : "Not allowed"}
      </span>
    </button>
  );
}

/** A value in a table, and its button: one sees it where the pointer or the focus is. */
export function Copied(props: {
  readonly text: string;
  /** What it is, e.g. "amount". */
  readonly what: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <span class="copied">
      {props.children} <Copy text={props.text} what={props.what} />
    </span>
  );
}

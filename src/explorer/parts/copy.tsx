import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { Icon } from "./icon.tsx";
import { partTexts as texts } from "./texts.ts";

const FEEDBACK_DURATION_MS = 1_500;

type Outcome = "none" | "copied" | "refused";

export function CopyButton(props: { readonly text: string; readonly noun: string }) {
  const outcome = useSignal<Outcome>("none");
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(props.text);
      outcome.value = "copied";
    } catch {
      // Browsers deny access without HTTPS or permission.
      outcome.value = "refused";
    }
    setTimeout(() => {
      outcome.value = "none";
    }, FEEDBACK_DURATION_MS);
  };
  const name = outcome.value === "copied" ? "check" : outcome.value === "refused" ? "cross" : "copy";
  return (
    <button type="button" class="plain copy" onClick={copy} title={texts.copy(props.noun)}>
      <Icon name={name} />
      <span class="visually-hidden">
        {outcome.value === "none"
          ? texts.copy(props.noun)
          : outcome.value === "copied"
            ? texts.copied
            : texts.notAllowed}
      </span>
    </button>
  );
}

export function WithCopyButton(props: {
  readonly text: string;
  readonly noun: string;
  readonly children: ComponentChildren;
}) {
  return (
    <span class="with-copy-button">
      {props.children} <CopyButton text={props.text} noun={props.noun} />
    </span>
  );
}

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./icon.tsx";
import { partTexts as texts } from "./texts.ts";

const FEEDBACK_DURATION_MS = 1_500;

interface ButtonLabel {
  readonly icon: IconName;
  readonly text: string;
}

export function CopyButton(props: { readonly text: string; readonly noun: string }) {
  const feedback = useSignal<ButtonLabel | undefined>(undefined);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(props.text);
      feedback.value = { icon: "check", text: texts.copied };
    } catch {
      // Browsers deny access without HTTPS or permission.
      feedback.value = { icon: "cross", text: texts.notAllowed };
    }
    setTimeout(() => {
      feedback.value = undefined;
    }, FEEDBACK_DURATION_MS);
  };
  const title = texts.copy(props.noun);
  const { icon, text }: ButtonLabel = feedback.value ?? { icon: "copy", text: title };
  return (
    <button type="button" class="plain copy" onClick={copy} title={title}>
      <Icon name={icon} />
      <span class="visually-hidden">{text}</span>
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

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";

/** Renders its content only while it is open. */
export function Details(props: {
  readonly summary: ComponentChildren;
  readonly className?: string;
  children(): ComponentChildren;
}) {
  const isOpen = useSignal(false);
  return (
    <details class={props.className} onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}>
      <summary>{props.summary}</summary>
      {isOpen.value && props.children()}
    </details>
  );
}

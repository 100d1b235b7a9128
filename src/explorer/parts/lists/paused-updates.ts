import { type Signal, useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useRef } from "preact/hooks";

interface PausedUpdates<Element extends HTMLElement> {
  /** True while the pointer or the focus is in the element. */
  readonly isPaused: Signal<boolean>;
  readonly attributes: {
    readonly ref: RefObject<Element | null>;
    readonly onPointerEnter: () => void;
    readonly onPointerLeave: () => void;
    readonly onFocusIn: () => void;
    readonly onFocusOut: () => void;
  };
}

export function usePausedUpdates<Element extends HTMLElement>(): PausedUpdates<Element> {
  const ref = useRef<Element>(null);
  const isPaused = useSignal(false);
  const pause = () => (isPaused.value = true);
  const resume = (): void => {
    const { current } = ref;
    if (current?.matches(":hover") === true || current?.contains(document.activeElement) === true) return;
    isPaused.value = false;
  };
  return {
    isPaused,
    attributes: {
      ref,
      onPointerEnter: pause,
      onPointerLeave: resume,
      onFocusIn: pause,
      // When `focusout` fires, the next element does not have the focus yet.
      onFocusOut: () => setTimeout(resume, 0),
    },
  };
}

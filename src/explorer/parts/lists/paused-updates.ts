import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";

/** Pauses updates while the pointer or the focus is in the element with these attributes. */
export function usePausedUpdates<Element extends HTMLElement>() {
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

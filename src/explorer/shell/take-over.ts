/** Replaces the page that the node has rendered by the one that the scripts render. */

/** A slow request must not delay the scripts. */
const MAX_WAIT_MS = 2_000;

interface Root {
  readonly element: HTMLElement;
  /** Must be called when the page is complete. */
  show(): void;
}

/** Moves the focus and a search text from one page to the other. */
function keepTyping(from: HTMLElement, to: HTMLElement): void {
  const { activeElement } = document;
  if (activeElement === null || activeElement.id === "" || !from.contains(activeElement)) return;
  const field = to.querySelector<HTMLElement>(`#${activeElement.id}`);
  field?.focus({ preventScroll: true });
  if (!(activeElement instanceof HTMLInputElement && field instanceof HTMLInputElement)) return;
  field.value = activeElement.value;
  field.dispatchEvent(new InputEvent("input", { bubbles: true }));
}

/** The element to render into, which is hidden while `page` shows what the node has rendered. */
export function takeOver(page: HTMLElement): Root {
  const isRendered = page.hasChildNodes();
  const element = isRendered ? document.createElement("div") : page;
  if (isRendered) {
    element.hidden = true;
    page.after(element);
  }
  let isShown = false;
  const show = (): void => {
    if (isShown) return;
    isShown = true;
    clearTimeout(timer);
    // For tests and benchmarks.
    element.dataset.ready = "";
    if (!isRendered) return;
    element.hidden = false;
    keepTyping(page, element);
    page.remove();
    element.id = page.id;
  };
  const timer = setTimeout(show, MAX_WAIT_MS);
  return { element, show };
}

import { afterEach, beforeEach, expect, test, vi } from "vitest";

const target = { scrollIntoView: vi.fn(), focus: vi.fn() };
const heading = { tabIndex: 0, focus: vi.fn() };
const scrollTo = vi.fn();
let hasTarget = true;

beforeEach(() => {
  vi.resetModules();
  vi.clearAllMocks();
  vi.useFakeTimers();
  vi.stubGlobal("window", { scrollTo });
  vi.stubGlobal("HTMLInputElement", class {});
  vi.stubGlobal("HTMLTextAreaElement", class {});
  vi.stubGlobal("document", {
    activeElement: null,
    querySelector: (selector: string) =>
      selector === "main h1"
        ? heading
        : selector === "main [data-scroll-target]" && hasTarget
          ? target
          : null,
  });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const location = { path: "", query: new URLSearchParams() };

/** Imports the module again for each test, because it remembers whether a page was shown. */
async function importPlaceFocus() {
  const { placeFocus } = await import("./place-focus.ts");
  return (isNew: boolean, scrollState?: { scroll: number; link: undefined; before: number }) => {
    for (const isComplete of [false, true]) {
      placeFocus({ location: { ...location, scrollState }, isNew, isComplete });
      vi.runAllTimers();
    }
  };
}

test("a link to a part of a page scrolls to that part, also on the first page", async () => {
  hasTarget = true;
  const arrive = await importPlaceFocus();
  arrive(true);
  expect({
    scrolled: target.scrollIntoView.mock.calls.length,
    focused: target.focus.mock.calls.length,
  }).toEqual({ scrolled: 1, focused: 1 });
  arrive(true);
  expect(target.scrollIntoView).toHaveBeenCalledTimes(2);
  // Going back restores the position. A link to another part of the same page does not scroll.
  arrive(true, { scroll: 7, link: undefined, before: 0 });
  arrive(false);
  expect(target.scrollIntoView).toHaveBeenCalledTimes(2);
  expect(scrollTo).toHaveBeenCalledWith(0, 7);
});

test("other pages begin at the top with the heading focused, except the first page", async () => {
  hasTarget = false;
  const arrive = await importPlaceFocus();
  arrive(true);
  expect({ scrolled: scrollTo.mock.calls.length, focused: heading.focus.mock.calls.length }).toEqual({
    scrolled: 0,
    focused: 0,
  });
  arrive(true);
  expect(scrollTo.mock.calls).toEqual([[0, 0]]);
  // Loading replaces the heading, which loses the focus.
  expect(heading.focus).toHaveBeenCalledTimes(2);
});

import { afterEach, beforeEach, expect, test, vi } from "vitest";

const part = { scrollIntoView: vi.fn(), focus: vi.fn() };
const heading = { tabIndex: 0, focus: vi.fn() };
const scrollTo = vi.fn();
let asked = true;

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
      selector === "main h1" ? heading : selector === "main [data-arrive]" && asked ? part : null,
  });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const place = { path: "", query: new URLSearchParams() };

/** The module remembers whether a page was shown, so each test imports it again. */
async function arrivals() {
  const { placeFocus } = await import("./place-focus.ts");
  return (isNew: boolean, restore?: { scroll: number; link: undefined; before: number }) => {
    placeFocus({ ...place, restore }, isNew);
    vi.runAllTimers();
  };
}

test("a link to a part of a page scrolls to it, also on the first page", async () => {
  asked = true;
  const arrive = await arrivals();
  arrive(true);
  expect({ scrolled: part.scrollIntoView.mock.calls.length, focused: part.focus.mock.calls.length }).toEqual({
    scrolled: 1,
    focused: 1,
  });
  arrive(true);
  expect(part.scrollIntoView).toHaveBeenCalledTimes(2);
  expect(scrollTo).not.toHaveBeenCalled();
  // Going back restores the position; another part of the same page moves nothing.
  arrive(true, { scroll: 7, link: undefined, before: 0 });
  arrive(false);
  expect(part.scrollIntoView).toHaveBeenCalledTimes(2);
  expect(scrollTo).toHaveBeenCalledWith(0, 7);
});

test("other pages begin at the top with the heading focused, except the first page", async () => {
  asked = false;
  const arrive = await arrivals();
  arrive(true);
  expect({ scrolled: scrollTo.mock.calls.length, focused: heading.focus.mock.calls.length }).toEqual({
    scrolled: 0,
    focused: 0,
  });
  arrive(true);
  expect({ scrolled: scrollTo.mock.calls, focused: heading.focus.mock.calls.length }).toEqual({
    scrolled: [[0, 0]],
    focused: 1,
  });
});

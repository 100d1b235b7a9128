/** Every page by URL: no console errors, both themes, phone width, accessibility. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { alice, scripted } from "../support/accounts.ts";
import { violations } from "../support/axe.ts";
import { hostilePages, type ListedPage, listedPages } from "../support/page-list.ts";
import { overflow, type Shared, textOf, visit } from "../support/shared.ts";
import { PHONE, WINDOW } from "../support/watched-page.ts";

/** Folder for pictures of all pages; undefined makes none. */
const pictures = process.env.EXPLORER_PICTURES;

/** Window of the pictures in the README. */
const TOP = { width: 1_100, height: 680 };

/** Takes a picture of the whole page, and one of its top in a small window. */
async function picture(page: Page, name: string, kind: string): Promise<void> {
  if (pictures === undefined) return;
  const folder = join(pictures, kind);
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
  if (kind === "phone") return;
  await page.setViewportSize(TOP);
  await overflow(page);
  await page.screenshot({ path: join(folder, `${name}-top.png`) });
  await page.setViewportSize(WINDOW);
}

const MAX_LAYOUT_SHIFT = 0.05;

/** Sum of the layout shifts since the page was opened. */
function layoutShift(page: Page): Promise<number> {
  return page.evaluate(`new Promise((resolve) => {
    let sum = 0;
    new PerformanceObserver((list) => {
      for (const { value } of list.getEntries()) sum += value;
    }).observe({ type: "layout-shift", buffered: true });
    // The observer runs first.
    requestAnimationFrame(() => requestAnimationFrame(() => resolve(sum)));
  })`);
}

/** Waits until the page has drawn what the scripts have changed. */
async function drawnFrames(page: Page): Promise<void> {
  await page.evaluate(
    "new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))",
  );
}

const named = (pages: readonly ListedPage[]) => pages.map((page) => [page.name, page] as const);

/** Checks that hostile texts add no links and no elements. */
async function holdsOnlyText(page: Page): Promise<void> {
  const links = page.locator("a[href]");
  const targets = await links.evaluateAll((all) => all.map((one) => String(Reflect.get(one, "href"))));
  expect(targets.filter((target) => !/^https?:/.test(target))).toEqual([]);
  expect(
    await page.locator("main :is(img, script, iframe, object, embed, style, form[action])").count(),
  ).toBe(0);
}

export function describePages(shared: () => Shared): void {
  const base = () => shared().node.explorer;

  describe("every page", () => {
    const pages = listedPages.filter(({ minor }) => minor !== true || pictures !== undefined);
    test.each(named(pages))("%s", async (name, { path, texts = [], asksInVain }) => {
      await shared().inPage(async ({ page, faults }) => {
        const heading = await visit(page, base() + path(shared()));
        expect(await page.locator("main .problem").count(), heading).toBe(0);
        expect(await page.title()).toContain("Holdfast");
        for (const text of texts) expect(await textOf(page)).toContain(text);
        await holdsOnlyText(page);
        expect(await violations(page)).toEqual([]);
        await picture(page, name, "light");
        await page.emulateMedia({ colorScheme: "dark" });
        expect(await violations(page, ["color-contrast"])).toEqual([]);
        await picture(page, name, "dark");
        await page.setViewportSize(PHONE);
        expect(await overflow(page)).toEqual([]);
        await picture(page, name, "phone");
        expect(faults(asksInVain === true ? /status of 4\d\d/ : undefined)).toEqual([]);
      });
    });
  });

  describe("the page does not move while it loads", () => {
    const paths = [
      ["overview", () => ""],
      ["account", () => `address/${shared().address(alice)}`],
    ] as const;
    test.each(paths)("%s", async (_, path) => {
      await shared().inPage(async ({ page }) => {
        await visit(page, base() + path());
        await drawnFrames(page);
        expect(await layoutShift(page)).toBeLessThan(MAX_LAYOUT_SHIFT);
      });
    });

    // The node does not render a page for another node, which may be itself.
    test.each(paths)("%s, rendered by the browser, one answer after the other", async (_, path) => {
      await shared().inPage(async ({ page }) => {
        const { url } = shared().node;
        let previous = Promise.resolve();
        const isAnswer = ({ origin, pathname }: URL): boolean =>
          url.startsWith(origin) && !pathname.startsWith("/explorer/") && pathname !== "/events";
        await page.route(isAnswer, async (route) => {
          const answer = route.fetch();
          previous = previous
            .then(async () => route.fulfill({ response: await answer }))
            .then(() => drawnFrames(page));
          await previous;
        });
        try {
          await visit(page, `${base()}${path()}?node=${encodeURIComponent(`${url}/`)}`);
          await previous;
          expect(await layoutShift(page)).toBeLessThan(MAX_LAYOUT_SHIFT);
        } finally {
          await page.unrouteAll({ behavior: "wait" });
        }
      });
    });
  });

  test("a script shows its source and the cost of each branch, on a phone and in both themes", async () => {
    await shared().inPage(async ({ page, faults }) => {
      await page.setViewportSize(PHONE);
      for (const path of [
        `address/${shared().address(scripted)}?tab=script`,
        `transaction/${shared().id("set script")}`,
      ]) {
        await visit(page, base() + path);
        await page.locator("main .script .function").first().waitFor();
        const source = await textOf(page, "main .script");
        expect(source).toContain("sigVerify(tx.bodyBytes, getElement(tx.proofs, 0), tx.senderPublicKey)");
        expect(source).toMatch(/then cost 141\(/);
        expect(await textOf(page)).toContain("Estimated cost of one run: 141");
        expect(await overflow(page)).toEqual([]);
      }
      // The page of the account is checked with all other pages.
      expect(await violations(page)).toEqual([]);
      await page.emulateMedia({ colorScheme: "dark" });
      expect(await violations(page, ["color-contrast"])).toEqual([]);
      // The bytes have their values, too.
      await page
        .locator('.hex td[data-label="Value"]')
        .filter({ hasText: shared().address(scripted) })
        .waitFor();
      expect(faults()).toEqual([]);
    });
  });

  describe("hostile texts are escaped", () => {
    test.each(named(hostilePages))("%s", async (_, { path, texts = [] }) => {
      await shared().inPage(async ({ page, faults }) => {
        await visit(page, base() + path(shared()));
        for (const text of texts) expect(await textOf(page)).toContain(text);
        await holdsOnlyText(page);
        expect(faults(/status of 40[04]/)).toEqual([]);
      });
    });
  });

  describe("hostile texts are escaped in the node's HTML", () => {
    test.each(named(hostilePages))("%s", async (_, { path }) => {
      await shared().inPage(async ({ page, faults }) => {
        // Without scripts, the node's page remains.
        await page.route(/\/assets\/.*\.js$/, (route) => route.abort());
        try {
          // The node does not render every page.
          do await page.goto(base() + path(shared()));
          while ((await page.locator("#page main").count()) === 0);
          await holdsOnlyText(page);
          expect(faults(/net::ERR_FAILED/)).toEqual([]);
        } finally {
          await page.unrouteAll({ behavior: "wait" });
        }
      });
    });
  });
}

/** Navigation: search, links, history, keyboard, prefixes. */
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { encodeBase58 } from "../../../src/bytes/base58.ts";
import { encodeBase64 } from "../../../src/bytes/base64.ts";
import { decodeHex, encodeHex } from "../../../src/bytes/hex.ts";
import { alice, bob, root } from "../support/accounts.ts";
import { startProxy } from "../support/proxy.ts";
import { overflow, type Shared, settled, tabTo, textOf, visit } from "../support/shared.ts";
import { anchoredHash, credential } from "../support/story.ts";
import { PHONE, WINDOW } from "../support/watched-page.ts";

const hash = decodeHex(anchoredHash);

/** Searches with the paths that they open. */
const searches: readonly (readonly [
  what: string,
  text: (shared: Shared) => string,
  path: (shared: Shared) => string,
])[] = [
  ["a height", () => "5", () => "block/5"],
  ["a height as people write it", () => " 1,0 ", () => "search?q=1%2C0"],
  ["a block", ({ node }) => node.idAt(5), ({ node }) => `block/${node.idAt(5)}`],
  ["a transaction", (shared) => shared.id("transfer"), (shared) => `transaction/${shared.id("transfer")}`],
  ["an address", (shared) => shared.address(bob), (shared) => `address/${shared.address(bob)}`],
  ["a DID", (shared) => shared.did(alice), (shared) => `identity/${shared.did(alice)}`],
  ["a hash in hex", () => anchoredHash, () => `anchor/${anchoredHash}`],
  ["a hash in capitals", () => anchoredHash.toUpperCase(), () => `anchor/${anchoredHash}`],
  ["a hash in Base58", () => encodeBase58(hash), () => `anchor/${anchoredHash}`],
  ["a hash in Base64", () => encodeBase64(hash), () => `anchor/${anchoredHash}`],
];

/** The decoded path and query below the base. */
const placeOf = (page: Page, base: string): string => decodeURIComponent(page.url().slice(base.length));

async function search(page: Page, text: string): Promise<void> {
  const field = page.getByRole("combobox", { name: /^Height, block/ });
  await field.fill(text);
  await field.press("Enter");
}

export function describeNavigation(shared: () => Shared): void {
  const base = (): string => shared().node.explorer;
  /** Height of a block with transactions. */
  const busy = (): number => shared().node.heightOf("transfer");

  describe("the search", () => {
    test("opens the page of every kind of text", async () => {
      await shared().inPage(async ({ page, faults }) => {
        await visit(page, base());
        for (const [what, text, path] of searches) {
          await search(page, text(shared()));
          const wanted = decodeURIComponent(path(shared()));
          await page.waitForURL((url) => decodeURIComponent(url.href) === base() + wanted).catch(() => {});
          expect(placeOf(page, base()), what).toBe(wanted);
        }
        // A search asks for every candidate.
        expect(faults(/status of 404/)).toEqual([]);
      });
    });
  });

  describe("suggestions", () => {
    const field = (page: Page) => page.getByRole("combobox", { name: /^Height, block/ });
    const options = (page: Page) => page.getByRole("option");

    test("find a transaction by a prefix, by keyboard, and remember it", async () => {
      await shared().inPage(async ({ page, faults }) => {
        const id = shared().id("transfer");
        await visit(page, base());
        await page.keyboard.press("/");
        await page.keyboard.type(id.slice(0, 8));
        await options(page)
          .filter({ hasText: `Transaction ${id}` })
          .waitFor();
        await page.keyboard.press("ArrowDown");
        await page.locator('[role="option"][aria-selected="true"]').waitFor();
        await page.keyboard.press("Enter");
        await page.waitForURL(`${base()}transaction/${id}`);
        await settled(page);
        await field(page).fill("");
        await options(page).filter({ hasText: "Recent search" }).filter({ hasText: id }).waitFor();
        await page.keyboard.press("Escape");
        await options(page).first().waitFor({ state: "hidden" });
        expect(faults()).toEqual([]);
      });
    });

    test("find an account and a transaction by mouse, and a DID on the result page, also on a phone", async () => {
      await shared().inPage(async ({ page, faults }) => {
        await visit(page, base());
        await page.setViewportSize(PHONE);
        const address = shared().address(alice);
        await field(page).fill(address.slice(0, 9));
        await options(page).filter({ hasText: address }).click();
        await page.waitForURL(`${base()}address/${address}`);
        await settled(page);
        const id = shared().id("transfer");
        await field(page).fill(id.slice(0, 8));
        await options(page).filter({ hasText: id }).click();
        await page.waitForURL(`${base()}transaction/${id}`);
        await settled(page);
        await search(page, shared().did(alice).slice(0, -4));
        await page.getByRole("heading", { name: "Begins with this text" }).waitFor();
        await page.getByRole("link", { name: shared().did(alice) }).click();
        await page.waitForURL(/\/identity\//);
        expect(faults(/status of 404/)).toEqual([]);
      });
    });

    test("lead from the subject of statements to the issuer", async () => {
      await shared().inPage(async ({ page, faults }) => {
        await visit(page, base());
        await search(page, encodeBase58(credential));
        await page.waitForURL(/\/identity\/.*credential=|search\?q=/);
        await page.locator('a[href*="credential="], [data-scroll-target]').first().waitFor();
        expect(faults(/status of 404/)).toEqual([]);
      });
    });
  });

  describe("a visitor finds", () => {
    test("who leases to an account by keyboard, on a phone, and by mouse", async () => {
      await shared().inPage(async ({ page, faults }) => {
        await page.setViewportSize(PHONE);
        await visit(page, base());
        await page.keyboard.press("/");
        await page.keyboard.type(shared().address(alice));
        await page.keyboard.press("Enter");
        await page.waitForURL(`${base()}address/${shared().address(alice)}`);
        const side = page.locator(".side-by-side section", {
          has: page.getByRole("heading", { level: 3, name: /^Leased in/ }),
        });
        const lessor = side.getByRole("link", { name: shared().address(root) });
        await lessor.waitFor();
        expect(await side.textContent()).toMatch(/^Leased in: 770.*700.*70/);
        expect(await overflow(page)).toEqual([]);
        await tabTo(page, lessor);
        await page.keyboard.press("Enter");
        await page.waitForURL(`${base()}address/${shared().address(root)}`);
        await page.goBack();
        await page.setViewportSize(WINDOW);
        await lessor.click();
        await page.waitForURL(`${base()}address/${shared().address(root)}`);
        await settled(page);
        expect(faults()).toEqual([]);
      });
    });

    test("the history of a DID by keyboard, on a phone, and by mouse", async () => {
      await shared().inPage(async ({ page, faults }) => {
        await page.setViewportSize(PHONE);
        await visit(page, `${base()}identity/${shared().did(alice)}`);
        const history = page.getByRole("region", { name: "History" });
        const said = (): Promise<string | null> => history.textContent();
        expect(await said()).toMatch(/Version (\d+) of \1, newest/);
        await tabTo(page, history.getByRole("slider"));
        await page.keyboard.press("Home");
        await page.waitForURL(/\?time=/);
        await expect.poll(said).toContain("Version 1 of");
        await settled(page);
        expect(await textOf(page)).not.toContain("https://alice.example/mail");
        expect(await overflow(page)).toEqual([]);
        await page.setViewportSize(WINDOW);
        await history.getByRole("button", { name: "Newer" }).click();
        await expect.poll(said).toContain("Version 2 of");
        await settled(page);
        expect(faults()).toEqual([]);
      });
    });
  });

  describe("links and history", () => {
    test("a link to a credential focuses its status, also with a hex id", async () => {
      await shared().inPage(async ({ page, faults }) => {
        const link = `${base()}identity/${shared().did(bob)}?credential=${encodeHex(credential)}`;
        await visit(page, link);
        const verdict = page.locator("[data-scroll-target]:focus");
        await verdict.waitFor();
        const words = await verdict.textContent();
        expect(words).toMatch(/Issued on .* neither suspended nor revoked/);
        expect(words).toContain(encodeBase58(credential));
        const top = (await verdict.boundingBox())?.y ?? -1;
        expect(top).toBeGreaterThanOrEqual(0);
        expect(top).toBeLessThan(page.viewportSize()?.height ?? 0);
        expect(faults()).toEqual([]);
      });
    });

    test("back, forward and reload show the same pages", async () => {
      await shared().inPage(async ({ page, faults }) => {
        await visit(page, `${base()}block/${busy()}`);
        const [first] = await page.locator('main a[href^="transaction/"]').all();
        const link = await first.getAttribute("href");
        await first.click();
        await page.waitForURL(`${base()}${link}`);
        await page.getByRole("heading", { level: 1, name: /^Transaction / }).waitFor();
        const heading = await settled(page);
        await page.goBack();
        await page.waitForURL(`${base()}block/${busy()}`);
        await page.getByRole("heading", { level: 1, name: `Block ${busy()}` }).waitFor();
        await page.goForward();
        await page.waitForURL(`${base()}${link}`);
        await page.getByRole("heading", { level: 1, name: heading }).waitFor();
        await page.reload();
        expect(await settled(page)).toBe(heading);
        expect(faults()).toEqual([]);
      });
    });

    test("all links work below the prefix of a proxy", async () => {
      const proxy = await startProxy("/some/where", shared().node.url);
      try {
        await shared().inPage(
          async ({ page, faults }) => {
            const begin = `${proxy.url}/explorer/`;
            await visit(page, `${begin}address/${shared().address(alice)}`);
            await search(page, String(busy()));
            await page.waitForURL(`${begin}block/${busy()}`);
            await page.locator('main a[href^="transaction/"]').first().click();
            await page.waitForURL(/\/some\/where\/explorer\/transaction\/\w+$/);
            await settled(page);
            await page.reload();
            await settled(page);
            await page.getByText("live", { exact: true }).waitFor();
            expect(faults()).toEqual([]);
          },
          [new URL(proxy.url).origin],
        );
      } finally {
        proxy.close();
      }
    });
  });

  describe("the keyboard", () => {
    test("reaches everything, with a visible focus", async () => {
      await shared().inPage(async ({ page, faults }) => {
        await visit(page, base());
        await page.keyboard.press("Tab");
        await page.getByRole("button", { name: "Skip to the page" }).and(page.locator(":focus")).waitFor();
        await page.keyboard.press("Enter");
        await page.locator("main:focus").waitFor();
        await page.keyboard.press("/");
        await page
          .getByRole("combobox", { name: /^Height, block/ })
          .and(page.locator(":focus"))
          .waitFor();
        await page.keyboard.type("3");
        await page.keyboard.press("Enter");
        await page.waitForURL(`${base()}block/3`);
        // The heading gets the focus, so that screen readers announce the page.
        await page.getByRole("heading", { name: "Block 3" }).and(page.locator(":focus")).waitFor();
        expect(await walk(page)).toEqual([]);
        await visit(page, `${base()}address/${shared().address(bob)}?tab=sponsors`);
        expect(await walk(page)).toEqual([]);
        expect(faults()).toEqual([]);
      });
    });
  });
}

/** Presses Tab through a whole page. @returns elements with an invisible focus */
async function walk(page: Page): Promise<readonly string[]> {
  const hidden: string[] = [];
  await page.evaluate("document.activeElement?.blur(); window.scrollTo(0, 0)");
  for (let step = 0; step < 400; step++) {
    await page.keyboard.press("Tab");
    const fault = await page.evaluate<string | undefined>(`(() => {
      const one = document.activeElement;
      if (one === null || one === document.body) return "end";
      const { width, height } = one.getBoundingClientRect();
      // A field may show the focus on its parent.
      const shows = [one, one.parentElement].some((part) => {
        const { outlineStyle, outlineWidth } = getComputedStyle(part);
        return outlineStyle !== "none" && outlineWidth !== "0px";
      });
      return width > 0 && height > 0 && shows ? undefined : one.outerHTML.slice(0, 120);
    })()`);
    if (fault === "end") return hidden;
    if (fault !== undefined) hidden.push(fault);
  }
  return hidden;
}

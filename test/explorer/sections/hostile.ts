/** What hostile people put on the chain: it is shown as text, and never runs. */
import { describe, expect, test } from "vitest";
import { alice, certified, mallory } from "../support/accounts.ts";
import * as hostile from "../support/hostile.ts";
import { type Shared, textOf, visit } from "../support/shared.ts";

export function describeHostile(shared: () => Shared): void {
  const explorer = () => shared().node.explorer;
  /** Pages with such texts, and some that must be read there. */
  const pages: readonly (readonly [string, () => string, readonly string[]])[] = [
    ...hostile.shortTexts.map((text, i) => {
      const path = () => `transaction/${shared().id(`hostile transfer ${i}`)}`;
      // With control characters it is no text, and shown as bytes.
      const shown = text === hostile.CONTROLS ? [] : [text.slice(0, 6)];
      return [`an attachment, ${i}`, path, shown] as const;
    }),
    ["an association", () => `transaction/${shared().id("hostile association 0")}`, [hostile.MARKUP]],
    ["a statement", () => `transaction/${shared().id("hostile statement 2")}`, [hostile.BREAK_OUT]],
    ["a data transaction", () => `transaction/${shared().id("hostile data")}`, [hostile.SCRIPT, "__proto__"]],
    ["long texts", () => `transaction/${shared().id("hostile long data")}`, ["WWWW"]],
    ["services", () => `transaction/${shared().id("hostile services")}`, [hostile.SCRIPT_URL]],
    [
      "data of an account",
      () => `address/${shared().address(mallory)}?tab=data`,
      [hostile.MARKUP, "__proto__"],
    ],
    ["associations", () => `address/${shared().address(alice)}?tab=associations`, [hostile.MARKUP]],
    ["transactions", () => `address/${shared().address(mallory)}?tab=transactions`, []],
    ["a certificate", () => `address/${shared().address(certified)}?tab=certificate`, [hostile.SCRIPT]],
    ["a search", () => `search?q=${encodeURIComponent(hostile.MARKUP)}`, [hostile.MARKUP]],
    ["an address", () => `address/${encodeURIComponent(hostile.SCRIPT)}`, []],
    ["a path", () => `nowhere/${encodeURIComponent(hostile.BREAK_OUT)}`, []],
  ];

  describe("hostile texts are text", () => {
    test.each(pages)("%s", async (_, path, texts) => {
      await shared().inPage(async ({ page, faults }) => {
        await visit(page, explorer() + path());
        for (const text of texts) expect(await textOf(page)).toContain(text);
        // Nobody is led anywhere by a link that somebody else wrote.
        const links = await page
          .locator("a[href]")
          .evaluateAll((all) => all.map((one) => String(Reflect.get(one, "href"))));
        expect(links.filter((href) => !/^https?:/.test(href))).toEqual([]);
        expect(
          await page.locator("main img, main script, main iframe, main object, main style").count(),
        ).toBe(0);
        const found = faults(/status of 40[04]/);
        expect(found).toEqual([]);
      });
    });
  });
}

/** The language of the page. */
import { expect, test } from "vitest";
import { alice } from "../support/accounts.ts";
import { violations } from "../support/axe.ts";
import { overflow, type Shared, settled, tabTo, textOf, visit } from "../support/shared.ts";
import { PHONE } from "../support/watched-page.ts";

export function describeLanguages(shared: () => Shared): void {
  const base = (): string => shared().node.explorer;

  test("the language is switched by keyboard, and remembered", async () => {
    await shared().inPage(async ({ page, faults }) => {
      const switchTo = async (name: string): Promise<void> => {
        await tabTo(page, page.getByRole("button", { name, exact: true }));
        await page.keyboard.press("Enter");
        await page
          .locator(`html[lang=${name.toLowerCase()}] #page[data-ready] main[aria-busy="false"]`)
          .waitFor();
      };
      const transaction = `${base()}transaction/${shared().id("transfer")}`;
      expect(await visit(page, transaction)).toMatch(/^Transaction/);
      await switchTo("NL");
      expect(await settled(page)).toMatch(/^Transactie overboeking/);
      expect(await textOf(page)).toMatch(/ stuurde .* naar .*; kosten /);
      expect(await violations(page)).toEqual([]);
      await page.reload();
      expect(await settled(page)).toMatch(/^Transactie overboeking/);
      expect(await visit(page, `${base()}address/${shared().address(alice)}`)).toMatch(/^Account/);
      expect(await textOf(page)).toContain("Verloop van het saldo");
      await page.setViewportSize(PHONE);
      expect(await overflow(page)).toEqual([]);
      await visit(page, base());
      await switchTo("EN");
      expect(await settled(page)).toBe("Overview");
      expect(faults()).toEqual([]);
    });
  });
}

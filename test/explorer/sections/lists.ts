/** Long lists: their pages, filters and rows. */
import { describe, expect, test } from "vitest";
import { root } from "../support/accounts.ts";
import { overflow, type Shared, settled, tabTo, textOf, visit } from "../support/shared.ts";
import { PHONE } from "../support/watched-page.ts";

export function describeLists(shared: () => Shared): void {
  const base = (): string => shared().node.explorer;

  describe("lists", () => {
    test("the largest transfer of a day is found by mouse", async () => {
      await shared().inPage(async ({ page, faults }) => {
        await visit(page, base());
        await page.getByRole("navigation").getByRole("link", { name: "Transactions", exact: true }).click();
        await page.getByRole("link", { name: "Largest transfers" }).click();
        await page.getByRole("heading", { level: 1, name: "Largest transfers" }).waitFor();
        await page.getByLabel("Period").selectOption("day");
        await page.getByRole("button", { name: "Show", exact: true }).click();
        await page.waitForURL(/largest\?period=day$/);
        const first = page.locator("main tbody tr").first();
        expect(await first.textContent()).toContain(shared().address(root));
        expect(await first.textContent()).toContain("1,234.56789012");
        await first.getByRole("link", { name: "transfer", exact: true }).click();
        await page.waitForURL(`${base()}transaction/${shared().id("transfer")}`);
        expect(faults()).toEqual([]);
      });
    });

    test("the largest transfer of a day and the richest accounts are found by keyboard, on a phone", async () => {
      await shared().inPage(async ({ page, faults }) => {
        await page.setViewportSize(PHONE);
        await visit(page, `${base()}largest`);
        await tabTo(page, page.getByLabel("Period"));
        await page.keyboard.press("End");
        await tabTo(page, page.getByRole("button", { name: "Show", exact: true }));
        await page.keyboard.press("Enter");
        await page.waitForURL(/largest\?period=day$/);
        const largest = page.locator(`main a[href="transaction/${shared().id("transfer")}"]`);
        await largest.waitFor();
        await tabTo(page, largest);
        await page.keyboard.press("Enter");
        await page.waitForURL(`${base()}transaction/${shared().id("transfer")}`);
        await visit(page, `${base()}largest`);
        await page.getByRole("link", { name: "Richest accounts" }).focus();
        await page.keyboard.press("Enter");
        await page.getByRole("heading", { level: 1, name: "Richest accounts" }).waitFor();
        expect(await overflow(page)).toEqual([]);
        const labels = await page.evaluate(
          `[...document.querySelectorAll("main tbody tr:first-child td")].map((cell) =>
             getComputedStyle(cell, "::before").content.replaceAll('"', ""))`,
        );
        expect(labels).toEqual(["Rank", "Account", "Balance", "Share of supply", "With leases"]);
        await visit(page, `${base()}blocks`);
        const time = page.locator("main tbody time").first();
        expect(await time.textContent()).toMatch(/ago$|^just now$/);
        await page.getByRole("button", { name: "Age", exact: true }).click();
        expect(await time.textContent()).toMatch(/ \d{4}, \d/);
        await page.getByRole("button", { name: "Time", exact: true }).click();
        expect(await overflow(page)).toEqual([]);
        expect(faults()).toEqual([]);
      });
    });

    test("a long list renders the visible rows, all of them on request, and those that match", async () => {
      await shared().inPage(async ({ page, faults }) => {
        await visit(page, `${base()}transactions`);
        const rows = page.locator("main tbody tr:not(.spacer)");
        expect(await rows.count()).toBe(100);
        await page.getByRole("button", { name: "Show up to 10,000" }).click();
        await page.getByRole("button", { name: "Show more" }).waitFor({ state: "detached" });
        const total = Number(/(\d+) shown/.exec(await textOf(page, ".list-end"))?.[1]);
        expect(total).toBeGreaterThan(150);
        // The list hides rows outside the window once it has measured it.
        await expect.poll(() => rows.count()).toBeLessThan(100);
        await page.evaluate("window.scrollTo(0, document.documentElement.scrollHeight)");
        await page.getByRole("link", { name: "genesis" }).last().waitFor();
        expect(await rows.count()).toBeLessThan(100);
        await page.getByRole("button", { name: /^Show all .* search/ }).click();
        expect(await rows.count()).toBe(total);
        await page.getByLabel("Filter these rows").fill("mass transfer");
        await page.getByText(`1 of ${total} shown`).waitFor();
        expect(await rows.count()).toBe(1);
        expect(faults()).toEqual([]);
        await settled(page);
      });
    });
  });
}

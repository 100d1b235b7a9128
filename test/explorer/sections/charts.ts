/** Charts with periods, legend and files; forgers with their earnings. */
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { north, south } from "../support/accounts.ts";
import { overflow, type Shared, settled, tabTo, visit } from "../support/shared.ts";
import { PHONE } from "../support/watched-page.ts";

const DAY_MS = 86_400_000;
const LAST_DAY = Date.UTC(2026, 2, 1);

/** The page's chain has one day; these are as many as it asks for. */
async function answerDays(page: Page): Promise<void> {
  await page.route("**/stats/days?*", async (route) => {
    const limit = Math.min(800, Number(new URL(route.request().url()).searchParams.get("limit")));
    const json = Array.from({ length: limit }, (_, i) => ({
      day: new Date(LAST_DAY - (limit - 1 - i) * DAY_MS).toISOString().slice(0, 10),
      height: 10_000 + i,
      blocks: 1_440,
      transactions: 40 + (i % 7),
      transfers: 10 + (i % 7),
      anchorTransactions: 20,
      associations: 6,
      anchors: 100 + i,
      fees: 123_456_789 + i,
      senders: 5,
      supply: 100_000_000_000_000,
      leased: 50_000_000_000_000,
    }));
    await route.fulfill({ json });
  });
}

export function describeCharts(shared: () => Shared): void {
  const base = (): string => shared().node.explorer;

  describe("charts", () => {
    test("show a year, the values of a day by keyboard and pointer, and save what they draw", async () => {
      await shared().inPage(async ({ page, faults }) => {
        await answerDays(page);
        await visit(page, `${base()}charts`);
        await page.evaluate(`window.layoutShift = 0;
          new PerformanceObserver((list) => {
            for (const { value } of list.getEntries()) window.layoutShift += value;
          }).observe({ type: "layout-shift" })`);
        await page.getByRole("link", { name: "1 year" }).click();
        await page.waitForURL(/charts\?days=365$/);
        const panel = page.locator(".panel").filter({ hasText: "Transactions per day" });
        const plot = panel.getByRole("slider", { name: "Transactions per day" });
        await panel.locator("canvas").waitFor();
        const legend = panel.locator(".legend");
        expect(await legend.textContent()).toBe("1 Mar 2026transfers10anchors20associations6others4");
        await plot.focus();
        await page.keyboard.press("Home");
        expect(await legend.textContent()).toContain("2 Mar 2025");
        await page.keyboard.press("PageDown");
        await page.keyboard.press("ArrowRight");
        expect(await plot.getAttribute("aria-valuetext")).toBe(
          "13 Mar 2025: transfers 14, anchors 20, associations 6, others 4",
        );
        const box = await plot.boundingBox();
        if (box === null) throw new Error("The plot is not drawn");
        await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
        await expect.poll(() => legend.textContent()).toMatch(/Aug|Sept 2025/);
        await page.mouse.move(0, 0);
        expect(await legend.textContent()).toContain("1 Mar 2026");
        // A change of the period, and of the values in the legend, moves nothing.
        expect(await page.evaluate("window.layoutShift")).toBeLessThan(0.05);
        const [download] = await Promise.all([
          page.waitForEvent("download"),
          panel.getByRole("button", { name: "Save as CSV" }).click(),
        ]);
        expect(download.suggestedFilename()).toBe("transactions-at-10364.csv");
        const lines = readFileSync(await download.path(), "utf8")
          .trim()
          .split("\n");
        expect(lines[0]).toBe("time,transfers,anchors,associations,others");
        expect(lines[1]).toBe("2025-03-02,10,20,6,4");
        expect(lines).toHaveLength(1 + 365);
        await page.getByRole("link", { name: "30 days" }).click();
        await page.waitForURL(/charts\?days=30$/);
        await panel.getByText("As a table").click();
        await expect.poll(() => panel.locator("tbody tr").count()).toBe(30);
        await page.setViewportSize(PHONE);
        expect(await overflow(page)).toEqual([]);
        expect(faults(/^download: blob:/)).toEqual([]);
        await page.unroute("**/stats/days?*");
      });
    });

    test("who forges and earns how much is found by mouse, with an estimate for a lease", async () => {
      await shared().inPage(async ({ page, faults }) => {
        await visit(page, base());
        await page.getByRole("navigation").getByRole("link", { name: "Forgers", exact: true }).click();
        const panel = page.locator(".panel").filter({ hasText: "Earnings, last" });
        const row = panel.locator("tbody tr").filter({ hasText: shared().address(north) });
        const before = (await row.textContent()) ?? "";
        await panel.getByLabel("Lease in tokens").fill("600000");
        await expect.poll(() => row.textContent()).not.toBe(before);
        await row.getByRole("link").click();
        await page.getByRole("heading", { level: 1, name: "Forger", exact: true }).waitFor();
        await page.getByText("Earnings per day").first().waitFor();
        const history = page.getByRole("region", { name: "Lease history" });
        await history.getByRole("link", { name: "lease" }).first().waitFor();
        expect(await history.textContent()).toContain("1,000");
        expect(faults()).toEqual([]);
      });
    });

    test("who forges and earns how much is found by keyboard, on a phone", async () => {
      await shared().inPage(async ({ page, faults }) => {
        await page.setViewportSize(PHONE);
        await visit(page, `${base()}forgers`);
        const link = page
          .locator(".panel")
          .filter({ hasText: "Earnings, last" })
          .getByRole("link", { name: shared().address(south) });
        await link.waitFor();
        await page.getByLabel("Lease in tokens").focus();
        await tabTo(page, link);
        await page.keyboard.press("Enter");
        await page.getByRole("heading", { level: 1, name: "Forger", exact: true }).waitFor();
        await settled(page);
        const plot = page.getByRole("slider", { name: "Earnings per day" });
        await plot.focus();
        await page.keyboard.press("End");
        expect(await plot.getAttribute("aria-valuetext")).toMatch(/^1 Mar 2026: Earned \d/);
        expect(await overflow(page)).toEqual([]);
        expect(faults()).toEqual([]);
      });
    });
  });
}

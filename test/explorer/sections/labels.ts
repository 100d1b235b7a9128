/** Names of accounts, and their QR codes. */
import { expect, test } from "vitest";
import { alice, carol } from "../support/accounts.ts";
import { violations } from "../support/axe.ts";
import { MARKUP } from "../support/hostile.ts";
import { overflow, type Shared, visit } from "../support/shared.ts";
import { PHONE } from "../support/watched-page.ts";

export function describeLabels(shared: () => Shared): void {
  const base = (): string => shared().node.explorer;

  test("an account is named by keyboard, on all pages, and has a QR code on a phone", async () => {
    await shared().inPage(async ({ page, faults }) => {
      const address = shared().address(alice);
      const name = MARKUP.slice(0, 40);
      const label = page.locator("main .account-name", { hasText: name });
      await visit(page, `${base()}address/${address}`);
      await page.getByRole("button", { name: "Add a name" }).press("Enter");
      await page.getByLabel("Name of this account").fill(name);
      await page.keyboard.press("Enter");
      await label.first().waitFor();
      await page.getByRole("button", { name: "QR code" }).press("Enter");
      const code = page.getByRole("img", { name: `QR code of the address ${address}` });
      await code.waitFor();
      await page.setViewportSize(PHONE);
      expect((await code.boundingBox())?.width).toBeGreaterThan(150);
      expect(await overflow(page)).toEqual([]);
      expect(await violations(page)).toEqual([]);
      await visit(page, `${base()}richest`);
      expect(await page.locator(".labelled", { hasText: name }).first().textContent()).toContain(address);
      // A name from the settings of the network.
      expect(await page.locator(".account-name:not(.own)").first().textContent()).toBe("Carol Ltd.");
      expect(await page.locator(".labelled", { hasText: "Carol Ltd." }).first().textContent()).toContain(
        shared().address(carol),
      );
      await visit(page, `${base()}address/${address}`);
      await page.getByRole("button", { name: "Change the name" }).click();
      await page.getByRole("button", { name: "Remove the name" }).click();
      await label.first().waitFor({ state: "detached" });
      expect(faults()).toEqual([]);
    });
  });
}

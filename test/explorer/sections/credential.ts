/** Checks of credentials. */
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { alice, bob, root } from "../support/accounts.ts";
import { violations } from "../support/axe.ts";
import { diplomaOf } from "../support/diploma.ts";
import { overflow, type Shared, textOf, visit } from "../support/shared.ts";
import { PHONE } from "../support/watched-page.ts";

const outcome = (page: Page): Promise<string> => textOf(page, ".outcome-title");

export function describeCredentials(shared: () => Shared): void {
  const base = (): string => shared().node.explorer;

  describe("a credential", () => {
    test("as a file shows its signature, status and the way to the root of trust", async () => {
      await shared().inPage(async ({ page, faults }) => {
        const { text, statusId } = diplomaOf(shared().address(bob));
        const requests: string[] = [];
        page.on("request", (request) => requests.push(request.url() + (request.postData() ?? "")));
        await visit(page, `${base()}trust`);
        await page.getByRole("link", { name: "Check a credential" }).click();
        await page.getByRole("heading", { level: 1, name: "Check a credential" }).waitFor();
        await page
          .locator('input[type="file"]')
          .setInputFiles({ name: "diploma.json", mimeType: "application/json", buffer: Buffer.from(text) });
        await page.locator(".outcome-title").waitFor();
        expect(await outcome(page)).toBe("Valid");
        expect(await page.locator(".step.holds").count()).toBe(5);
        expect(await page.locator(".cards .card").allTextContents()).toEqual([
          `Root of trust${shared().address(root)}`,
          `authority${shared().address(alice)}Granted by ${shared().address(root)}`,
          `university${shared().address(bob)}Granted by ${shared().address(alice)}`,
        ]);
        expect(requests.some((request) => request.includes(statusId))).toBe(true);
        expect(requests.filter((request) => /Bachelor|proofValue/.test(request))).toEqual([]);
        expect(await violations(page)).toEqual([]);
        expect(faults()).toEqual([]);
      });
    });

    test("that was changed, or whose proof is not supported, is never green, also on a phone", async () => {
      await shared().inPage(async ({ page, faults }) => {
        const { text } = diplomaOf(shared().address(bob));
        await visit(page, `${base()}credential`);
        await page.setViewportSize(PHONE);
        const field = page.getByLabel("Or paste it");
        await field.focus();
        await page.keyboard.insertText(text.replace("Bachelor", "Master"));
        await page.getByText("The signature does not belong to this credential and key.").waitFor();
        expect(await outcome(page)).toBe("Not valid");
        await field.fill(text.replace("eddsa-jcs-2022", "bbs-2023"));
        await page.getByText("Signature not checked: this page does not support").waitFor();
        expect(await outcome(page)).toBe("Signature not checked");
        expect(await page.locator(".outcome-summary.good").count()).toBe(0);
        expect(await overflow(page)).toEqual([]);
        await field.fill("{}");
        await page.getByText("The credential does not name its issuer.").waitFor();
        expect(faults()).toEqual([]);
      });
    });

    test("of a university shows the roles of the account", async () => {
      await shared().inPage(async ({ page, faults }) => {
        for (const path of [`address/${shared().address(bob)}`, `identity/${shared().did(bob)}`]) {
          await visit(page, base() + path);
          await page.locator('a[href^="trust?role=university"]').waitFor();
        }
        expect(faults()).toEqual([]);
      });
    });
  });
}

/** The node's own accounts, with and without the API key. The key must not go anywhere else. */
import { describe, expect, test } from "vitest";
import { bob, root } from "../support/accounts.ts";
import { violations } from "../support/axe.ts";
import { API_KEY } from "../support/explorer-node.ts";
import { type Shared, textOf, visit } from "../support/shared.ts";
import type { WatchedPage } from "../support/watched-page.ts";

/** Collects URLs of requests that had a key. */
function keyRequests({ page }: WatchedPage): string[] {
  const found: string[] = [];
  page.on("request", (request) => {
    if ("x-api-key" in request.headers()) found.push(request.url());
  });
  return found;
}

/** Everything that the browser keeps. */
const kept = ({ page }: WatchedPage): Promise<string> =>
  page.evaluate(`JSON.stringify([
    { ...localStorage }, { ...sessionStorage }, document.cookie, location.href, history.state, document.title,
  ])`);

export function describeOwnAccounts(shared: () => Shared): void {
  const accounts = () => `${shared().node.explorer}accounts`;

  describe("the node's own accounts", () => {
    test("reject a wrong key, and send with the right one after confirmation, without storing it", async () => {
      await shared().inPage(async (watched) => {
        const { page, faults } = watched;
        const asked = keyRequests(watched);
        await visit(page, accounts());
        await page.getByText(shared().address(root)).first().waitFor();
        expect(asked).toEqual([]);
        const field = page.getByLabel("API key of the node");
        await field.fill("guessed");
        await field.press("Enter");
        await page.getByText("Wrong API key.").waitFor();
        await field.fill(API_KEY);
        await field.press("Enter");
        await page.locator("#field-recipient").fill(shared().address(bob));
        await page.locator("#field-amount").fill("1.5");
        await page.locator("#field-amount").press("Enter");
        const dialog = page.getByRole("dialog", { name: "Send these tokens?" });
        expect(await textOf(page, "dialog")).toContain("Fee1");
        expect(await violations(page)).toEqual([]);
        await dialog.getByRole("button", { name: "Send" }).click();
        const link = page.locator('main [role="status"] a[href^="transaction/"]');
        await link.waitFor();
        shared().node.teller.settle();
        await link.click();
        await page.locator("main").getByText("1.5").first().waitFor();
        const origin = new URL(shared().node.url).origin;
        expect(asked.length).toBeGreaterThan(1);
        expect(asked.filter((url) => new URL(url).origin !== origin || url.includes("sesame"))).toEqual([]);
        expect(await kept(watched)).not.toContain("sesame");
        expect(faults(/status of 403/)).toEqual([]);
        // The key was only in the memory of the page.
        await page.goBack();
        await page.reload();
        await page.getByLabel("API key of the node").waitFor();
      });
    });

    test("of another node do not ask for a key", async () => {
      // The same node by another name is a different origin.
      const other = shared().node.url.replace("127.0.0.1", "localhost");
      await shared().inPage(
        async (watched) => {
          const asked = keyRequests(watched);
          await visit(watched.page, `${accounts()}?node=${encodeURIComponent(other)}`);
          expect(await watched.page.getByLabel("API key of the node").count()).toBe(0);
          expect(asked).toEqual([]);
        },
        [other],
      );
    });
  });
}

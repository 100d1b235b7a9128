/** Live updates: new transactions and blocks, a fork, a node that restarts. */
import { describe, expect, test } from "vitest";
import { alice, bob } from "../support/accounts.ts";
import { violations } from "../support/axe.ts";
import { overflow, type Shared, settled, textOf, visit } from "../support/shared.ts";
import { PHONE, type WatchedPage } from "../support/watched-page.ts";

const none = new Uint8Array(0);

/** Console errors of a browser whose node is down. */
const GONE = /ERR_CONNECTION|ERR_INCOMPLETE|ERR_EMPTY|ERR_NETWORK/;

export function describeLive(shared: () => Shared): void {
  const { explorer } = { explorer: () => shared().node.explorer };

  /** Puts a transfer on the chain. @returns its id */
  const send = (name: string): string => {
    const { teller } = shared().node;
    teller.send(name, "transfer", bob, {
      recipient: teller.address(alice),
      amount: 4_200_000n,
      attachment: none,
    });
    teller.settle();
    return shared().id(name);
  };

  describe("live updates", () => {
    test("show new transactions and blocks without a reload", async () => {
      await shared().inPage(async ({ page, faults }) => {
        await visit(page, explorer());
        await page.getByText("live", { exact: true }).waitFor();
        await page.evaluate("window.sameDocument = true");
        const id = send("live");
        await page.locator(`main a[href="transaction/${id}"]`).first().waitFor();
        const { teller } = shared().node;
        teller.blocks(2);
        await page.locator(`header a[href="block/${teller.height}"]`).waitFor();
        await page.locator(`main a[href="block/${teller.height}"]`).first().waitFor();
        expect(await page.evaluate("window.sameDocument")).toBe(true);
        expect(faults()).toEqual([]);
      });
    });

    /** Opens the page of a new pending transaction, adds its block and waits until the page shows it. */
    const confirm = async ({ page, faults }: WatchedPage, name: string, addBlock: () => Promise<void>) => {
      const { teller } = shared().node;
      teller.send(name, "transfer", bob, { recipient: teller.address(alice), amount: 1n, attachment: none });
      await visit(page, `${explorer()}transaction/${shared().id(name)}`);
      await page
        .locator("main")
        .getByText(/pending|wait|pool|not (yet )?in a block/i)
        .first()
        .waitFor();
      await addBlock();
      await page
        .locator(`main a[href="block/${shared().node.heightOf(name)}"]`)
        .first()
        .waitFor();
      // The page looks on the chain before it looks in the pool.
      expect(faults(/status of 404/)).toEqual([]);
    };

    test("show when a pending transaction is confirmed", async () => {
      await shared().inPage((open) => confirm(open, "waiting", async () => shared().node.teller.blocks()));
    });

    test("show a pending transaction confirmed before the page knew the newest block", async () => {
      await shared().inPage(async (open) => {
        const { page } = open;
        let release = (): void => {};
        const isReleased = new Promise<void>((resolve) => {
          release = resolve;
        });
        await page.route(
          "**/blocks/headers/last",
          async (route) => {
            await isReleased;
            await route.continue();
          },
          { times: 1 },
        );
        await confirm(open, "confirmed early", async () => {
          shared().node.teller.blocks();
          release();
        });
      });
    });

    test("mark blocks that a fork reverted", async () => {
      await shared().inPage(async ({ page, faults }) => {
        await visit(page, explorer());
        await page.getByText("live", { exact: true }).waitFor();
        // The page marks reverted blocks that it had shown.
        await page.locator(`main .strip a[href="block/${shared().node.teller.height}"]`).waitFor();
        const { reverted, replacedBy, common } = await shared().node.fork(2);
        await page
          .locator(`main a[href="block/${common + replacedBy.length}"]`)
          .first()
          .waitFor();
        const marked = page.locator("main .reverted");
        await marked.first().waitFor();
        expect(await textOf(page, "main .reverted >> nth=0")).toMatch(/reverted/i);
        // The notice outlives a reload, until the list is opened.
        const notice = page.locator(".reorganisation-notice");
        await notice.getByRole("link", { name: `block ${common + 1}` }).waitFor();
        await visit(page, `${explorer()}blocks`);
        expect(await notice.textContent()).toContain("A fork replaced 2 blocks");
        await notice.getByRole("link", { name: "all reorganisations" }).click();
        await notice.waitFor({ state: "detached" });
        expect(await settled(page)).toBe("Reorganisations");
        await page.getByText("2 blocks", { exact: true }).click();
        await page.locator(`main li a[href="block/${reverted[0]}"]`).click();
        await page
          .locator("main")
          .getByText(/not on the chain|no longer on the chain|unknown|not found/i)
          .first()
          .waitFor();
        expect(faults(/status of 404/)).toEqual([]);
      });
    });

    test("keep the notice of a fork until it is dismissed by keyboard, on a phone", async () => {
      await shared().inPage(async ({ page, faults }) => {
        await page.setViewportSize(PHONE);
        await visit(page, `${explorer()}forgers`);
        await page.getByText("live", { exact: true }).waitFor();
        await page.locator(`header a[href="block/${shared().node.teller.height}"]`).waitFor();
        const { reverted } = await shared().node.fork(1);
        const notice = page.locator(".reorganisation-notice");
        await notice.waitFor();
        expect(await notice.getByRole("link").first().getAttribute("href")).toBe(`block/${reverted[0]}`);
        expect(await overflow(page)).toEqual([]);
        // From the main part to the two links and the button.
        await page.keyboard.press("Tab");
        await page.keyboard.press("Enter");
        for (let i = 0; i < 3; i++) await page.keyboard.press("Tab");
        await page.keyboard.press("Enter");
        await notice.waitFor({ state: "detached" });
        expect(await page.evaluate("document.activeElement.id")).toBe("content");
        await visit(page, `${explorer()}reorganisations`);
        expect(await page.locator("main tbody tr").count()).toBe(2);
        expect(await overflow(page)).toEqual([]);
        expect(await notice.count()).toBe(0);
        expect(faults()).toEqual([]);
      });
    });

    test("report a stopped node, and resume when it is back", async () => {
      await shared().inPage(async ({ page, faults }) => {
        await visit(page, explorer());
        await page.getByText("live", { exact: true }).waitFor();
        await shared().node.stop();
        await page
          .locator("header")
          .getByText(/Trying again/)
          .waitFor();
        // A page opened meanwhile shows the problem, and loads later.
        await page.getByRole("combobox", { name: /^Height, block/ }).fill("4");
        await page.getByRole("combobox", { name: /^Height, block/ }).press("Enter");
        await page.getByRole("heading", { name: "Something went wrong" }).waitFor();
        await shared().node.start();
        shared().node.teller.blocks();
        await page.getByText("live", { exact: true }).waitFor();
        await page.getByRole("heading", { level: 1, name: "Block 4" }).waitFor();
        await page.locator(`header a[href="block/${shared().node.teller.height}"]`).waitFor();
        // The node has stored its reorganisations.
        await visit(page, `${explorer()}reorganisations`);
        expect(await page.locator("main tbody tr").count()).toBe(2);
        expect(await violations(page)).toEqual([]);
        await page.emulateMedia({ colorScheme: "dark" });
        expect(await violations(page, ["color-contrast"])).toEqual([]);
        expect(faults(GONE)).toEqual([]);
      });
    });
  });
}

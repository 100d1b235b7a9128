/** Files on the anchor page, checked in the browser. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import { alice } from "../support/accounts.ts";
import { overflow, type Shared, settled, tabTo, textOf, visit } from "../support/shared.ts";
import { anchoredFile, anchoredHash, otherFile } from "../support/story.ts";
import { PHONE } from "../support/watched-page.ts";

const upload = ({ name, bytes }: typeof anchoredFile) => ({
  name,
  mimeType: "text/plain",
  buffer: Buffer.from(bytes),
});

export function describeAnchor(shared: () => Shared): void {
  const anchor = () => `${shared().node.explorer}anchor`;

  describe("a file", () => {
    test("that was anchored shows when, by whom and the steps of its proof", async () => {
      await shared().inPage(async ({ page, faults }) => {
        await visit(page, anchor());
        await page.locator('input[type="file"]').setInputFiles(upload(anchoredFile));
        await page.locator("main .outcome-summary.good").waitFor();
        const said = await textOf(page);
        expect(said).toContain(anchoredHash);
        expect(said).toContain(shared().address(alice));
        expect(said).toContain("2026");
        // The link works without the file.
        await page.getByRole("link", { name: "link to this check" }).click();
        await page.waitForURL(`${anchor()}/${anchoredHash}`);
        await page.reload();
        await settled(page);
        await page.locator("main .outcome-summary.good").waitFor();
        expect(faults()).toEqual([]);
      });
    });

    test("is chosen by keyboard, on a phone", async () => {
      await shared().inPage(async ({ page, faults }) => {
        await page.setViewportSize(PHONE);
        await visit(page, anchor());
        const input = page.locator('input[type="file"]');
        await tabTo(page, input);
        // The browser's own dialog.
        await input.setInputFiles(upload(anchoredFile));
        await page.locator("main .outcome-summary.good").waitFor();
        expect(await overflow(page)).toEqual([]);
        expect(faults()).toEqual([]);
      });
    });

    test("that was not anchored is reported as not anchored", async () => {
      await shared().inPage(async ({ page, faults }) => {
        await visit(page, anchor());
        await page.locator('input[type="file"]').setInputFiles(upload(otherFile));
        await page.locator("main .outcome-summary").waitFor();
        expect(await page.locator("main .outcome-summary.good").count()).toBe(0);
        expect(await textOf(page)).toMatch(/not anchored/i);
        expect(faults(/status of 404/)).toEqual([]);
      });
    });

    test("is not accepted as anchored because a node claims it", async () => {
      // This proxy answers every hash with the answer for the anchored one.
      const { url } = shared().node;
      const liar = createServer(async (request, answer) => {
        const path = request.url?.replace(/[0-9a-f]{64}/, anchoredHash);
        const { status, headers, body } = await fetch(url + path, { headers: { connection: "close" } });
        const text = body === null ? "" : await new Response(body).text();
        const type = headers.get("content-type") ?? "text/plain";
        answer.writeHead(status, { "content-type": type, "access-control-allow-origin": "*" }).end(text);
      });
      await new Promise<void>((resolve) => liar.listen(0, "127.0.0.1", resolve));
      const other = `http://127.0.0.1:${(liar.address() as AddressInfo).port}`;
      try {
        await shared().inPage(
          async ({ page }) => {
            await visit(page, `${anchor()}?node=${encodeURIComponent(other)}`);
            await page.locator('input[type="file"]').setInputFiles(upload(otherFile));
            await page.locator("main .outcome-summary").waitFor();
            expect(await page.locator("main .outcome-summary.good").count()).toBe(0);
          },
          [other],
        );
      } finally {
        liar.close();
        liar.closeAllConnections();
      }
    });
  });
}

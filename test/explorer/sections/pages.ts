/** Every page: by its address, quietly, by both themes, on a phone, for those who see or hear otherwise. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { alice, bob, certified, mallory, north, scripted } from "../support/accounts.ts";
import { violations } from "../support/axe.ts";
import { overflow, type Shared, visit } from "../support/shared.ts";
import { anchoredHash } from "../support/story.ts";

/** Where pictures of all pages go; none are made unless it is named. */
const pictures = process.env.EXPLORER_PICTURES;

/** Pages by the name of their picture, each as its path below the base. */
const pages: readonly (readonly [name: string, path: (shared: Shared) => string])[] = [
  ["overview", () => ""],
  ["block", () => "block/3"],
  ["block-genesis", () => "block/1"],
  ["block-hostile", ({ node }) => `block/${node.heightOf("hostile transfer 0")}`],
  ["block-liquid", ({ node }) => `block/${node.teller.height}`],
  ["block-by-id", ({ node }) => `block/${node.idAt(5)}`],
  ["transaction", (shared) => `transaction/${shared.id("transfer")}`],
  ["transaction-mass-transfer", (shared) => `transaction/${shared.id("mass transfer")}`],
  ["transaction-anchor", (shared) => `transaction/${shared.id("many anchors")}`],
  ["transaction-co-signed", (shared) => `transaction/${shared.id("co-signed")}`],
  ["transaction-hostile", (shared) => `transaction/${shared.id("hostile association 1")}`],
  ["transaction-huge", (shared) => `transaction/${shared.id("hostile huge statement")}`],
  ["address", (shared) => `address/${shared.address(alice)}`],
  ["address-changes", (shared) => `address/${shared.address(alice)}?tab=changes`],
  ["address-data", (shared) => `address/${shared.address(alice)}?tab=data`],
  ["address-data-hostile", (shared) => `address/${shared.address(mallory)}?tab=data`],
  ["address-associations", (shared) => `address/${shared.address(alice)}?tab=associations`],
  ["address-identity", (shared) => `address/${shared.address(alice)}?tab=identity`],
  ["address-script", (shared) => `address/${shared.address(scripted)}?tab=script`],
  ["address-sponsors", (shared) => `address/${shared.address(bob)}?tab=sponsors`],
  ["address-certificate", (shared) => `address/${shared.address(certified)}?tab=certificate`],
  ["address-forger", (shared) => `address/${shared.address(north)}`],
  ["anchor", () => "anchor"],
  ["anchor-checked", () => `anchor/${anchoredHash}`],
  ["forgers", () => "forgers"],
  ["node", () => "node"],
  ["accounts", () => "accounts"],
  ["search", () => "search?q=contract"],
];

export function describePages(shared: () => Shared): void {
  describe("every page", () => {
    test.each(pages)("%s", async (name, path) => {
      await shared().inPage(async ({ page, faults }) => {
        const heading = await visit(page, shared().node.explorer + path(shared()));
        expect([heading, await page.locator("main .problem").count()]).toEqual([heading, 0]);
        expect(await page.title()).toContain("Holdfast");
        expect(await violations(page)).toEqual([]);
        if (pictures !== undefined) await picture(page, name, "light");
        await page.emulateMedia({ colorScheme: "dark" });
        expect(await violations(page, ["color-contrast"])).toEqual([]);
        if (pictures !== undefined) await picture(page, name, "dark");
        await page.setViewportSize({ width: 375, height: 700 });
        expect(await overflow(page)).toEqual([]);
        if (pictures !== undefined) await picture(page, name, "phone");
        expect(faults()).toEqual([]);
      });
    });
  });

  async function picture(
    page: { screenshot(options: { path: string; fullPage: boolean }): Promise<unknown> },
    name: string,
    kind: string,
  ): Promise<void> {
    const folder = join(String(pictures), kind);
    mkdirSync(folder, { recursive: true });
    await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
  }
}

/** Lists as files, as visitors save them. */
import { readFile } from "node:fs/promises";
import type { Locator } from "playwright-core";
import { describe, expect, test } from "vitest";
import { encodeBase58 } from "../../../src/bytes/base58.ts";
import { alice, bob, mallory } from "../support/accounts.ts";
import { type Shared, tabTo, visit } from "../support/shared.ts";
import { credential } from "../support/story.ts";
import { PHONE, WINDOW } from "../support/watched-page.ts";

/** Rows of a CSV file as cells. */
function cellsOf(csv: string): readonly (readonly string[])[] {
  const rows: string[][] = [[]];
  for (const [, quoted, plain, end] of csv.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/g)) {
    if (quoted === undefined && plain === "" && end === "") break;
    rows.at(-1)?.push(quoted === undefined ? (plain ?? "") : quoted.replaceAll('""', '"'));
    if (end === "\r\n") rows.push([]);
  }
  return rows.filter((row) => row.length > 0);
}

export function describeExports(shared: () => Shared): void {
  describe("files", () => {
    test.each([
      ["by mouse", WINDOW],
      ["by keyboard, on a phone", PHONE],
    ])("an account's year is saved %s", async (_, size) => {
      await shared().inPage(async ({ page, faults }) => {
        await page.setViewportSize(size);
        await visit(page, `${shared().node.explorer}address/${shared().address(alice)}?tab=transactions`);
        const reach = (target: Locator, key?: "Shift+Tab") =>
          size === WINDOW ? target.click() : tabTo(page, target, key);
        const press = async (target: Locator, key?: "Shift+Tab"): Promise<void> => {
          await reach(target, key);
          if (size === PHONE) await page.keyboard.press("Enter");
        };
        await reach(page.getByLabel("From", { exact: true }));
        await page.keyboard.type("2026-01-01");
        await reach(page.getByLabel("Up to", { exact: true }));
        await page.keyboard.type("2026-12-31");
        await press(page.getByRole("button", { name: "Show", exact: true }));
        await page.waitForURL(/from=2026-01-01&to=2026-12-31/);
        const file = page.waitForEvent("download");
        // Backwards, over the end of the page: the list is long.
        await press(page.getByRole("tabpanel").getByRole("link", { name: "CSV" }), "Shift+Tab");
        const download = await file;
        const height = shared().node.teller.height;
        expect(download.suggestedFilename()).toBe(`account-transactions-at-${height}.csv`);
        const [head, ...rows] = cellsOf(await readFile(await download.path(), "utf8"));
        expect(head).toEqual(
          expect.arrayContaining(["id", "time", "direction", "counterparty", "amount", "balance"]),
        );
        expect(rows.map((row) => row[0])).toContain(shared().id("transfer"));
        for (const row of rows) expect(row[head.indexOf("time")]).toMatch(/^2026-/);
        expect(faults(/^download: .*format=csv$/)).toEqual([]);
      });
    });

    test.each<readonly [route: (shared: Shared) => string, columns: readonly string[]]>([
      [(from) => `addresses/balance/changes/${from.address(alice)}`, ["height", "regular", "transactions"]],
      [(from) => `addresses/data/${from.address(mallory)}`, ["key", "type", "value"]],
      [(from) => `associations/status/${from.address(alice)}`, ["direction", "type", "subject", "data"]],
      [(from) => `leasing/active/${from.address(alice)}`, ["id", "sender", "recipient", "amount"]],
      [(from) => `sponsorship/given/${from.address(alice)}`, ["address", "height", "transaction"]],
      [() => "generators", ["generator", "blocks", "info"]],
      [() => "stats/generators/2026-02-20/2026-03-10", ["generator", "reward"]],
      [() => "roles", ["address", "role", "sender"]],
      [
        (from) => `credential-status/${encodeBase58(credential)}?issuer=${from.did(bob)}`,
        ["type", "signer", "data"],
      ],
    ])("of list %#", async (route, columns) => {
      const { url, teller } = shared().node;
      const path = route(shared());
      const ask = (format: string) =>
        fetch(`${url}/${path}${path.includes("?") ? "&" : "?"}format=${format}`);
      const csv = await ask("csv");
      const json = await ask("json");
      expect([csv.status, csv.headers.get("x-chain-height")]).toEqual([200, String(teller.height)]);
      expect(csv.headers.get("content-disposition")).toContain(`-at-${teller.height}.csv`);
      const [head, ...rows] = cellsOf(await csv.text());
      expect(head).toEqual(expect.arrayContaining([...columns]));
      expect(rows.length).toBeGreaterThan(0);
      expect(await json.json()).toHaveLength(rows.length);
      // Negative numbers are no formulas.
      expect(rows.flat().filter((cell) => /^[=+@]|^-\D/.test(cell))).toEqual([]);
      expect((await ask("xml")).status).toBe(400);
    });
  });
}

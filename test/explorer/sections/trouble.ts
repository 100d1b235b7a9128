/** Problems with advice: unknown and malformed ids, other nodes. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { violations } from "../support/axe.ts";
import { ExplorerNode } from "../support/explorer-node.ts";
import { overflow, type Shared, settled, textOf, visit } from "../support/shared.ts";
import { PHONE, WINDOW } from "../support/watched-page.ts";

const NO_SUCH_ID = "4MPYMQkGvHNsC2oWUtEkbPBf2SyBMsCFpmWwHEM5ywVZ";
const OTHER_CHAIN = "T".charCodeAt(0);

const wrong: readonly (readonly [what: string, path: string])[] = [
  ["a height above the chain", "block/999999"],
  ["an unknown block", `block/${"2".repeat(87)}`],
  ["a malformed block", "block/0OIl"],
  ["an unknown transaction", `transaction/${NO_SUCH_ID}`],
  ["a malformed transaction", "transaction/%F0%9F%98%80"],
  ["a mistyped address", "address/3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrz"],
  ["an address of another network", "address/3N4mZ5FMQm3sQZ1DxyPpT7hVqLyLoC5PLcn"],
  ["an invalid DID", "identity/did%3Aweb%3Aexample.com"],
  ["a short hash", "anchor/abcd"],
  ["a search for nonsense", `search?q=${"nonsense ".repeat(30)}`],
  ["an empty search", "search?q="],
  ["an unknown page", "no/such/page"],
];

export function describeTrouble(shared: () => Shared): void {
  const explorer = () => shared().node.explorer;

  describe("a problem has a message and advice", () => {
    test.each(wrong)("%s", async (_, path) => {
      await shared().inPage(async ({ page, faults }) => {
        const heading = await visit(page, explorer() + path);
        expect(heading).not.toBe("");
        const said = await textOf(page);
        // More than a heading: the problem and advice.
        expect(said.length).toBeGreaterThan(heading.length + 30);
        expect(said).not.toMatch(/undefined|\[object|NaN|TypeError/);
        expect(faults(/status of (400|404|410|501)/)).toEqual([]);
      });
    });
  });

  describe("the explorer of one node shows another node", () => {
    const other = new ExplorerNode({}, OTHER_CHAIN);
    /** Of the same network, with other blocks. */
    const rival = new ExplorerNode();
    beforeAll(async () => {
      await Promise.all([other.start(), rival.start()]);
      other.teller.blocks(3);
      rival.teller.blocks(3);
    });
    afterAll(() => Promise.all([other.stop(), rival.stop()]));

    test("by ?node=, keeps it in all links and names its network", async () => {
      await shared().inPage(
        async ({ page, faults }) => {
          await visit(page, `${explorer()}?node=${encodeURIComponent(other.url)}`);
          await page.locator("header").getByText(other.url).waitFor();
          await page.locator("header").getByText("(T)").waitFor();
          other.teller.blocks();
          await page.locator("header").getByText(String(other.teller.height), { exact: true }).waitFor();
          await page.locator("header").getByRole("link", { name: "Forgers" }).click();
          await settled(page);
          expect(new URL(page.url()).searchParams.get("node")).toContain(other.url);
          await page.goBack();
          await settled(page);
          expect(faults()).toEqual([]);
        },
        [new URL(other.url).origin],
      );
    });

    test("and compares both, by keyboard on a phone, and by mouse", async () => {
      await shared().inPage(
        async ({ page, faults }) => {
          await page.setViewportSize(PHONE);
          await visit(page, `${explorer()}compare`);
          const field = page.getByRole("textbox", { name: "URL of the other node" });
          await page.keyboard.press("Tab");
          await page.keyboard.press("Enter");
          await page.keyboard.press("Tab");
          await page.keyboard.type(rival.url);
          await page.keyboard.press("Enter");
          await page.getByText("The chains differ from block 2 on.").waitFor();
          const said = await textOf(page);
          expect(said).toContain(rival.node.chain.tip.height.toLocaleString("en-GB"));
          expect(said).toContain(
            `Other node is ${shared().node.teller.height - rival.teller.height} blocks behind`,
          );
          for (const node of [shared().node, rival])
            expect(await page.getByText(node.idAt(2), { exact: true }).count()).toBe(1);
          expect(await overflow(page)).toEqual([]);
          expect(await violations(page)).toEqual([]);
          await page.emulateMedia({ colorScheme: "dark" });
          expect(await violations(page, ["color-contrast"])).toEqual([]);
          await page.setViewportSize(WINDOW);
          await field.fill(other.url);
          await page.getByRole("button", { name: "Compare" }).click();
          await page.getByText("The nodes belong to different networks").waitFor();
          expect(faults()).toEqual([]);
          await field.fill("nonsense");
          await field.press("Enter");
          await page.getByText("The address in ?node= is not the URL of a node.").waitFor();
          await field.fill("http://127.0.0.1:1/");
          await field.press("Enter");
          await page.getByText("Other node: Cannot reach the node.").waitFor();
          const heights = `Height${shared().node.teller.height}unknown`;
          await page.locator("main table", { hasText: heights }).waitFor();
          expect(faults(/ERR_|policy|Policy/)).toEqual([]);
        },
        [other.url, rival.url, "http://127.0.0.1:1"].map((url) => new URL(url).origin),
      );
    });

    test("reports an invalid and an unreachable node", async () => {
      await shared().inPage(
        async ({ page, faults }) => {
          for (const node of ["nonsense", "javascript:alert(1)", "http://127.0.0.1:1/"]) {
            await page.goto(`${explorer()}forgers?node=${encodeURIComponent(node)}`);
            await page.locator(".problem").waitFor();
            expect(faults(/ERR_|policy|Policy/)).toEqual([]);
          }
        },
        ["http://127.0.0.1:1"],
      );
    });
  });
}

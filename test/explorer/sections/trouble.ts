/** Problems with advice: unknown and malformed ids, other nodes. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ExplorerNode } from "../support/explorer-node.ts";
import { type Shared, settled, textOf, visit } from "../support/shared.ts";

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
    beforeAll(async () => {
      await other.start();
      other.teller.blocks(3);
    });
    afterAll(() => other.stop());

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

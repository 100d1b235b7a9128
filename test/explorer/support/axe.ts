/** What axe-core finds wrong with a page, for those who see, hear or move otherwise. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface Axe {
  run(
    context: unknown,
    options: unknown,
  ): Promise<{
    readonly violations: readonly {
      readonly id: string;
      readonly nodes: readonly { readonly target: unknown; readonly failureSummary?: string }[];
    }[];
  }>;
}

/**
 * The violations, each as its rule and the first places, to be read by whoever mends them.
 * @param rules only these; all that are of WCAG 2.2 A and AA, and the best practices, unless given
 */
export async function violations(page: Page, rules?: readonly string[]): Promise<readonly string[]> {
  // Not as a script of the page, which its policy would refuse.
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(source);
  return page.evaluate(async (only) => {
    const axe = Reflect.get(globalThis, "axe") as Axe;
    const options = only === undefined ? {} : { runOnly: { type: "rule", values: only } };
    const { violations } = await axe.run(Reflect.get(globalThis, "document"), {
      ...options,
      resultTypes: ["violations"],
    });
    return violations.map(({ id, nodes }) => {
      const places = nodes.slice(0, 3).map(({ target, failureSummary }) => `${target}: ${failureSummary}`);
      return `${id} (${nodes.length}): ${places.join(" | ")}`;
    });
  }, rules);
}

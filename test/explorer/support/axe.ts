/** Accessibility checks by axe-core. */
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

/** Later rows of a table are like the first ones, and checking them takes most of the time. */
const LATER_ROWS = "tbody tr:nth-child(n + 13)";

/**
 * Returns violations, each with its rule and first places.
 * @param rules by default WCAG 2.2 A and AA, and best practices
 */
export async function violations(page: Page, rules?: readonly string[]): Promise<readonly string[]> {
  // Not as a script of the page: its Content-Security-Policy would block it.
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(source);
  return page.evaluate(
    async ([only, exclude]) => {
      const axe = Reflect.get(globalThis, "axe") as Axe;
      const options = only === undefined ? {} : { runOnly: { type: "rule", values: only } };
      const { violations } = await axe.run(
        { exclude: [exclude] },
        {
          ...options,
          resultTypes: ["violations"],
        },
      );
      return violations.map(({ id, nodes }) => {
        const places = nodes.slice(0, 3).map(({ target, failureSummary }) => `${target}: ${failureSummary}`);
        return `${id} (${nodes.length}): ${places.join(" | ")}`;
      });
    },
    [rules, LATER_ROWS] as const,
  );
}

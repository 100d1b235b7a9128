import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { defaultText, settingsMarkdown } from "./show.ts";
import { allSettings } from "./sources/settings-by-name.ts";

const guide = join(import.meta.dirname, "../../docs/operate.md");

describe("the table of settings", () => {
  test("names every setting once", () => {
    const table = settingsMarkdown();
    for (const [, setting] of allSettings)
      expect(table.match(new RegExp(`\`--(no-)?${setting.name}[ \`]`, "g"))).toHaveLength(1);
    // Every row has five cells, whatever a setting's text says.
    for (const row of table.split("\n").filter((line) => line.startsWith("| `")))
      expect(row.replaceAll("\\|", "").match(/\|/g)).toHaveLength(6);
  });

  test("says what stands when a setting is not set, without asking a network", () => {
    for (const [, setting] of allSettings) expect(() => defaultText(setting)).not.toThrow();
  });

  test.skipIf(!existsSync(guide))("stands in docs/operate.md as it is", () => {
    expect(readFileSync(guide, "utf8")).toContain(settingsMarkdown().trim());
  });
});

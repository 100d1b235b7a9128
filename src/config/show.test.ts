import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { defaultText, settingsMarkdown } from "./show.ts";
import { allSettings } from "./sources/settings-by-name.ts";

const page = join(import.meta.dirname, "../../docs/settings.md");

const introduction = `# Settings

This page lists every setting with its flag, variables, default and values. A test generates this page from the table of settings (\`npx vitest run src/config/show.test.ts --update\`). [configure.md](configure.md) explains [formats](configure.md#formats) and [sources](configure.md#where-settings-come-from). In variables, \`CHAIN\` stands for the name of the network. A flag \`--no-…\` sets its setting to no; the column Default shows the value without the flag.
`;

describe("the table of settings", () => {
  test("names every setting once", () => {
    const table = settingsMarkdown();
    for (const [, setting] of allSettings)
      expect(table.match(new RegExp(`\`--(no-)?${setting.name}[ \`]`, "g"))).toHaveLength(1);
    // Every row has five cells.
    for (const row of table.split("\n").filter((line) => line.startsWith("| `")))
      expect(row.replaceAll("\\|", "").match(/\|/g)).toHaveLength(6);
  });

  test("describes defaults without a network", () => {
    for (const [, setting] of allSettings) expect(() => defaultText(setting)).not.toThrow();
  });

  test.skipIf(!existsSync(page))("is docs/settings.md", async () => {
    await expect(`${introduction}\n${settingsMarkdown().trim()}\n`).toMatchFileSnapshot(page);
  });
});

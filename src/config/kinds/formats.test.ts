/**
 * The guide has examples for the format of every setting: each valid one is read, each invalid one refused with its
 * text.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { dev } from "../../profiles/index.ts";
import { SettingsError } from "../errors.ts";
import { loadSettings } from "../load.ts";
import { settingsYaml } from "../show.ts";
import { allSettings, isSwitch } from "../sources/settings-by-name.ts";

const docs = join(import.meta.dirname, "../../../docs");
const text = existsSync(docs)
  ? ["configure.md", "migrate.md"].map((page) => readFileSync(join(docs, page), "utf8"))
  : [];
const formats = text.join("").split("\n## Formats\n")[1]?.split("\n# ")[0] ?? "";

const rows = formats
  .split("\n")
  .filter((line) => line.startsWith("| ") && !line.startsWith("| ---") && !line.startsWith("| Word"))
  .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|")));

/** `name=value` or a flag, in backticks. */
function examples(cell: string): (readonly [name: string, value: string | boolean])[] {
  return Array.from(
    cell.matchAll(/`(?:--(no-)?([a-z0-9-]+)|([a-z0-9-]+)=([^`]*))`/g),
    ([, no, flag, name, value]) => (flag === undefined ? [name, value] : [flag, no === undefined]),
  );
}

function load(name: string, value: string | boolean) {
  return loadSettings({ flags: new Map([[name, value]]), environment: {}, home: "/home/someone" });
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-formats-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.skipIf(text.length === 0)("the guide", () => {
  test("describes the format of every setting", () => {
    const described = rows.map(([, word]) => word).join(" ");
    for (const [, setting] of allSettings) {
      const { placeholder } = setting.kind;
      if (isSwitch(setting)) expect(described).toContain("switch");
      else if (/^[a-z|]+$/.test(placeholder ?? "")) expect(described).toContain("words with");
      else expect(described, setting.name).toContain(`\`${placeholder}\``);
    }
  });

  test.each(rows.flatMap(([, , right]) => examples(right)))("%s=%s is read", (name, value) => {
    // Only variables have values for switches.
    const setting = allSettings.find(([, one]) => one.name === name)?.[1];
    if (typeof value === "string" && setting !== undefined && isSwitch(setting))
      setting.kind.read(value, dev);
    else load(name, value);
    expect(setting).toBeDefined();
  });

  test.each(rows.flatMap(([, , , wrong]) => (wrong === "" ? [] : [wrong])))("%s", (cell) => {
    const [[name, value]] = examples(cell);
    expect(() => load(name, value)).toThrow(
      new SettingsError([`--${name}: ${cell.replace(/^`[^`]*`: /, "")}`]),
    );
  });

  test("has files that are read", () => {
    const blocks = Array.from(text.join("").matchAll(/```(yaml|json|hocon)\n([\s\S]*?)```/g));
    expect(blocks.map(([, form]) => form).sort()).toEqual(["hocon", "json", "yaml", "yaml"]);
    for (const [, form, content] of blocks) {
      const path = join(folder, `example.${form === "hocon" ? "conf" : form}`);
      writeFileSync(path, content);
      if (form === "json") {
        expect([...load("trust-network", path).settings.index.trustNetwork.keys()]).toEqual([
          "root",
          "university",
          "graduate",
        ]);
        continue;
      }
      const environment = { AUTH_TOKEN: "t" };
      const loaded = loadSettings({ flags: new Map(), environment, config: path, home: "/home/someone" });
      expect(loaded.settings.warnings).toEqual([]);
      expect(settingsYaml(loaded)).toContain(path);
    }
  });
});

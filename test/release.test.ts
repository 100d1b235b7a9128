/** The parts of a release that a test can make quickly. `npm run release:check` tries a whole one. */
import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { billOfMaterials, bundledPackages } from "../scripts/release/bill-of-materials.mjs";
import { commandTree, writeManuals } from "../scripts/release/manuals.mjs";
import { removeFolder, temporaryFolder } from "./support/node-process.ts";

const project = join(import.meta.dirname, "..");
const EPOCH = 1_800_000_000;
let folder: string;

beforeAll(async () => {
  folder = temporaryFolder("release");
  await writeManuals(project, folder, EPOCH);
});

afterAll(() => removeFolder(folder));

const manifest = JSON.parse(readFileSync(join(project, "package.json"), "utf8"));

test("the bill of materials lists the locked dependencies with their hashes, and none for development", () => {
  const { components } = JSON.parse(billOfMaterials(manifest, bundledPackages(project), "20.0.0"));
  const versions = new Map<string, string>(
    components.map((one: { purl: string; version: string }) => [one.purl, one.version]),
  );
  for (const [name, version] of Object.entries<string>(manifest.dependencies)) {
    const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
    expect(versions.get(purl)).toBe(version);
  }
  expect([...versions.keys()].filter((purl) => /vitest|biome|typescript/.test(purl))).toEqual([]);
  expect(versions.get("pkg:generic/node@20.0.0")).toBe("20.0.0");
  const lmdb = components.find((one: { name: string }) => one.name === "lmdb");
  expect(lmdb.hashes[0].content).toMatch(/^[0-9a-f]{128}$/);
});

test("equal contents give an equal bill of materials", () => {
  const make = () => billOfMaterials(manifest, bundledPackages(project), "20.0.0");
  expect(make()).toBe(make());
});

describe("man pages", () => {
  test("exist for every command", async () => {
    const { commands } = await commandTree(project);
    const titles = ["holdfast", ...commands.map(({ path }) => `holdfast-${path}`)];
    expect(readdirSync(join(folder, "man", "man1")).sort()).toEqual(
      titles.map((title) => `${title}.1`).sort(),
    );
  });

  test("name each option, with hyphens that can be copied", () => {
    const page = readFileSync(join(folder, "man", "man1", "holdfast-start.1"), "utf8");
    expect(page).toContain(".B \\-\\-api\\-port");
    expect(page.split("\n").filter((line) => /^'|^\.(?!TH|SH|SS|TP|BR?\b|br)/.test(line))).toEqual([]);
  });
});

describe("shell completions", () => {
  /** Returns what bash offers for the last of some words. */
  function complete(...words: string[]): string[] {
    const script = `source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _holdfast; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const file = join(folder, "bash-completion", "completions", "holdfast");
    const output = execFileSync("bash", ["-c", script, file, "holdfast", ...words], { encoding: "utf8" });
    return output.split("\n").filter((line) => line !== "");
  }

  test("bash completes commands, subcommands and their flags", () => {
    expect(complete("wal")).toEqual(["wallet"]);
    expect(complete("peers", "")).toEqual(expect.arrayContaining(["list", "connect", "ban", "unban"]));
    expect(complete("start", "--api-po")).toEqual(["--api-port"]);
    expect(complete("wallet", "addresses", "--api-po")).toEqual([]);
    expect(complete("import", "")).toEqual([]);
  });

  const installed = (shell: string) => spawnSync(shell, ["--version"]).status === 0;

  test.skipIf(!installed("zsh"))("zsh parses its completion", () => {
    const file = join(folder, "zsh", "vendor-completions", "_holdfast");
    expect(spawnSync("zsh", ["-n", file], { encoding: "utf8" })).toMatchObject({ status: 0, stderr: "" });
  });

  test.skipIf(!installed("fish"))("fish completes subcommands", () => {
    const file = join(folder, "fish", "vendor_completions.d", "holdfast.fish");
    const script = join(folder, "try.fish");
    writeFileSync(script, `source ${file}\ncomplete -C "holdfast peers "\n`);
    const env = { ...process.env, HOME: folder };
    expect(execFileSync("fish", [script], { encoding: "utf8", env })).toMatch(/^unban\t/m);
  });
});

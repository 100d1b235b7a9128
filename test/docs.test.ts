/** The documents match the code: the list of routes, and links to existing targets. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { routes } from "../src/api/routes/all.ts";
import { ExitCode } from "../src/cli/exit-codes.ts";
import { apiReference } from "./support/api-reference.ts";
import { commandReference } from "./support/command-reference.ts";
import { withTables } from "./support/performance-tables.ts";

const root = join(import.meta.dirname, "..");
const documents = [
  "README.md",
  "CHANGELOG.md",
  ...["docs", "docs/protocol"].flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith(".md"))
      .map((name) => `${folder}/${name}`),
  ),
];

const read = (document: string): string => readFileSync(join(root, document), "utf8");

/** Removes code blocks, which contain no headings and links. */
const prose = (document: string): string => read(document).replace(/^```[\s\S]*?^```$/gm, "");

/** Returns the section under a second-level heading. */
function section(document: string, heading: string): string {
  const start = `\n## ${heading}\n`;
  const text = read(document);
  expect(text, `${document} has a section "${heading}"`).toContain(start);
  return text.slice(text.indexOf(start) + start.length).split("\n## ")[0];
}

/** Returns the anchor of a heading, as GitHub generates it. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replace(/\s/g, "-");
}

const anchorsOf = (document: string): string[] =>
  [...prose(document).matchAll(/^#{1,6} (.+)$/gm)].map((match) => anchorOf(match[1]));

test("docs/api-reference.md lists the routes that the code defines", async () => {
  await expect(apiReference(routes)).toMatchFileSnapshot("../docs/api-reference.md");
});

test("docs/commands.md lists the commands that the code defines", async () => {
  await expect(commandReference()).toMatchFileSnapshot("../docs/commands.md");
});

test("docs/performance.md has the figures of bench/figures.json, in at most 150 lines", async () => {
  const page = withTables(read("docs/performance.md"), JSON.parse(read("bench/figures.json")));
  await expect(page).toMatchFileSnapshot("../docs/performance.md");
  expect(page.trimEnd().split("\n").length).toBeLessThanOrEqual(150);
  expect(page).toContain("\n## Time to sync\n");
  // The figures of one benchmark, changed, change the page.
  const other = { codec: { ...JSON.parse(read("bench/figures.json")).codec, figures: [] } };
  expect(withTables(page, other)).not.toBe(page);
});

test("docs/troubleshoot.md lists every exit code", () => {
  const listed = [...section("docs/troubleshoot.md", "Exit codes").matchAll(/^\| (\d+) \| \S/gm)];
  expect(listed.map(([, code]) => Number(code))).toEqual(Object.values(ExitCode));
});

test("docs/expose.md quotes the configurations of proxies in deploy/", () => {
  const quotes = [...read("docs/expose.md").matchAll(/<!-- copy of (\S+) -->\n```\w+\n([\s\S]*?)^```$/gm)];
  expect(quotes.map(([, file]) => file)).toEqual(["deploy/nginx/holdfast.conf", "deploy/caddy/Caddyfile"]);
  for (const [, file, text] of quotes) expect(text, file).toBe(read(file));
});

/** Files that the build generates and git does not contain. */
const NOT_IN_GIT = ["src/client/shapes.ts"];

describe.each(documents)("%s", (document) => {
  test("names files that exist", () => {
    for (const [, file] of prose(document).matchAll(/`((?:src|test|bench|scripts|docs)\/[\w./-]+\.[a-z]+)`/g))
      if (!NOT_IN_GIT.includes(file)) expect(existsSync(join(root, file)), file).toBe(true);
  });

  test("has only links to existing targets", () => {
    const links = [...prose(document).matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1]);
    for (const link of links.filter((one) => !/^https?:/.test(one))) {
      const [path, anchor] = link.split("#");
      const target = path === "" ? document : join(dirname(document), path);
      expect(existsSync(join(root, target)), link).toBe(true);
      if (anchor !== undefined) expect(anchorsOf(target), link).toContain(anchor);
    }
  });
});

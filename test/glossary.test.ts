/** The glossary is searchable and correct: terms are sorted and unique, and all references exist. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const text = readFileSync(join(root, "docs/glossary.md"), "utf8");
const rows = text
  .split("\n")
  .filter((line) => line.startsWith("| "))
  .slice(1)
  .filter((line) => !line.startsWith("| ---"))
  .map((line) => line.slice(2, -2).split(" | "));
const terms = rows.map(([term]) => term);

test("lists each term once, in order, with its origin", () => {
  expect(terms.length).toBeGreaterThan(150);
  const names = terms.map((term) => term.toLowerCase());
  expect(names).toEqual([...new Set(names)].sort((a, b) => (a < b ? -1 : 1)));
  // Readers must learn a project term, so the field's own word is better if there is one.
  expect(rows.filter(([, kind]) => kind === "ours").length).toBeLessThanOrEqual(30);
  for (const [term, kind, meaning] of rows) {
    expect(["protocol", "field", "ours"], term).toContain(kind);
    expect(meaning, term).toMatch(/\S/);
  }
});

test("refers only to existing files and terms", () => {
  for (const [term, , meaning, where] of rows) {
    for (const [, file] of where.matchAll(/`([^`]+)`/g))
      expect(existsSync(join(root, "src", file)), `${term}: ${file}`).toBe(true);
    for (const [, list] of meaning.matchAll(/\bsee ((?:\*[^*]+\*(?:, )?)+)/g))
      for (const [, other] of list.matchAll(/\*([^*]+)\*/g)) expect(terms, term).toContain(other);
  }
});

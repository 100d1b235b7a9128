/** The glossary can be searched and trusted: in order, each term once, and what it points to is there. */
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

test("has its terms in order, each once, and says whose each is", () => {
  expect(terms.length).toBeGreaterThan(150);
  const names = terms.map((term) => term.toLowerCase());
  expect(names).toEqual([...new Set(names)].sort((a, b) => (a < b ? -1 : 1)));
  // A term of this project has to be learned: the field's word is better wherever there is one.
  expect(rows.filter(([, whose]) => whose === "ours").length).toBeLessThanOrEqual(30);
  for (const [term, whose, meaning] of rows) {
    expect(["protocol", "field", "ours"], term).toContain(whose);
    expect(meaning, term).toMatch(/\S/);
  }
});

test("names files that exist, and points to terms that it has", () => {
  for (const [term, , meaning, where] of rows) {
    for (const [, file] of where.matchAll(/`([^`]+)`/g))
      expect(existsSync(join(root, "src", file)), `${term}: ${file}`).toBe(true);
    for (const [, list] of meaning.matchAll(/\bsee ((?:\*[^*]+\*(?:, )?)+)/g))
      for (const [, other] of list.matchAll(/\*([^*]+)\*/g)) expect(terms, term).toContain(other);
  }
});

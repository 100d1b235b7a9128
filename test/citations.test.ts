/**
 * Comments and documents cite the protocol pages by page and section ("Page 05 §18.3"). Every citation must lead to a
 * heading, and to the step or row that it names. docs/protocol/README.md explains how to read citations.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { describe, expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const pagesFolder = join(root, "docs", "protocol");

interface Page {
  readonly name: string;
  readonly text: string;
  /** By number: everything from the heading to the next one of the same level, including subsections. */
  readonly sections: ReadonlyMap<string, string>;
  /** First numbers of the rows of "part B", which only page 00 has. */
  readonly rows: ReadonlySet<string>;
}

const FENCE = /^```[\s\S]*?^```$/gm;
/** A page's title begins with its two digits, which are not a section. */
const HEADING = /^(#{1,6}) (?:([1-9]\d*(?:\.\d+)*)\.? )?.*$/gm;

function readPage(name: string, text: string): Page {
  // Blank the lines of code blocks, so that they contain no headings and positions do not change.
  const prose = text.replace(FENCE, (block) => block.replace(/[^\n]/g, " "));
  const headings = [...prose.matchAll(HEADING)].map(({ index, 1: marks, 2: number }) => ({
    index,
    rank: marks.length,
    number,
  }));
  const sections = new Map<string, string>();
  for (const [i, { index, rank, number }] of headings.entries()) {
    if (number === undefined) continue;
    const next = headings.slice(i + 1).find((heading) => heading.rank <= rank);
    sections.set(number, text.slice(index, next?.index));
  }
  const partB = text.split(/^# Part B\b/m)[1] ?? "";
  const labels = [...partB.matchAll(/^\| ([\d., ]+)[ |]/gm)].flatMap(
    (row) => row[1].match(/\d+(\.\d+)*/g) ?? [],
  );
  return { name, text, sections, rows: new Set(labels) };
}

const pages = new Map<string, Page>(
  readdirSync(pagesFolder)
    .filter((name) => /^\d\d-.*\.md$/.test(name))
    .map((name) => [name.slice(0, 2), readPage(name, readFileSync(join(pagesFolder, name), "utf8"))]),
);

interface Citation {
  /** Two digits; undefined if the page is unknown. */
  readonly page: string | undefined;
  readonly section?: string;
  /** Row of part B of page 00. */
  readonly row?: string;
  /** Numbers of steps or rows of that section. */
  readonly items?: readonly number[];
  /** Words that the section must contain. */
  readonly quoted?: string;
  /** First and last section of "§2 to §4": all numbers between them must exist, too. */
  readonly upTo?: string;
}

const NUMBER = String.raw`\d+(?:\.\d+)*`;
const ITEMS = String.raw`(?:steps?|checks?|rows?|rules?) \d+(?:(?:, | and | to )\d+)*`;
/** What can follow a section: ", step 3", " rows 3 to 9", ', "safeSum"'. */
const BEHIND = new RegExp(String.raw`^[,:]? \(?(${ITEMS}|"[^"]+")`);
const TOKEN = new RegExp(
  [
    String.raw`(?:(?<before>${ITEMS}) of )?\b[Pp]ages? (?<page>0\d)\b(?:, (?:section (?<plain>${NUMBER})|(?<dotted>\d+\.\d+(?:\.\d+)*)))?`,
    String.raw`(?<![\w.§-])(?<short>0\d)(?=,? part [AB]\b|,? §)`,
    String.raw`\bpart (?<part>[AB])\b(?:, (?:row )?(?<label>${NUMBER}))?`,
    `(?<join>(?:[-–]| to | and |, )?)§(?<section>${NUMBER})`,
    String.raw`\bBUG-(?<bug>\d+)`,
    String.raw`(?<!transactions )\b(?:[Ss]ections?|[Cc]hapters?) (?<own>${NUMBER})`,
  ].join("|"),
  "g",
);

/** Expands "steps 3 and 4" to [3, 4], and "rows 3 to 5" to [3, 4, 5]. */
function itemsOf(words: string): number[] {
  const numbers = (words.match(/\d+/g) ?? []).map(Number);
  if (!words.includes(" to ")) return numbers;
  const [first, last] = numbers;
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

/**
 * Returns the citations of a text. `home` is the page that the text belongs to: there, a section without a page means
 * that page. Elsewhere it means the page that was named last.
 */
function citationsOf(text: string, home?: string): Citation[] {
  const found: Citation[] = [];
  let page = home;
  let before: string | undefined;
  let lastEnd = -1;
  let first: string | undefined;
  for (const match of text.matchAll(TOKEN)) {
    const { groups = {}, index } = match;
    const end = index + match[0].length;
    const named = groups.page ?? groups.short;
    if (named !== undefined) {
      page = named;
      before = groups.before;
      const section = groups.plain ?? groups.dotted;
      if (section !== undefined) found.push({ page, section });
      // A whole page: "Page 04." The text after it may name a section.
      else if (groups.page !== undefined) found.push({ page });
      lastEnd = end;
      continue;
    }
    if (groups.bug !== undefined) {
      found.push({ page: "07", section: "15", quoted: `| BUG-${groups.bug} |` });
      continue;
    }
    if (groups.own !== undefined) {
      if (home !== undefined) found.push({ page: home, section: groups.own });
      continue;
    }
    if (groups.part !== undefined) {
      if (page === "00" && groups.label !== undefined) {
        found.push({ page, ...(groups.part === "A" ? { section: groups.label } : { row: groups.label }) });
      }
      lastEnd = end;
      continue;
    }
    const { section, join: glue = "" } = groups;
    // On a page, a section that follows neither a page nor another section belongs to that page.
    const follows = lastEnd === index || (lastEnd === index - 1 && glue === "");
    if (home !== undefined && !follows) page = home;
    const isRange = follows && first !== undefined && /^(?:[-–]| to )$/.test(glue);
    const behind = BEHIND.exec(text.slice(end))?.[1];
    const items = behind?.startsWith('"') === false ? behind : before;
    found.push({
      page,
      section,
      ...(isRange && { upTo: section, section: first }),
      ...(items !== undefined && { items: itemsOf(items) }),
      ...(behind?.startsWith('"') === true && { quoted: behind.slice(1, -1) }),
    });
    before = undefined;
    lastEnd = end;
    first = section;
  }
  return found;
}

/** Lists the sections in a range: "12", "15" → 12, 13, 14, 15; "8.7", "8.8" → 8.7, 8.8; "4", "6.1" → 4, 5, 6, 6.1. */
function between(first: string, last: string): string[] {
  const split = (number: string): [string, number] => {
    const at = number.lastIndexOf(".") + 1;
    return [number.slice(0, at), Number(number.slice(at))];
  };
  const [stem, from] = split(first);
  const [lastStem, to] = split(last);
  if (stem === lastStem) return Array.from({ length: to - from + 1 }, (_, i) => `${stem}${from + i}`);
  return [...between(first, last.split(".")[0]), last];
}

/** Returns what is wrong with a citation, or undefined. */
function fault(citation: Citation): string | undefined {
  const { page: number, section, row, items = [], quoted, upTo } = citation;
  const said = [number ?? "no page", section, upTo, row].filter((one) => one !== undefined).join(" ");
  const page = number === undefined ? undefined : pages.get(number);
  if (page === undefined) return `${said}: no such page`;
  if (row !== undefined && !page.rows.has(row)) return `${said}: no such row`;
  if (section === undefined) return undefined;
  const wanted = upTo === undefined ? [section] : between(section, upTo);
  if (wanted.length === 0) return `${said}: an empty range`;
  for (const one of wanted) if (!page.sections.has(one)) return `${said}: no section ${one}`;
  const text = page.sections.get(section) ?? "";
  for (const item of items) {
    if (!new RegExp(String.raw`^\s*(?:\| )?${item}(?:\. | \| )`, "m").test(text))
      return `${said}: no step ${item}`;
  }
  if (quoted !== undefined && !text.includes(quoted)) return `${said}: does not say ${quoted}`;
  return undefined;
}

/** Joins the lines of each comment or paragraph of a file. */
function flatten(path: string, text: string): string {
  const joined = /\.md$/.test(path)
    ? text.replace(/(?<!\n)\n(?!\n|[#|])/g, " ")
    : text.replace(/\n[ \t]*(?:\*(?!\/)|\/\/)/g, " ");
  return joined.replace(/[ \t]+/g, " ");
}

function list(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return list(path);
    return [path];
  });
}

const sources = ["src", "test", "bench", "scripts"]
  .flatMap((folder) => list(join(root, folder)))
  .filter((path) => /\.(?:ts|mjs|md)$/.test(path) && path !== import.meta.filename);
const documents = [
  ...["README.md", "CHANGELOG.md"].map((name) => join(root, name)),
  ...list(join(root, "docs")).filter((path) => path.endsWith(".md")),
];

interface Cited {
  readonly where: string;
  readonly citation: Citation;
}

function citedIn(paths: readonly string[]): Cited[] {
  return paths.flatMap((path) => {
    const where = relative(root, path).split(sep).join("/");
    const home = /^docs\/protocol\/(\d\d)-/.exec(where)?.[1];
    const text = readFileSync(path, "utf8");
    const prose = home === undefined ? text : text.replace(FENCE, "");
    return citationsOf(flatten(path, prose), home).map((citation) => ({ where, citation }));
  });
}

const faultsOf = (cited: readonly Cited[]): string[] =>
  cited.flatMap(({ where, citation }) => {
    const wrong = fault(citation);
    return wrong === undefined ? [] : [`${where}: ${wrong}`];
  });

describe("citations of the protocol pages", () => {
  test("in the code lead to a section", () => {
    const cited = citedIn(sources);
    expect(faultsOf(cited)).toEqual([]);
    // If the search found nothing, it would find no faults either.
    expect(cited.filter(({ citation }) => citation.section !== undefined).length).toBeGreaterThan(700);
    expect(new Set(cited.map(({ where }) => where)).size).toBeGreaterThan(200);
  });

  test("have a number after every §", () => {
    const odd = [...sources, ...documents].filter((path) => /§(?!\d)/.test(readFileSync(path, "utf8")));
    expect(odd.map((path) => relative(root, path))).toEqual([]);
  });

  test("in the documents, the pages themselves included, lead to a section", () => {
    const cited = citedIn(documents);
    expect(faultsOf(cited)).toEqual([]);
    expect(cited.length).toBeGreaterThan(350);
  });

  test("refer to pages that all exist and have sections", () => {
    expect([...pages.keys()].sort()).toEqual(["00", "01", "02", "03", "04", "05", "06", "07", "08"]);
    for (const { name, sections } of pages.values()) expect(sections.size, name).toBeGreaterThan(20);
    expect(pages.get("00")?.rows.size).toBeGreaterThan(15);
    const index = readFileSync(join(pagesFolder, "README.md"), "utf8");
    for (const { name } of pages.values()) expect(index).toContain(`](${name})`);
  });

  test("keep their numbers when a section is removed", () => {
    const chapters = (page: string) =>
      [...(pages.get(page)?.sections.keys() ?? [])].filter((number) => !number.includes(".")).map(Number);
    for (const page of ["01", "02", "03", "04", "05", "06", "07", "08"]) {
      const numbers = chapters(page);
      expect(numbers, page).toEqual(numbers.map((_, i) => i + 1));
    }
  });
});

describe("the check of citations", () => {
  test.each<[string, Citation[]]>([
    ["Page 05 §18.3.", [{ page: "05" }, { page: "05", section: "18.3" }]],
    ["Page 01.", [{ page: "01" }]],
    ["as 07 §3.2 says", [{ page: "07", section: "3.2" }]],
    [
      "page 03 §12.2, §12.3",
      [{ page: "03" }, { page: "03", section: "12.2" }, { page: "03", section: "12.3" }],
    ],
    [
      "Page 03 §12 to §15, page 05 §23.",
      [
        { page: "03" },
        { page: "03", section: "12" },
        { page: "03", section: "12", upTo: "15" },
        { page: "05" },
        { page: "05", section: "23" },
      ],
    ],
    [
      "06 §8.7-§8.8",
      [
        { page: "06", section: "8.7" },
        { page: "06", section: "8.7", upTo: "8.8" },
      ],
    ],
    ["00, part B, row 5", [{ page: "00", row: "5" }]],
    ["Page 00, part A, 4.3. */", [{ page: "00" }, { page: "00", section: "4.3" }]],
    ["page 05, 23.8: that", [{ page: "05", section: "23.8" }]],
    ["page 03, section 2. Blocks", [{ page: "03", section: "2" }]],
    ["Page 05 §5, step 8.", [{ page: "05" }, { page: "05", section: "5", items: [8] }]],
    ["Page 03 §12.4 rows 3 to 5.", [{ page: "03" }, { page: "03", section: "12.4", items: [3, 4, 5] }]],
    ["steps 3 and 4 of page 05 §24.2", [{ page: "05" }, { page: "05", section: "24.2", items: [3, 4] }]],
    ['Page 05 §1, "safeSum".', [{ page: "05" }, { page: "05", section: "1", quoted: "safeSum" }]],
    [
      "07 §15, BUG-18",
      [
        { page: "07", section: "15" },
        { page: "07", section: "15", quoted: "| BUG-18 |" },
      ],
    ],
    [
      "Page 07 §10. And later: §10.1",
      [{ page: "07" }, { page: "07", section: "10" }, { page: "07", section: "10.1" }],
    ],
    ["§3 of nothing", [{ page: undefined, section: "3" }]],
    ["section 3 of a chapter, 2 pages, part B", []],
  ])("reads %j", (text, expected) => {
    expect(citationsOf(text)).toEqual(expected);
  });

  test("reads a section without a page as one of the current page", () => {
    expect(citationsOf("as 05 §12, §13 say; §2 and section 4.1", "02")).toEqual([
      { page: "05", section: "12" },
      { page: "05", section: "13" },
      { page: "02", section: "2" },
      { page: "02", section: "4.1" },
    ]);
  });

  test("joins the lines of a comment and of a paragraph", () => {
    expect(flatten("a.ts", "/** what (page 05\n * §10.7)\n */")).toContain("(page 05 §10.7)");
    expect(flatten("a.ts", "// page 05\n  // §10.7")).toContain("page 05 §10.7");
    expect(flatten("a.md", "page 05\n§10.7\n\npage 06\n| §1 |")).toContain(
      "page 05 §10.7\n\npage 06\n| §1 |",
    );
  });

  test.each<[string, string]>([
    ["Page 09 §1", "no such page"],
    ["§1", "no such page"],
    ["Page 05 §99", "no section 99"],
    ["Page 05 §18.9", "no section 18.9"],
    ["Page 03 §19 to §25", "no section 21"],
    ["Page 03 §15 to §12", "empty range"],
    ["Page 05 §5, step 12", "no step 12"],
    ["step 9 of page 05 §24.2", "no step 9"],
    ["Page 00, part B, row 77", "no such row"],
    ["Page 00, part A, 4.77", "no section 4.77"],
    ['Page 05 §1, "nonsense"', "does not say nonsense"],
    ["Page 07 §15, BUG-99", "does not say | BUG-99 |"],
  ])("finds fault with %j", (text, expected) => {
    const faults = citationsOf(text).flatMap((citation) => fault(citation) ?? []);
    expect(faults.join()).toContain(expected);
  });

  test("lists the sections between two others", () => {
    expect(between("12", "15")).toEqual(["12", "13", "14", "15"]);
    expect(between("8.7", "8.8")).toEqual(["8.7", "8.8"]);
    expect(between("4", "6.1")).toEqual(["4", "5", "6", "6.1"]);
    expect(between("4", "3")).toEqual([]);
  });

  test("reads headings outside code blocks, with their content", () => {
    const page = readPage(
      "x.md",
      "# 1. A\na\n## 1.1 B\nb\n```\n# 7. no\n```\n# Part B\n| 4.3 c | x |\n| 2.2, 2.6 `d` | y |\n# 2 C\nc",
    );
    expect([...page.sections.keys()]).toEqual(["1", "1.1", "2"]);
    expect(page.sections.get("1")).toContain("# 7. no");
    expect(page.sections.get("1.1")).not.toContain("a\n");
    expect([...page.rows]).toEqual(["4.3", "2.2", "2.6"]);
  });
});

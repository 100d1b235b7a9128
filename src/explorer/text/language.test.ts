import { afterEach, describe, expect, test, vi } from "vitest";
import * as dutch from "../dutch.ts";

/** Modules with English catalogues, by path. */
const english = import.meta.glob<Readonly<Record<string, unknown>>>("../**/{texts,common-texts}.ts", {
  eager: true,
});

/** The `{slots}` of all texts below a value, by path. */
function slotsOf(value: unknown, path = ""): readonly string[] {
  if (typeof value === "string") return (value.match(/\{\w+\}/g) ?? []).sort().map((slot) => path + slot);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => slotsOf(member, `${path}.${name}`));
}

test("Dutch texts have the slots of the English ones", () => {
  const catalogues = Object.assign({}, ...Object.values(english));
  expect(Object.keys(dutch).sort()).toEqual(Object.keys(catalogues).sort());
  expect(slotsOf(dutch).toSorted()).toEqual(slotsOf(catalogues).toSorted());
});

test("what a node names in English is translated by its code", () => {
  const { nodeTexts, shellTexts, describeTexts } = dutch;
  expect(nodeTexts.features.name(11, "Sponsorship Transaction")).toBe("Sponsoring");
  expect(nodeTexts.features.name(16, "Titanium")).toBe("Titanium");
  expect(shellTexts.reason("alone", "No peer is connected.")).toBe("Er is geen peer verbonden.");
  expect(describeTexts.wrongJson("")).toBe("de JSON past niet bij het transactietype");
});

/** Imports modules in a browser with this stored choice and these preferences. */
async function inBrowser(stored: string | null, languages: readonly string[]) {
  vi.resetModules();
  vi.stubGlobal("document", {});
  vi.stubGlobal("localStorage", { getItem: () => stored });
  vi.stubGlobal("navigator", { languages });
  const { setCatalogues } = await import("./catalogue.ts");
  const { language } = await import("./language.ts");
  if (language === "nl") setCatalogues(await import("../dutch.ts"));
  const [text, { parseTokens }, { commonTexts }] = await Promise.all([
    import("./text.ts"),
    import("./amounts.ts"),
    import("./common-texts.ts"),
  ]);
  return { language, text, parseTokens, commonTexts };
}

describe("the language", () => {
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.resetModules();
  });

  test.each([
    [null, ["de-DE", "nl-BE", "en"], "nl"],
    [null, ["fr", "en-US", "nl"], "en"],
    [null, [], "en"],
    ["nl", ["en-GB"], "nl"],
    ["xx", ["nl"], "nl"],
  ])("with choice %s and preferences %j is %s", async (stored, languages, expected) => {
    expect((await inBrowser(stored, languages)).language).toBe(expected);
  });

  test("sets the texts, numbers, dates and durations", async () => {
    const { text, parseTokens, commonTexts } = await inBrowser("nl", []);
    expect(commonTexts.transactions).toBe("Transacties");
    expect(text.numberText(12_345n)).toBe("12.345");
    expect(text.numberText(2.56, 1)).toBe("2,6");
    expect(text.amountText(125_050_000_000n)).toBe("1.250,5");
    expect(text.timeText(1_777_000_000_000n)).toContain("apr 2026");
    expect(text.ageText(0, 7_500_000)).toBe("2 u 5 min geleden");
    expect(text.ageText(400 * 86_400_000, 0)).toBe("over 1 j 35 d");
    expect(text.sizeText(1_449)).toBe("1,4 kB");
    expect(text.percentText(0.056)).toBe("5,6 %");
    expect(parseTokens("1.250,5")).toBe(125_050_000_000n);
    expect(parseTokens("1250.5", "en")).toBe(125_050_000_000n);
    // Could be meant in English.
    for (const amount of ["1.250", "1250.5", "1,250.5"]) expect(() => parseTokens(amount)).toThrow("komma");
  });
});

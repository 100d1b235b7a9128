import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { accentOf, backgrounds, contrast, MIN_CONTRAST } from "./accent.ts";

const chainIds = Array.from({ length: 256 }, (_, i) => i);

test("computes the WCAG contrast ratio", () => {
  expect(contrast("#000000", "#ffffff")).toBeCloseTo(21, 5);
  expect(contrast("#ffffff", "#ffffff")).toBe(1);
  expect(contrast("#777777", "#ffffff")).toBeCloseTo(4.48, 2);
  expect(contrast("#ffffff", "#777777")).toBeCloseTo(4.48, 2);
});

test.each(["dark", "light"] as const)(
  "every network's accent is readable on every background, %s",
  (theme) => {
    for (const chainId of chainIds)
      for (const background of backgrounds[theme])
        expect(
          contrast(accentOf(chainId, theme), background),
          `${chainId} on ${background}`,
        ).toBeGreaterThanOrEqual(MIN_CONTRAST);
  },
);

test("networks have different accents", () => {
  for (const theme of ["dark", "light"] as const) {
    const known = ["T", "L", "Z"].map((letter) => accentOf(letter.charCodeAt(0), theme));
    expect(new Set(known).size).toBe(3);
    expect(new Set(chainIds.map((id) => accentOf(id, theme))).size).toBeGreaterThan(200);
  }
});

/** Returns the light and the dark value of a CSS token. */
function coloursOf(css: string, name: string): Record<"light" | "dark", string> {
  const [, light, dark] = new RegExp(`--${name}: light-dark\\((#\\w{6}), (#\\w{6})\\)`).exec(css) ?? [];
  return { light, dark };
}

test("text colours are readable on every background", () => {
  const css = readFileSync(join(import.meta.dirname, "..", "style", "tokens.css"), "utf8");
  for (const theme of ["light", "dark"] as const) {
    expect(backgrounds[theme]).toEqual(["page", "panel"].map((name) => coloursOf(css, name)[theme]));
    for (const name of ["text", "quiet", "wrong", "unsettled", "right"])
      for (const background of backgrounds[theme])
        expect(contrast(coloursOf(css, name)[theme], background), `${name}, ${theme}`).toBeGreaterThanOrEqual(
          MIN_CONTRAST,
        );
  }
});

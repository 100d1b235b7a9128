/** The colours of charts, as people with and without colour blindness see them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const css = readFileSync(join(import.meta.dirname, "tokens.css"), "utf8");

type Rgb = readonly number[];

/** Linear RGB of a variable, light and dark. */
function colours(name: string): readonly [Rgb, Rgb] {
  const found = new RegExp(`--${name}: light-dark\\(#(\\w{6}), #(\\w{6})\\)`).exec(css);
  if (found === null) throw new Error(`--${name} has no two colours`);
  const linear = (hex: string): Rgb =>
    [0, 2, 4].map((at) => {
      const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
  return [linear(found[1]), linear(found[2])];
}

const dot = (a: Rgb, b: Rgb): number => a.reduce((sum, value, i) => sum + value * b[i], 0);

/** Machado, Oliveira, Fernandes (2009), severity 1. */
const VISIONS: Readonly<Record<string, readonly Rgb[]>> = {
  full: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

/** OKLab. */
function perceived(rgb: Rgb, vision: readonly Rgb[]): Rgb {
  const seen = vision.map((row) => Math.min(1, Math.max(0, dot(row, rgb))));
  const cones = [
    [0.4122214708, 0.5363325363, 0.0514459929],
    [0.2119034982, 0.6806995451, 0.1073969566],
    [0.0883024619, 0.2817188376, 0.6299787005],
  ].map((row) => Math.cbrt(dot(row, seen)));
  return [
    [0.2104542553, 0.793617785, -0.0040720468],
    [1.9779984951, -2.428592205, 0.4505937099],
    [0.0259040371, 0.7827717662, -0.808675766],
  ].map((row) => dot(row, cones));
}

/** WCAG. */
function contrast(a: Rgb, b: Rgb): number {
  const [low, high] = [a, b].map((rgb) => dot([0.2126, 0.7152, 0.0722], rgb)).sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

test.each([
  ["light", 0],
  ["dark", 1],
] as const)("series of charts differ in the %s theme", (_, theme) => {
  const panel = colours("panel")[theme];
  const tones = [1, 2, 3, 4, 5, 6].map((i) => colours(`tone-${i}`)[theme]);
  for (const tone of tones) expect(contrast(tone, panel)).toBeGreaterThan(3);
  for (const [name, vision] of Object.entries(VISIONS)) {
    for (const [i, a] of tones.entries()) {
      for (const [j, b] of tones.slice(0, i).entries()) {
        const difference = Math.hypot(
          ...perceived(a, vision).map((value, k) => value - perceived(b, vision)[k]),
        );
        // The palette of Okabe and Ito has 0.08.
        expect(difference, `${name}: ${i + 1} and ${j + 1}`).toBeGreaterThan(0.1);
      }
    }
  }
});

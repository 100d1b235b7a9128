/** Derives each network's accent colour from its chain id. */

type Theme = "dark" | "light";

/** Colours of page and panels in `style/tokens.css`. */
export const backgrounds: Readonly<Record<Theme, readonly string[]>> = {
  light: ["#f6f7f9", "#ffffff"],
  dark: ["#0f1317", "#171c22"],
};

/** Required by WCAG 2.2, 1.4.3. */
export const MIN_CONTRAST = 4.5;

type Rgb = readonly [number, number, number];

function fromHex(hex: string): Rgb {
  const value = Number.parseInt(hex.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

function fromHsl(hue: number, saturation: number, lightness: number): Rgb {
  const chroma = saturation * Math.min(lightness, 1 - lightness);
  const channel = (n: number): number => {
    const k = (n + hue / 30) % 12;
    return Math.round(255 * (lightness - chroma * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
  };
  return [channel(0), channel(8), channel(4)];
}

const toHex = (rgb: Rgb): string =>
  `#${rgb.map((channel) => channel.toString(16).padStart(2, "0")).join("")}`;

/** Defined in WCAG 2.2, 0 to 1. */
function luminance(rgb: Rgb): number {
  const [red, green, blue] = rgb.map((channel) => {
    const share = channel / 255;
    return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Defined in WCAG 2.2, 1 to 21. @param a `#rrggbb` @param b `#rrggbb` */
export function contrast(a: string, b: string): number {
  const [low, high] = [luminance(fromHex(a)), luminance(fromHex(b))].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

/** Degrees between neighbouring chain ids: the golden angle. */
const HUE_STEP = 137.508;
/** In degrees. Red marks errors, amber marks unconfirmed data. */
const RESERVED_HUES = { from: 330, to: 60 };

/** In degrees. */
function hueOf(chainId: number): number {
  const usableDegrees = RESERVED_HUES.from - RESERVED_HUES.to;
  return RESERVED_HUES.to + (((chainId * HUE_STEP) % 360) / 360) * usableDegrees;
}

/**
 * A colour that is readable on all backgrounds of a theme.
 * @param chainId 0 to 255
 * @returns `#rrggbb`
 */
export function accentOf(chainId: number, theme: Theme): string {
  const hue = hueOf(chainId);
  const isDark = theme === "dark";
  for (let step = 0; ; step++) {
    const lightness = isDark ? 0.6 + step * 0.02 : 0.42 - step * 0.02;
    const colour = toHex(fromHsl(hue, isDark ? 0.7 : 0.75, Math.min(1, Math.max(0, lightness))));
    if (backgrounds[theme].every((background) => contrast(colour, background) >= MIN_CONTRAST)) return colour;
  }
}

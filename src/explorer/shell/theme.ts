/** Dark or light: as the system has it, or as the reader has chosen, which this browser remembers. */
import { type ReadonlySignal, signal } from "@preact/signals";
import { accentOf } from "./accent.ts";

export type ThemeChoice = "system" | "dark" | "light";

const KEY = "holdfast-theme";
const next: Readonly<Record<ThemeChoice, ThemeChoice>> = { system: "dark", dark: "light", light: "system" };

const chosen = signal<ThemeChoice>("system");
const painted = signal(0);

/** What was chosen. */
export const themeChoice: ReadonlySignal<ThemeChoice> = chosen;

/** Changes with every change of colours, for what is drawn on a canvas. */
export const paint: ReadonlySignal<number> = painted;

/** What the browser remembers; one that is not to remember anything throws. */
function remembered(): ThemeChoice {
  try {
    const text = localStorage.getItem(KEY);
    return text === "dark" || text === "light" ? text : "system";
  } catch {
    return "system";
  }
}

function apply(choice: ThemeChoice): void {
  chosen.value = choice;
  const { dataset } = document.documentElement;
  if (choice === "system") delete dataset.theme;
  else dataset.theme = choice;
  painted.value = painted.peek() + 1;
}

/** Takes up what was chosen before. To be called once, before anything is drawn. */
export function startTheme(): void {
  apply(remembered());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    painted.value = painted.peek() + 1;
  });
}

/** From the system's to dark to light to the system's. */
export function switchTheme(): void {
  const choice = next[chosen.value];
  apply(choice);
  try {
    if (choice === "system") localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, choice);
  } catch {
    // A browser that is not to remember anything: it holds until the page is left.
  }
}

/** Gives the page the colour of its network. */
export function paintNetwork(chainId: number): void {
  const { style } = document.documentElement;
  style.setProperty("--accent-light", accentOf(chainId, "light"));
  style.setProperty("--accent-dark", accentOf(chainId, "dark"));
  painted.value = painted.peek() + 1;
}

/** The theme: the system's, or the user's choice, which the browser stores. */
import { type ReadonlySignal, signal } from "@preact/signals";
import { accentOf } from "./accent.ts";

type ThemeChoice = "system" | "dark" | "light";

const KEY = "holdfast-theme";
const next: Readonly<Record<ThemeChoice, ThemeChoice>> = { system: "dark", dark: "light", light: "system" };

const chosen = signal<ThemeChoice>("system");
const painted = signal(0);

export const themeChoice: ReadonlySignal<ThemeChoice> = chosen;

/** Changes with the colours, for canvas drawings. */
export const paint: ReadonlySignal<number> = painted;

/** Storage access can throw. */
function storedChoice(): ThemeChoice {
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

/** Call it once before rendering. */
export function startTheme(): void {
  apply(storedChoice());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    painted.value = painted.peek() + 1;
  });
}

export function switchTheme(): void {
  const choice = next[chosen.value];
  apply(choice);
  try {
    if (choice === "system") localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, choice);
  } catch {
    // Without storage the choice lasts until the page is closed.
  }
}

export function paintNetwork(chainId: number): void {
  const { style } = document.documentElement;
  style.setProperty("--accent-light", accentOf(chainId, "light"));
  style.setProperty("--accent-dark", accentOf(chainId, "dark"));
  painted.value = painted.peek() + 1;
}

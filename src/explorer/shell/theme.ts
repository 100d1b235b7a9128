/** The colour theme follows the system, or the user's choice, which the browser stores. */
import { type ReadonlySignal, signal } from "@preact/signals";
import { accentOf } from "./accent.ts";

type ThemeChoice = "system" | "dark" | "light";

const STORAGE_KEY = "holdfast-theme";
const nextChoice: Readonly<Record<ThemeChoice, ThemeChoice>> = {
  system: "dark",
  dark: "light",
  light: "system",
};

const chosen = signal<ThemeChoice>("system");
const version = signal(0);

export const themeChoice: ReadonlySignal<ThemeChoice> = chosen;

/** Changes when colours change. */
export const colourVersion: ReadonlySignal<number> = version;

/** Returns `system` without a stored choice, or if the browser denies access to its storage. */
function storedChoice(): ThemeChoice {
  try {
    const text = localStorage.getItem(STORAGE_KEY);
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
  version.value = version.peek() + 1;
}

/** Must be called once, before rendering. */
export function startTheme(): void {
  apply(storedChoice());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    version.value = version.peek() + 1;
  });
}

export function switchTheme(): void {
  const choice = nextChoice[chosen.value];
  apply(choice);
  try {
    if (choice === "system") localStorage.removeItem(STORAGE_KEY);
    else localStorage.setItem(STORAGE_KEY, choice);
  } catch {
    // The choice then lasts until the page is closed.
  }
}

export function applyNetworkAccent(chainId: number): void {
  const { style } = document.documentElement;
  style.setProperty("--accent-light", accentOf(chainId, "light"));
  style.setProperty("--accent-dark", accentOf(chainId, "dark"));
  version.value = version.peek() + 1;
}

/** The colour theme follows the system, or the user's choice, which the browser stores. */
import { type ReadonlySignal, signal } from "@preact/signals";
import { readStored, storeForNode } from "../data/storage.ts";
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

function apply(choice: ThemeChoice): void {
  chosen.value = choice;
  const { dataset } = document.documentElement;
  if (choice === "system") delete dataset.theme;
  else dataset.theme = choice;
  version.value = version.peek() + 1;
}

/** Must be called once, before rendering. */
export function startTheme(): void {
  const stored = readStored(STORAGE_KEY);
  apply(stored === "dark" || stored === "light" ? stored : "system");
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    version.value = version.peek() + 1;
  });
}

export function switchTheme(): void {
  const choice = nextChoice[chosen.value];
  apply(choice);
  storeForNode(STORAGE_KEY, choice === "system" ? undefined : choice);
}

const coloursOf = (chainId: number) => ({
  "--accent-light": accentOf(chainId, "light"),
  "--accent-dark": accentOf(chainId, "dark"),
});

/** The CSS rule of `applyNetworkAccent`. */
export function networkColours(chainId: number): string {
  const members = Object.entries(coloursOf(chainId)).map(([name, colour]) => `${name}:${colour}`);
  return `:root{${members.join(";")}}`;
}

export function applyNetworkAccent(chainId: number): void {
  const { style } = document.documentElement;
  for (const [name, colour] of Object.entries(coloursOf(chainId))) style.setProperty(name, colour);
  version.value = version.peek() + 1;
}

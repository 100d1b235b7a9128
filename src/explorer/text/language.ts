/** The language of the page: the user's choice, which the browser stores, or the browser's preference. */

import { readStored, storeForNode } from "../data/storage.ts";

/** Each language in its own words. */
export const LANGUAGES = { en: "English", nl: "Nederlands" } as const;
export type Language = keyof typeof LANGUAGES;

const STORAGE_KEY = "holdfast-language";

/** For tags such as `nl-BE`; undefined if the page has no such language. */
const languageOf = (tag: string): Language | undefined =>
  Object.keys(LANGUAGES).find((name): name is Language => name === tag.toLowerCase().split("-")[0]);

function chooseLanguage(): Language {
  // The node has one file for each language.
  if (typeof document === "undefined") return import.meta.url.endsWith("/nl.js") ? "nl" : "en";
  const tags = [readStored(STORAGE_KEY) ?? "", ...navigator.languages];
  return tags.map(languageOf).find((language) => language !== undefined) ?? "en";
}

/** Constant, since a switch reloads the page. */
export const language: Language = chooseLanguage();

/** Of numbers and dates. */
export const LOCALE: string = { en: "en-GB", nl: "nl-NL" }[language];

export function switchLanguage(next: Language): void {
  storeForNode(STORAGE_KEY, next);
  window.location.reload();
}

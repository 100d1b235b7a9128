/** The browser stores recent searches. */
import type { Answer, Client } from "../../client/index.ts";
import { readStoredJson, store } from "../data/storage.ts";
import { addressLink, anchorLink, blockLink, identityLink, searchLink, transactionLink } from "../links.ts";

export type Suggestion =
  | Answer<"GET /suggestions/:text">[number]
  | { readonly kind: "recent"; readonly text: string };

const MIN_PREFIX_LENGTH = 6;
const MAX_PREFIX_LENGTH = 100;

/** Empty if the node fails. */
export async function loadSuggestions(client: Client, text: string): Promise<readonly Suggestion[]> {
  const start = text.trim();
  const isUseful = /^\d{1,9}$/.test(start) || start.length >= MIN_PREFIX_LENGTH;
  if (!isUseful || start.length > MAX_PREFIX_LENGTH) return [];
  return client.call("GET /suggestions/:text", { params: { text: start } }).catch(() => []);
}

const links: Readonly<Record<Suggestion["kind"] | "hash", (text: string) => string>> = {
  height: blockLink,
  block: blockLink,
  transaction: transactionLink,
  address: addressLink,
  did: identityLink,
  hash: anchorLink,
  recent: searchLink,
};

export const resultLink = (result: { readonly kind: keyof typeof links; readonly text: string }): string =>
  links[result.kind](result.text);

const STORAGE_KEY = "holdfast-searches";
const MAX_RECENT = 8;
const MAX_RECENT_LENGTH = 200;

/** Newest first. */
export function recentSearches(): readonly Suggestion[] {
  const stored = readStoredJson(STORAGE_KEY);
  const texts = Array.isArray(stored) ? stored.filter((text) => typeof text === "string") : [];
  return texts.slice(0, MAX_RECENT).map((text) => ({ kind: "recent", text }));
}

export function rememberSearch(text: string): void {
  const others = recentSearches().map((recent) => recent.text);
  const texts = [text.slice(0, MAX_RECENT_LENGTH), ...others.filter((other) => other !== text)];
  store(STORAGE_KEY, JSON.stringify(texts.slice(0, MAX_RECENT)));
}

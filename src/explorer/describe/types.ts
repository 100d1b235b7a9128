/** Sentences about transactions: texts and values. */
import { countText } from "../text/text.ts";
import type { Value } from "./value.ts";

export type SentencePart = string | Value;

export type Members = Readonly<Partial<Record<string, Value>>>;

/** Template tag: a flat list of texts and values, without undefined values. */
export function sentence(
  texts: TemplateStringsArray,
  ...values: readonly (SentencePart | readonly SentencePart[] | undefined)[]
): readonly SentencePart[] {
  return texts.flatMap((text, i) => [text, values[i] ?? ""].flat()).filter((part) => part !== "");
}

/** Shows a single address or hash, otherwise the number of items. */
export function countItems(list: Value | undefined, singular: string, plural?: string): SentencePart {
  const items = list?.kind === "list" ? list.items : [];
  const [first] = items;
  if (items.length === 1 && (first.kind === "address" || first.kind === "hash")) return first;
  return countText(items.length, singular, plural);
}

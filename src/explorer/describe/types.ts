/** Values of transactions, and sentences about them. */
import { countText } from "../text/text.ts";

export type Value =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "number"; readonly number: bigint; readonly name?: string | undefined }
  | { readonly kind: "boolean"; readonly value: boolean }
  /** In 10^-8 tokens. */
  | { readonly kind: "amount"; readonly amount: bigint }
  /** In ms since 1970. */
  | { readonly kind: "time"; readonly time: bigint }
  | { readonly kind: "address"; readonly address: string }
  | { readonly kind: "block"; readonly id: string }
  | { readonly kind: "height"; readonly height: number }
  | { readonly kind: "transaction"; readonly id: string }
  | { readonly kind: "hash" | "bytes" | "signature"; readonly base58: string }
  | { readonly kind: "key"; readonly keyType: string; readonly base58: string }
  /** Without the prefix `base64:`. */
  | { readonly kind: "script" | "binary"; readonly base64: string }
  | { readonly kind: "certificate"; readonly pem: string }
  /** Data entry. */
  | { readonly kind: "entry"; readonly key: string; readonly value: Value }
  /** Of a mapped anchor. */
  | { readonly kind: "pair"; readonly key: Value; readonly value: Value }
  | { readonly kind: "list"; readonly items: readonly Value[] }
  | { readonly kind: "object"; readonly members: readonly Detail[] }
  | { readonly kind: "none" };

export interface Detail {
  readonly name: string;
  readonly label: string;
  readonly value: Value;
  /** Name of the field in the transaction's bytes that contains the value. */
  readonly field?: string | undefined;
}

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

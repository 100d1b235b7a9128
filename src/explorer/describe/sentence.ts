/** A transaction as one sentence: action, place and fee. */
import { MAX_FORK_DEPTH } from "../../client/anchor-verdict.ts";
import { countText } from "../text/measures.ts";
import { definitionOfShown, type ShownTransaction, transactionDetails, typeNameOf } from "./details.ts";
import { describeTexts as texts } from "./texts.ts";
import type { Value } from "./value.ts";

export type SentencePart = string | Value;

export type TransactionState =
  /** In the pool. */
  | { readonly state: "waiting" }
  /** Its block was reverted, and it is in no other block. */
  | { readonly state: "reverted" }
  | { readonly state: "in a block"; readonly height: number; readonly tip: number };

type Finality = "liquid" | "confirmed" | "final";

/** The newest block can still change; blocks below the fork limit are final. */
export function finalityOf(height: number, tip: number): Finality {
  // Every chain of the network has the same first block.
  if (height === 1) return "final";
  if (tip <= height) return "liquid";
  return tip - height < MAX_FORK_DEPTH ? "confirmed" : "final";
}

/** The single element if it is meaningful alone, otherwise the number of elements. */
function listParts(items: readonly Value[], one: string, many: string): SentencePart[] {
  const [first] = items;
  if (items.length === 1 && (first.kind === "address" || first.kind === "hash")) return [first];
  return [countText(items.length, one, many)];
}

/** Fills in a template of a type definition (`summary` in `src/transactions/aspects.ts`). */
export function fillTemplate(
  template: string,
  values: Readonly<Record<string, Value | undefined>>,
): SentencePart[] {
  const shown = (name: string): Value | undefined => {
    const value = values[name];
    return value === undefined || value.kind === "none" ? undefined : value;
  };
  const parts: SentencePart[] = [];
  const slots = (text: string): SentencePart[] | undefined => {
    const found: SentencePart[] = [];
    for (const piece of text.split(/(\{[^{}]*\})/)) {
      if (!piece.startsWith("{")) {
        if (piece !== "") found.push(piece);
        continue;
      }
      const [name, one = "", many = `${one}s`] = piece.slice(1, -1).split("|");
      const value = shown(name);
      if (value === undefined) return undefined;
      if (value.kind === "list") found.push(...listParts(value.items, one, many));
      else found.push(value);
    }
    return found;
  };
  for (const piece of template.split(/(\[[^[\]]*\])/)) {
    if (!piece.startsWith("[")) {
      parts.push(...(slots(piece) ?? []));
      continue;
    }
    // A bar inside braces belongs to the slot.
    const [, then, otherwise = ""] = /^((?:\{[^{}]*\}|[^|{}])*)(?:\|(.*))?$/.exec(piece.slice(1, -1)) ?? [];
    parts.push(...((then === undefined ? undefined : slots(then)) ?? slots(otherwise) ?? []));
  }
  return parts;
}

/** "3QXw… leased 100 to 3QV4…". */
export function actionOf(shown: ShownTransaction): readonly SentencePart[] {
  const values = Object.fromEntries(transactionDetails(shown).map(({ name, value }) => [name, value]));
  return fillTemplate(definitionOfShown(shown)?.summary ?? texts.action(typeNameOf(shown)), values);
}

function placeTemplate(place: TransactionState): string {
  if (place.state !== "in a block") return texts[place.state];
  const { height, tip } = place;
  const finality = finalityOf(height, tip);
  return finality === "confirmed" ? texts.confirmed(tip - height, MAX_FORK_DEPTH) : texts[finality];
}

/** Returns the sentence without a full stop. */
export function sentenceOf(shown: ShownTransaction, place: TransactionState): readonly SentencePart[] {
  const { fee, effectiveFee, effectiveSponsor, sponsor, sender } = shown;
  const payer = typeof effectiveSponsor === "string" ? effectiveSponsor : sponsor;
  const template = placeTemplate(place) + (sender === undefined ? "" : texts.fee);
  return [
    ...actionOf(shown),
    ...fillTemplate(template, {
      height: place.state === "in a block" ? { kind: "height", height: place.height } : undefined,
      amount: { kind: "amount", amount: typeof effectiveFee === "bigint" ? effectiveFee : fee },
      payer: payer === undefined ? undefined : { kind: "address", address: payer },
    }),
  ];
}

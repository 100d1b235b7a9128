import { MAX_FORK_DEPTH } from "../../client/anchor-verdict.ts";
import { countText } from "../text/measures.ts";
import { definitionOfShown, type ShownTransaction, transactionDetails, typeNameOf } from "./details.ts";
import { describeTexts as texts } from "./texts.ts";
import type { Value } from "./value.ts";

export type SentencePart = string | Value;

export type TransactionState =
  | { readonly state: "waiting" }
  /** The block was reverted. */
  | { readonly state: "reverted" }
  | { readonly state: "in a block"; readonly height: number; readonly tip: number };

type Finality = "liquid" | "confirmed" | "final";

/** A `liquid` block can change; a fork can revert a `confirmed` one. */
export function finalityOf(height: number, tip: number): Finality {
  // All nodes of a network have the same first block.
  if (height === 1) return "final";
  if (tip <= height) return "liquid";
  return tip - height < MAX_FORK_DEPTH ? "confirmed" : "final";
}

function listParts(items: readonly Value[], singular: string, plural: string): SentencePart[] {
  const [first] = items;
  if (items.length === 1 && (first.kind === "address" || first.kind === "hash")) return [first];
  return [countText(items.length, singular, plural)];
}

/**
 * `{name}` is a value, `{name|singular|plural}` a list. `[text|alternative]` is `alternative` if a value is missing.
 */
export function fillTemplate(
  template: string,
  values: Readonly<Record<string, Value | undefined>>,
): SentencePart[] {
  const slotValue = (name: string): Value | undefined => {
    const value = values[name];
    return value === undefined || value.kind === "none" ? undefined : value;
  };
  const parts: SentencePart[] = [];
  const fillSlots = (text: string): SentencePart[] | undefined => {
    const filled: SentencePart[] = [];
    for (const piece of text.split(/(\{[^{}]*\})/)) {
      if (!piece.startsWith("{")) {
        if (piece !== "") filled.push(piece);
        continue;
      }
      const [name, singular = "", plural = `${singular}s`] = piece.slice(1, -1).split("|");
      const value = slotValue(name);
      if (value === undefined) return undefined;
      if (value.kind === "list") filled.push(...listParts(value.items, singular, plural));
      else filled.push(value);
    }
    return filled;
  };
  for (const piece of template.split(/(\[[^[\]]*\])/)) {
    if (!piece.startsWith("[")) {
      parts.push(...(fillSlots(piece) ?? []));
      continue;
    }
    // A bar inside braces does not begin the alternative.
    const [, content, otherwise = ""] =
      /^((?:\{[^{}]*\}|[^|{}])*)(?:\|(.*))?$/.exec(piece.slice(1, -1)) ?? [];
    parts.push(...((content === undefined ? undefined : fillSlots(content)) ?? fillSlots(otherwise) ?? []));
  }
  return parts;
}

/** Returns for example "3QXw… leased 100 to 3QV4…". */
export function actionOf(shown: ShownTransaction): readonly SentencePart[] {
  const values = Object.fromEntries(transactionDetails(shown).map(({ name, value }) => [name, value]));
  return fillTemplate(definitionOfShown(shown)?.summary ?? texts.action(typeNameOf(shown)), values);
}

function stateTemplate(state: TransactionState): string {
  if (state.state !== "in a block") return texts[state.state];
  const { height, tip } = state;
  const finality = finalityOf(height, tip);
  return finality === "confirmed" ? texts.confirmed(tip - height, MAX_FORK_DEPTH) : texts[finality];
}

export function sentenceOf(shown: ShownTransaction, state: TransactionState): readonly SentencePart[] {
  const { fee, effectiveFee, effectiveSponsor, sponsor, sender } = shown;
  const payer = typeof effectiveSponsor === "string" ? effectiveSponsor : sponsor;
  const template = stateTemplate(state) + (sender === undefined ? "" : texts.fee);
  return [
    ...actionOf(shown),
    ...fillTemplate(template, {
      height: state.state === "in a block" ? { kind: "height", height: state.height } : undefined,
      amount: { kind: "amount", amount: typeof effectiveFee === "bigint" ? effectiveFee : fee },
      payer: payer === undefined ? undefined : { kind: "address", address: payer },
    }),
  ];
}

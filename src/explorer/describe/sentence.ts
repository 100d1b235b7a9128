/** A transaction as one sentence: what it did, where it stands, and what it cost whom. */
import { MAX_FORK_DEPTH } from "../../client/anchor-verdict.ts";
import { countText } from "../text/measures.ts";
import { definitionOfShown, type ShownTransaction, transactionDetails, typeNameOf } from "./details.ts";
import type { Value } from "./value.ts";

/** A piece of a sentence: words, or a value to be drawn by its kind. */
export type SentencePart = string | Value;

/** Where a transaction is. */
export type TransactionState =
  /** It was read from the pool, and waits. */
  | { readonly state: "waiting" }
  /** It was in a block that has left the chain, and has not come back. */
  | { readonly state: "reverted" }
  | { readonly state: "in a block"; readonly height: number; readonly tip: number };

/** How certain a block is, by how many stand on it. */
type Finality = "liquid" | "confirmed" | "final";

/** What a block at a height is: the newest one is still filling, and one that forks cannot reach is final. */
export function finalityOf(height: number, tip: number): Finality {
  // Every chain of the network begins with the first one.
  if (height === 1) return "final";
  if (tip <= height) return "liquid";
  return tip - height < MAX_FORK_DEPTH ? "confirmed" : "final";
}

/** What a list is in a sentence: its one element where that says something by itself, else how many there are. */
function listParts(items: readonly Value[], one: string, many: string): SentencePart[] {
  const [first] = items;
  if (items.length === 1 && (first.kind === "address" || first.kind === "hash")) return [first];
  return [countText(items.length, one, many)];
}

/** Reads templates as the definitions of types have them (`says` of `src/transactions/aspects.ts`). */
function fillTemplate(template: string, values: ReadonlyMap<string, Value>): SentencePart[] {
  const shown = (name: string): Value | undefined => {
    const value = values.get(name);
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
    // A bar within braces belongs to these.
    const [, then, otherwise = ""] = /^((?:\{[^{}]*\}|[^|{}])*)(?:\|(.*))?$/.exec(piece.slice(1, -1)) ?? [];
    parts.push(...((then === undefined ? undefined : slots(then)) ?? slots(otherwise) ?? []));
  }
  return parts;
}

/** What a transaction of a type without words of its own did: its name, and whom it concerns. */
function fallbackTemplate(shown: ShownTransaction): string {
  return `{sender} made a ${typeNameOf(shown)} transaction[ of {amount}][ for {recipient}]`;
}

/** What it did, without where and for how much: "3QXw… leased 100 to 3QV4…". */
export function actionOf(shown: ShownTransaction): readonly SentencePart[] {
  const values = new Map(transactionDetails(shown).map(({ name, value }) => [name, value] as const));
  return fillTemplate(definitionOfShown(shown)?.summary ?? fallbackTemplate(shown), values);
}

function placeParts(place: TransactionState): SentencePart[] {
  if (place.state === "waiting") return ["; waits for a block"];
  if (place.state === "reverted") return ["; its block has left the chain, and it waits for another one"];
  const { height, tip } = place;
  const certainty = finalityOf(height, tip);
  const words = {
    liquid: ", the newest one, which can still change",
    confirmed: `, with ${countText(tip - height, "block")} upon it`,
    final: ", final",
  };
  return ["; in block ", { kind: "height", height }, words[certainty]];
}

function feeParts(shown: ShownTransaction): SentencePart[] {
  const { fee, effectiveFee, effectiveSponsor, sponsor, sender } = shown;
  if (sender === undefined) return [];
  const amount = typeof effectiveFee === "bigint" ? effectiveFee : fee;
  const payer = typeof effectiveSponsor === "string" ? effectiveSponsor : sponsor;
  const parts: SentencePart[] = ["; fee ", { kind: "amount", amount }];
  return payer === undefined ? parts : [...parts, ", paid by ", { kind: "address", address: payer }];
}

/** The whole sentence, without a full stop. */
export function sentenceOf(shown: ShownTransaction, place: TransactionState): readonly SentencePart[] {
  return [...actionOf(shown), ...placeParts(place), ...feeParts(shown)];
}

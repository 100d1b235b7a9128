import { MAX_FORK_DEPTH } from "../../client/anchor-verdict.ts";
import { type ShownTransaction, TYPE_NAMES, transactionDetails, typeNameOf } from "./details.ts";
import { describeTexts as texts } from "./texts.ts";
import type { SentencePart } from "./types.ts";

export type TransactionState =
  | { readonly state: "waiting" }
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

/** For example "3QXw… leased 100 to 3QV4…". */
export function actionOf(shown: ShownTransaction): readonly SentencePart[] {
  const details = transactionDetails(shown).filter(({ value }) => value.kind !== "none");
  const members = Object.fromEntries(details.map(({ name, value }) => [name, value]));
  const name = TYPE_NAMES[shown.type];
  return name === undefined ? texts.action(typeNameOf(shown), members) : texts.actions[name](members);
}

function stateOf(state: TransactionState): readonly SentencePart[] {
  if (state.state !== "in a block") return [texts[state.state]];
  const { height, tip } = state;
  const block = { kind: "height", height } as const;
  return finalityOf(height, tip) === "final" ? texts.final(block) : texts.notFinal(block);
}

export function sentenceOf(shown: ShownTransaction, state: TransactionState): readonly SentencePart[] {
  const { fee, effectiveFee, effectiveSponsor, sponsor, sender } = shown;
  const payer = typeof effectiveSponsor === "string" ? effectiveSponsor : sponsor;
  const amount = typeof effectiveFee === "bigint" ? effectiveFee : fee;
  return [
    ...actionOf(shown),
    ...stateOf(state),
    ...(sender === undefined
      ? []
      : texts.fee(
          { kind: "amount", amount },
          payer === undefined ? undefined : { kind: "address", address: payer },
        )),
  ];
}

import type { JSX } from "preact";
import type { CheckOutcome } from "../../check/check-outcome.ts";
import { Icon } from "../icon.tsx";
import { Sentence } from "../sentence.tsx";

const ICONS = { good: "check", waiting: "wait", bad: "cross", unknown: "wait" } as const;

export function Stamp({ outcome }: { readonly outcome: CheckOutcome }): JSX.Element {
  const { tone, stamp, sentence, advice } = outcome;
  return (
    <div class={`stamp ${tone}`}>
      <p class="mark">
        <Icon name={ICONS[tone]} /> {stamp}
      </p>
      <p class="lead">
        <Sentence parts={sentence} />
      </p>
      {advice !== "" && <p class="quiet">{advice}</p>}
    </div>
  );
}

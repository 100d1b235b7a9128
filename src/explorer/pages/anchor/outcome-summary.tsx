import type { CheckOutcome } from "../../check/check-outcome.ts";
import { Icon } from "../../parts/icon.tsx";
import { Sentence } from "../../parts/sentence.tsx";

const ICONS = { good: "check", waiting: "wait", bad: "cross", unknown: "wait" } as const;

export function OutcomeSummary({ outcome }: { readonly outcome: CheckOutcome }) {
  const { tone, title, sentence, advice } = outcome;
  return (
    <div class={`outcome-summary ${tone}`}>
      <p class="outcome-title">
        <Icon name={ICONS[tone]} /> {title}
      </p>
      <p class="lead">
        <Sentence parts={sentence} />
      </p>
      {advice !== "" && <p class="quiet">{advice}</p>}
    </div>
  );
}

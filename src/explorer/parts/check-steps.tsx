import type { CheckOutcome } from "../check/check-outcome.ts";
import type { CheckState, CheckStep } from "../check/steps.ts";
import { CopyButton } from "./copy.tsx";
import { Icon, type IconName } from "./icon.tsx";
import { Sentence } from "./sentence.tsx";
import { partTexts as texts } from "./texts.ts";
import { TruncatedText } from "./truncated-text.tsx";

const ICONS = {
  holds: "check",
  fails: "cross",
  running: "wait",
  waiting: "half",
  "left out": "half",
} as const satisfies Readonly<Record<CheckState, IconName>>;

function Step({ step }: { readonly step: CheckStep }) {
  const { title, state, findings, howTo } = step;
  const commands = howTo.commands.join("\n");
  return (
    <li class={`step ${state.replace(" ", "-")}`}>
      <Icon name={ICONS[state]} />
      <div>
        <h3>
          {title} <span class="state">{texts.steps[state]}</span>
        </h3>
        {findings.length > 0 && (
          <ul>
            {findings.map(({ text, holds }, i) => (
              <li key={i} class={holds ? undefined : "wrong"}>
                <TruncatedText text={text} />
              </li>
            ))}
          </ul>
        )}
        {state !== "waiting" && state !== "running" && (
          <details>
            <summary>{texts.steps.howTo}</summary>
            <p>{howTo.text}</p>
            <div class="copyable">
              <pre>{commands}</pre>
              <CopyButton text={commands} noun={texts.nouns.commands} />
            </div>
          </details>
        )}
      </div>
    </li>
  );
}

export function CheckSteps({ steps }: { readonly steps: readonly CheckStep[] }) {
  return (
    <ol class="check-steps bare">
      {steps.map((step) => (
        <Step key={step.name} step={step} />
      ))}
    </ol>
  );
}

const OUTCOME_ICONS = { good: "check", waiting: "wait", bad: "cross", unknown: "wait" } as const;

export function OutcomeSummary({ outcome }: { readonly outcome: CheckOutcome }) {
  const { tone, title, sentence, advice } = outcome;
  return (
    <div class={`outcome-summary ${tone}`}>
      <p class="outcome-title">
        <Icon name={OUTCOME_ICONS[tone]} /> {title}
      </p>
      <p class="lead">
        <Sentence parts={sentence} />
      </p>
      {advice !== "" && <p class="quiet">{advice}</p>}
    </div>
  );
}

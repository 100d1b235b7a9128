import type { JSX } from "preact";
import type { CheckState, CheckStep } from "../check/steps.ts";
import { Copy } from "./copy.tsx";
import { Icon } from "./icon.tsx";
import { TruncatedText } from "./truncated-text.tsx";

const SIGNS = {
  holds: ["check", "holds"],
  fails: ["cross", "does not hold"],
  running: ["wait", "is being checked"],
  waiting: ["half", "waits"],
  "left out": ["half", "was left out"],
} as const satisfies Readonly<Record<CheckState, readonly [icon: string, words: string]>>;

function Step({ step }: { readonly step: CheckStep }): JSX.Element {
  const { title, state, found, howTo } = step;
  const [icon, words] = SIGNS[state];
  const commands = howTo.commands.join("\n");
  return (
    <li class={`step ${state.replace(" ", "-")}`}>
      <Icon name={icon} />
      <div>
        <h3>
          {title} <span class="state">{words}</span>
        </h3>
        {found.length > 0 && (
          <ul>
            {found.map(({ says, holds }, i) => (
              <li key={i} class={holds ? undefined : "wrong"}>
                <TruncatedText text={says} />
              </li>
            ))}
          </ul>
        )}
        {state !== "waiting" && state !== "running" && (
          <details>
            <summary>How do I check this myself?</summary>
            <p>{howTo.says}</p>
            <div class="commands">
              <pre>{commands}</pre>
              <Copy text={commands} what="commands" />
            </div>
          </details>
        )}
      </div>
    </li>
  );
}

/** The steps of a check with results and instructions. */
export function CheckSteps({ steps }: { readonly steps: readonly CheckStep[] }): JSX.Element {
  return (
    <ol class="check-steps bare">
      {steps.map((step) => (
        <Step key={step.name} step={step} />
      ))}
    </ol>
  );
}

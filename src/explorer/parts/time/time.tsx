import type { JSX } from "preact";
import { durationText } from "../../../bytes/durations.ts";
import { ageText, isoText, timeText } from "../../text/measures.ts";
import { partTexts as texts } from "../texts.ts";
import { now } from "./now.ts";

interface TimeProps {
  /** In ms since 1970. Values out of range for dates are shown as numbers. */
  readonly at: bigint;
}

function TimeElement(props: TimeProps & { readonly text: string; readonly tooltip: string }): JSX.Element {
  const iso = isoText(props.at);
  if (iso === undefined) return <span>{timeText(props.at)}</span>;
  return (
    <time dateTime={iso} title={props.tooltip}>
      {props.text}
    </time>
  );
}

export function Time({ at }: TimeProps): JSX.Element {
  return <TimeElement at={at} text={timeText(at)} tooltip={isoText(at) ?? ""} />;
}

export function Age({ at }: TimeProps): JSX.Element {
  const text = ageText(Number(at), now.value);
  return <TimeElement at={at} text={text} tooltip={`${timeText(at)}, ${isoText(at)}`} />;
}

export function Due({ at }: TimeProps): JSX.Element {
  const delayMs = now.value - Number(at);
  return delayMs < 0 ? (
    <Age at={at} />
  ) : (
    <span class="unsettled">{texts.overdue(durationText(delayMs))}</span>
  );
}

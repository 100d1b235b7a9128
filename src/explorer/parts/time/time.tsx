import type { JSX } from "preact";
import { durationText } from "../../../bytes/durations.ts";
import { ageText, isoText, timeText } from "../../text/measures.ts";
import { partTexts as texts } from "../texts.ts";
import { now } from "./now.ts";

interface TimeProps {
  /** Time in milliseconds since 1970. A value out of range for dates is shown as a number. */
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

/** Shows a local time. The tooltip is the time in UTC. */
export function Time({ at }: TimeProps): JSX.Element {
  return <TimeElement at={at} text={timeText(at)} tooltip={isoText(at) ?? ""} />;
}

/** Shows a relative time. The tooltip is the exact time. */
export function Age({ at }: TimeProps): JSX.Element {
  const text = ageText(Number(at), now.value);
  return <TimeElement at={at} text={text} tooltip={`${timeText(at)}, ${isoText(at)}`} />;
}

/** Shows the relative time at which something, such as a block, is due, or for how long it is overdue. */
export function Due({ at }: TimeProps): JSX.Element {
  const delayMs = now.value - Number(at);
  return delayMs < 0 ? (
    <Age at={at} />
  ) : (
    <span class="unsettled">{texts.overdue(durationText(delayMs))}</span>
  );
}

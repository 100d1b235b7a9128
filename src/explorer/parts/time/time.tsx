import type { JSX } from "preact";
import { durationText } from "../../../bytes/durations.ts";
import { ageText, isoText, timeText } from "../../text/measures.ts";
import { partTexts as texts } from "../texts.ts";
import { now } from "./now.ts";

interface TimeProps {
  /** Milliseconds since 1970; shown as a number if out of range for dates. */
  readonly at: bigint;
}

function Stamped(props: TimeProps & { readonly words: string; readonly more: string }): JSX.Element {
  const iso = isoText(props.at);
  if (iso === undefined) return <span>{timeText(props.at)}</span>;
  return (
    <time dateTime={iso} title={props.more}>
      {props.words}
    </time>
  );
}

/** A local time, with UTC as its tooltip. */
export function Time({ at }: TimeProps): JSX.Element {
  return <Stamped at={at} words={timeText(at)} more={isoText(at) ?? ""} />;
}

/** A relative time, with the exact one as its tooltip. */
export function Age({ at }: TimeProps): JSX.Element {
  const words = ageText(Number(at), now.value);
  return <Stamped at={at} words={words} more={`${timeText(at)}, ${isoText(at)}`} />;
}

/** When something is due that can be late, such as a block. */
export function Due({ at }: TimeProps): JSX.Element {
  const late = now.value - Number(at);
  return late < 0 ? <Age at={at} /> : <span class="unsettled">{texts.overdue(durationText(late))}</span>;
}

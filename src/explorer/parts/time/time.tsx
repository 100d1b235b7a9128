/** Times: in the viewer's zone or as an age, exact and in UTC when one asks. */

import type { JSX } from "preact";
import { durationText } from "../../../bytes/durations.ts";
import { ageText, isoText, timeText } from "../../text/measures.ts";
import { now } from "./now.ts";

interface TimeProps {
  /** Milliseconds since 1970; what no calendar has is shown as the number that it is. */
  readonly at: bigint;
}

/** A time in words, with what it is in UTC; `title` says what the words do not. */
function Stamped(props: TimeProps & { readonly words: string; readonly more: string }): JSX.Element {
  const iso = isoText(props.at);
  if (iso === undefined) return <span>{timeText(props.at)}</span>;
  return (
    <time dateTime={iso} title={props.more}>
      {props.words}
    </time>
  );
}

/** A time in the zone of whoever looks; in UTC in its title. */
export function Time({ at }: TimeProps): JSX.Element {
  return <Stamped at={at} words={timeText(at)} more={isoText(at) ?? ""} />;
}

/** How long ago it was, or when it will be. */
export function Age({ at }: TimeProps): JSX.Element {
  const words = ageText(Number(at), now.value);
  return <Stamped at={at} words={words} more={`${timeText(at)}, ${isoText(at)}`} />;
}

/** When something is due that may be late, as a block is: made only by who is there. */
export function Due({ at }: TimeProps): JSX.Element {
  const late = now.value - Number(at);
  return late < 0 ? <Age at={at} /> : <span class="unsettled">due for {durationText(late)}</span>;
}

/** A time: in the viewer's zone, exact and in UTC when one asks. */
import type { JSX } from "preact";

const format = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });

export function Time(props: {
  /** Milliseconds since 1970. */
  readonly at: bigint;
}): JSX.Element {
  const date = new Date(Number(props.at));
  // Times that no calendar has come from the chain too.
  if (Number.isNaN(date.getTime())) return <span>{String(props.at)} ms</span>;
  const iso = date.toISOString();
  return (
    <time dateTime={iso} title={iso}>
      {format.format(date)}
    </time>
  );
}

/** A way through the versions of a document: a slider that arrow keys move too, and which version it stands at. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useId } from "preact/hooks";
import { Notice } from "../../parts/notice.tsx";
import { Time } from "../../parts/time.tsx";
import { timeText } from "../../text/measures.ts";
import type { IdentityData } from "./load.ts";

/** Which version it is, in words. */
function nameOf({ versions, total }: IdentityData, at: number): string {
  const number = total - versions.length + at + 1;
  const order = at === versions.length - 1 ? ", the newest" : number === 1 ? ", the first" : "";
  return `Version ${number.toLocaleString("en")} of ${total.toLocaleString("en")}${order}`;
}

export function Versions(props: {
  readonly data: IdentityData;
  /** Shows the version that began at a time; undefined: the newest, whatever comes. */
  readonly go: (time: bigint | undefined) => void;
}): JSX.Element {
  const { data, go } = props;
  const { versions, total, tooEarly } = data;
  const last = versions.length - 1;
  const at = useSignal(data.at);
  const label = useId();
  useEffect(() => {
    at.value = data.at;
  }, [data.at]);
  const choose = (next: number): void => {
    at.value = Math.min(Math.max(next, 0), last);
    go(at.value === last ? undefined : versions[at.value]);
  };
  const time = versions[at.value] ?? versions[last];
  return (
    <section class="panel versions stack" aria-labelledby={label}>
      <h2 id={label}>History</h2>
      {tooEarly && (
        <Notice kind="plain">
          <p>There was no such identity at that time. This is its first version.</p>
        </Notice>
      )}
      <p>
        {nameOf(data, at.value)}: from <Time at={time} />
        {at.value < last && (
          <>
            {" "}
            to <Time at={versions[at.value + 1]} />
          </>
        )}
      </p>
      {last > 0 && (
        <div class="slider">
          <button type="button" disabled={at.value === 0} onClick={() => choose(at.value - 1)}>
            Older
          </button>
          <input
            type="range"
            min={0}
            max={last}
            step={1}
            value={at.value}
            aria-label="Version"
            aria-valuetext={`${nameOf(data, at.value)}, from ${timeText(time)}`}
            onInput={({ currentTarget }) => {
              at.value = Number(currentTarget.value);
            }}
            onChange={({ currentTarget }) => choose(Number(currentTarget.value))}
          />
          <button type="button" disabled={at.value === last} onClick={() => choose(at.value + 1)}>
            Newer
          </button>
        </div>
      )}
      {versions.length < total && (
        <p class="quiet">
          The {versions.length.toLocaleString("en")} newest of them are here; a link with an earlier time
          shows the oldest of these.
        </p>
      )}
    </section>
  );
}

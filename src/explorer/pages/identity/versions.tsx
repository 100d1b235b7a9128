/** Slider through the versions of a DID document. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useId } from "preact/hooks";
import { Note } from "../../parts/notice.tsx";
import { Time } from "../../parts/time/time.tsx";
import { numberText, timeText } from "../../text/measures.ts";
import type { IdentityData } from "./load.ts";

function versionLabel({ versions, total }: IdentityData, at: number): string {
  if (at < 0) return `An earlier version than the newest ${numberText(versions.length)}`;
  const number = total - versions.length + at + 1;
  const order = at === versions.length - 1 ? ", the newest" : number === 1 ? ", the first" : "";
  return `Version ${numberText(number)} of ${numberText(total)}${order}`;
}

/** The shown version, with buttons and a slider for the others. */
export function Versions(props: {
  readonly data: IdentityData;
  /** Opens the version that began at a time; undefined follows the newest. */
  readonly go: (time: bigint | undefined) => void;
}): JSX.Element {
  const { data, go } = props;
  const { versions, older, total, isTooEarly } = data;
  const first = older === undefined ? 0 : -1;
  const last = versions.length - 1;
  const at = useSignal(data.at);
  const label = useId();
  useEffect(() => {
    at.value = data.at;
  }, [data.at]);
  const beginOf = (place: number): bigint | undefined => (place < 0 ? older?.from : versions[place]);
  const choose = (next: number): void => {
    at.value = Math.min(Math.max(next, first), last);
    go(at.value === last ? undefined : beginOf(at.value));
  };
  const time = beginOf(at.value) ?? versions[last];
  const end = at.value < 0 ? older?.to : versions[at.value + 1];
  return (
    <section class="panel versions stack" aria-labelledby={label}>
      <h2 id={label}>History</h2>
      {isTooEarly && (
        <Note kind="plain">
          There was no such identity at that time. This is{" "}
          {versions.length < total ? "the oldest of its newest versions." : "its first version."}
        </Note>
      )}
      <p>
        {versionLabel(data, at.value)}: from <Time at={time} />
        {end !== undefined && (
          <>
            {" "}
            to <Time at={end} />
          </>
        )}
      </p>
      {last > first && (
        <div class="slider">
          <button type="button" disabled={at.value === first} onClick={() => choose(at.value - 1)}>
            Older
          </button>
          <input
            type="range"
            min={first}
            max={last}
            step={1}
            value={at.value}
            aria-label="Version"
            aria-valuetext={`${versionLabel(data, at.value)}, from ${timeText(time)}`}
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
          The {numberText(versions.length)} newest of them can be gone through here; a link with an earlier
          time shows what was said then.
        </p>
      )}
    </section>
  );
}

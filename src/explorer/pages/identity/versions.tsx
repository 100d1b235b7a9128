import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useId } from "preact/hooks";
import { Note } from "../../parts/notice.tsx";
import { Time } from "../../parts/time/time.tsx";
import { fill } from "../../text/fill.ts";
import { timeText } from "../../text/measures.ts";
import type { IdentityData } from "./load.ts";
import { identityTexts } from "./texts.ts";

const { versions: texts } = identityTexts;

function versionLabel({ versions, total }: IdentityData, at: number): string {
  if (at < 0) return texts.beforeListed(versions.length);
  const number = total - versions.length + at + 1;
  const order = at === versions.length - 1 ? texts.newest : number === 1 ? texts.first : "";
  return texts.name(number, total) + order;
}

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
      <h2 id={label}>{texts.title}</h2>
      {isTooEarly && (
        <Note kind="plain">{versions.length < total ? texts.tooEarlyListed : texts.tooEarlyFirst}</Note>
      )}
      <p>
        {fill(end === undefined ? texts.from : texts.fromTo, {
          version: versionLabel(data, at.value),
          from: <Time at={time} />,
          to: end !== undefined && <Time at={end} />,
        })}
      </p>
      {last > first && (
        <div class="slider">
          <button type="button" disabled={at.value === first} onClick={() => choose(at.value - 1)}>
            {texts.older}
          </button>
          <input
            type="range"
            min={first}
            max={last}
            step={1}
            value={at.value}
            aria-label={texts.label}
            aria-valuetext={texts.sliderText(versionLabel(data, at.value), timeText(time))}
            onInput={({ currentTarget }) => {
              at.value = Number(currentTarget.value);
            }}
            onChange={({ currentTarget }) => choose(Number(currentTarget.value))}
          />
          <button type="button" disabled={at.value === last} onClick={() => choose(at.value + 1)}>
            {texts.newer}
          </button>
        </div>
      )}
      {versions.length < total && <p class="quiet">{texts.limited(versions.length)}</p>}
    </section>
  );
}

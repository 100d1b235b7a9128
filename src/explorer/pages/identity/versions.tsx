import { useSignal } from "@preact/signals";
import { useEffect, useId } from "preact/hooks";
import { Time } from "../../parts/inline.tsx";
import { Note } from "../../parts/panel.tsx";
import { commonTexts } from "../../text/common-texts.ts";
import { fill, timeText } from "../../text/text.ts";
import type { IdentityData } from "./load.ts";
import { identityTexts } from "./texts.ts";

const { versions: texts } = identityTexts;

function versionLabel({ versions, total }: IdentityData, index: number): string {
  if (index < 0) return texts.beforeListed(versions.length);
  const number = total - versions.length + index + 1;
  const order = index === versions.length - 1 ? texts.newest : number === 1 ? texts.first : "";
  return texts.name(number, total) + order;
}

export function Versions(props: {
  readonly data: IdentityData;
  readonly openVersion: (time: bigint | undefined) => void;
}) {
  const { data, openVersion } = props;
  const { versions, older, total, isTooEarly } = data;
  // Index -1 is `older`, a version before the listed ones.
  const first = older === undefined ? 0 : -1;
  const last = versions.length - 1;
  const index = useSignal(data.index);
  const headingId = useId();
  useEffect(() => {
    index.value = data.index;
  }, [data.index]);
  const startOf = (i: number): bigint | undefined => (i < 0 ? older?.from : versions[i]);
  const select = (next: number): void => {
    index.value = Math.min(Math.max(next, first), last);
    openVersion(index.value === last ? undefined : startOf(index.value));
  };
  const start = startOf(index.value) ?? versions[last];
  const end = index.value < 0 ? older?.to : versions[index.value + 1];
  return (
    <section class="panel versions stack" aria-labelledby={headingId}>
      <h2 id={headingId}>{texts.title}</h2>
      {isTooEarly && (
        <Note kind="plain">{versions.length < total ? texts.tooEarlyListed : texts.tooEarlyFirst}</Note>
      )}
      <p>
        {fill(end === undefined ? texts.from : texts.fromTo, {
          version: versionLabel(data, index.value),
          from: <Time at={start} />,
          to: end !== undefined && <Time at={end} />,
        })}
      </p>
      {last > first && (
        <div class="slider">
          <button type="button" disabled={index.value === first} onClick={() => select(index.value - 1)}>
            {texts.older}
          </button>
          <input
            type="range"
            min={first}
            max={last}
            step={1}
            value={index.value}
            aria-label={commonTexts.version}
            aria-valuetext={texts.sliderText(versionLabel(data, index.value), timeText(start))}
            onInput={({ currentTarget }) => (index.value = Number(currentTarget.value))}
            onChange={({ currentTarget }) => select(Number(currentTarget.value))}
          />
          <button type="button" disabled={index.value === last} onClick={() => select(index.value + 1)}>
            {texts.newer}
          </button>
        </div>
      )}
      {versions.length < total && <p class="quiet">{texts.limited(versions.length)}</p>}
    </section>
  );
}

/** A time in a list, relative or absolute. */
import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { partTexts as texts } from "../texts.ts";
import { Age, Time } from "./time.tsx";

const isAbsolute = signal(false);

export function When({ at }: { readonly at: bigint }): JSX.Element {
  return isAbsolute.value ? <Time at={at} /> : <Age at={at} />;
}

/** Head of a column of times. */
export function WhenHead(): JSX.Element {
  return (
    <button
      type="button"
      class="plain"
      title={isAbsolute.value ? texts.showAges : texts.showTimes}
      onClick={() => {
        isAbsolute.value = !isAbsolute.value;
      }}
    >
      {isAbsolute.value ? texts.timeHead : texts.ageHead}
    </button>
  );
}

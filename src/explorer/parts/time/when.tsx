/** A time in a list, relative or absolute. */
import { signal } from "@preact/signals";
import { commonTexts } from "../../text/common-texts.ts";
import { Age, Time } from "../inline.tsx";
import { partTexts as texts } from "../texts.ts";

const isAbsolute = signal(false);

export function When({ at }: { readonly at: bigint }) {
  return isAbsolute.value ? <Time at={at} /> : <Age at={at} />;
}

export function WhenHead() {
  return (
    <button
      type="button"
      class="plain"
      title={isAbsolute.value ? texts.showAges : texts.showTimes}
      onClick={() => (isAbsolute.value = !isAbsolute.value)}
    >
      {isAbsolute.value ? commonTexts.time : commonTexts.age}
    </button>
  );
}

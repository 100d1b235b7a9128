import { useMemo } from "preact/hooks";
import { type JsonOut, printIndentedJson } from "../../bytes/json.ts";
import { CopyButton } from "./copy.tsx";
import { Details } from "./details.tsx";
import { partTexts as texts } from "./texts.ts";
import { TruncatedText } from "./truncated-text.tsx";

/** UTF-16 units shown before the user expands the text. */
const MAX_SHOWN_CHARACTERS = 20_000;

function Json(props: { readonly value: unknown }) {
  // Safe cast: answers contain only JSON values and bigints.
  const text = useMemo(() => printIndentedJson(props.value as JsonOut), [props.value]);
  return (
    <div class="copyable">
      <CopyButton text={text} noun={texts.json} />
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
        tabIndex={0}
        aria-label={texts.json}
      >
        <pre>
          <TruncatedText text={text} maxCharacters={MAX_SHOWN_CHARACTERS} />
        </pre>
      </section>
    </div>
  );
}

export function JsonPanel(props: { readonly title?: string | undefined; readonly value: unknown }) {
  const { title = texts.json, value } = props;
  return (
    <Details className="panel" summary={<h2>{title}</h2>}>
      {() => <Json value={value} />}
    </Details>
  );
}

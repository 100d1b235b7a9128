import { useSignal } from "@preact/signals";
import { labelOf, MAX_LABEL_LENGTH, setLabel } from "../../data/labels.ts";
import { TextForm } from "../../parts/text-form.tsx";
import { addressTexts } from "./texts.ts";

const { label: texts } = addressTexts;

/** Adds, changes or removes the user's name of an account. */
export function LabelEditor({ address }: { readonly address: string }) {
  const isOpen = useSignal(false);
  const label = labelOf(address);
  const ownText = label?.isOwn === true ? label.text : undefined;
  const save = (text: string): void => {
    setLabel(address, text);
    isOpen.value = false;
  };
  return (
    <>
      <button
        type="button"
        class="small"
        aria-expanded={isOpen.value}
        onClick={() => (isOpen.value = !isOpen.value)}
      >
        {ownText === undefined ? texts.add : texts.change}
      </button>
      {isOpen.value && (
        <>
          <TextForm
            label={texts.field}
            button={texts.save}
            value={ownText}
            maxLength={MAX_LABEL_LENGTH}
            onSubmit={save}
          />
          {ownText !== undefined && (
            <button type="button" class="small" onClick={() => save("")}>
              {texts.remove}
            </button>
          )}
          <p class="quiet">{texts.privacy}</p>
        </>
      )}
    </>
  );
}

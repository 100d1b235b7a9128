import type { JSX } from "preact";
import { useId } from "preact/hooks";

/** Submits the trimmed text. */
export function TextForm(props: {
  readonly label: string;
  readonly button: string;
  readonly value?: string | undefined;
  /** Maximum length, UTF-16 units. */
  readonly most: number;
  ask(text: string): void;
}): JSX.Element {
  const { label, button, value, most, ask } = props;
  const field = useId();
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const input = document.getElementById(field);
    if (input instanceof HTMLInputElement) ask(input.value.trim());
  };
  return (
    <form class="ask" onSubmit={submit}>
      <label for={field}>{label}</label>
      <input
        id={field}
        value={value}
        maxLength={most}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
      />
      <button type="submit">{button}</button>
    </form>
  );
}

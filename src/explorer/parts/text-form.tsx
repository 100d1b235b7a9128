import type { JSX } from "preact";
import { useId } from "preact/hooks";

/** A field with its name, and a button that hands on what was written, without blanks around it. */
export function TextForm(props: {
  readonly label: string;
  readonly button: string;
  /** What stands in the field at first. */
  readonly value?: string | undefined;
  /** The most UTF-16 units that can be written. */
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

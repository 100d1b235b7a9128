import { useId } from "preact/hooks";

export function TextForm(props: {
  readonly label: string;
  readonly button: string;
  readonly value?: string | undefined;
  /** In UTF-16 units. */
  readonly maxLength: number;
  onSubmit(text: string): void;
}) {
  const { label, button, value, maxLength, onSubmit } = props;
  const field = useId();
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const input = document.getElementById(field);
    if (input instanceof HTMLInputElement) onSubmit(input.value.trim());
  };
  return (
    <form class="row inline-form" onSubmit={submit}>
      <label for={field}>{label}</label>
      <input
        id={field}
        value={value}
        maxLength={maxLength}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
      />
      <button type="submit">{button}</button>
    </form>
  );
}

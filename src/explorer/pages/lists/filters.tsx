/** The URL contains these filters. */
import { useSignal } from "@preact/signals";
import { tokenText } from "../../../bytes/tokens.ts";
import { describeTexts } from "../../describe/texts.ts";
import { navigate } from "../../shell/page-location.ts";
import { AmountError, parseTokens } from "../../text/amounts.ts";
import { commonTexts } from "../../text/common-texts.ts";
import { LOCALE } from "../../text/language.ts";
import { localized } from "../../text/text.ts";
import { listTexts as texts } from "./texts.ts";

export type FilterName =
  | "type"
  | "period"
  | "from"
  | "to"
  | "minAmount"
  | "direction"
  | "counterparty"
  | "generator";

export type FilterValues = Readonly<Partial<Record<FilterName, string>>>;

const MAX_FILTER_LENGTH = 100;

/** Undefined for a word that is not in the list. */
const wordIn = <const Word extends string>(words: readonly Word[], text: string | undefined) =>
  words.find((word) => word === text);

/** Converts filters to request parameters. @throws AmountError */
export function filterParameters({ minAmount, type, direction, period, ...others }: FilterValues) {
  return {
    ...others,
    direction: wordIn(["in", "out", "self"], direction),
    period: wordIn(["day", "week"], period),
    type: type === undefined ? undefined : [type],
    minAmount: minAmount === undefined ? undefined : parseTokens(minAmount, "en"),
  };
}

const FIXED_CHOICES: Readonly<
  Partial<Record<FilterName, readonly (readonly [value: string, label: string])[]>>
> = {
  type: [
    ["", texts.allTypes],
    ...Object.entries(describeTexts.types).sort(([, a], [, b]) => a.localeCompare(b, LOCALE)),
  ],
  direction: Object.entries(texts.directions),
  period: Object.entries(texts.periods),
};

/** Ignores values that are not among the choices of a filter. */
export function readFilters(query: URLSearchParams, names: readonly FilterName[]): FilterValues {
  const values = names.map(
    (name) => [name, query.get(name)?.trim().slice(0, MAX_FILTER_LENGTH) ?? ""] as const,
  );
  const isValid = (name: FilterName, value: string): boolean =>
    FIXED_CHOICES[name]?.some(([choice]) => choice === value) ?? true;
  return Object.fromEntries(values.filter(([name, value]) => value !== "" && isValid(name, value)));
}

const { type, direction, forger: generator } = commonTexts;
const labels: Readonly<Record<FilterName, string>> = { ...texts, type, direction, generator };

function Field(props: { readonly name: FilterName; readonly value: string }) {
  const { name, value } = props;
  const choices = FIXED_CHOICES[name];
  if (choices !== undefined) {
    return (
      <label>
        {labels[name]}
        <select name={name}>
          {choices.map(([option, label]) => (
            <option key={option} value={option} selected={option === value}>
              {label}
            </option>
          ))}
        </select>
      </label>
    );
  }
  const isRangeBound = name === "from" || name === "to";
  return (
    <label title={isRangeBound ? texts.boundHint : undefined}>
      {labels[name]}
      <input
        name={name}
        // A later render must not replace what the user has typed.
        defaultValue={value}
        maxLength={MAX_FILTER_LENGTH}
        autocomplete="off"
        spellcheck={false}
        placeholder={isRangeBound ? texts.boundPlaceholder : undefined}
      />
    </label>
  );
}

export function FilterForm(props: {
  readonly names: readonly FilterName[];
  readonly values: FilterValues;
  linkTo(values: FilterValues): string;
}) {
  const { names, values, linkTo } = props;
  const problem = useSignal("");
  const submit = (event: Event): void => {
    event.preventDefault();
    const form = event.currentTarget;
    if (!(form instanceof HTMLFormElement)) return;
    const entered = new URLSearchParams();
    for (const [name, value] of new FormData(form)) if (typeof value === "string") entered.set(name, value);
    const { minAmount, ...filters } = readFilters(entered, names);
    try {
      // The URL must mean the same in every language.
      const amount = minAmount && tokenText(parseTokens(minAmount));
      problem.value = "";
      navigate(linkTo({ ...filters, minAmount: amount }), true);
    } catch (error) {
      if (!(error instanceof AmountError)) throw error;
      problem.value = error.message;
    }
  };
  return (
    <form class="row filters" aria-label={texts.filters} onSubmit={submit} key={JSON.stringify(values)}>
      {names.map((name) => (
        <Field
          key={name}
          name={name}
          value={name === "minAmount" ? localized(values[name] ?? "") : (values[name] ?? "")}
        />
      ))}
      <button type="submit">{texts.apply}</button>
      {Object.keys(values).length > 0 && (
        <button type="button" class="plain" onClick={() => navigate(linkTo({}), true)}>
          {texts.clear}
        </button>
      )}
      {problem.value !== "" && (
        <p class="wrong" role="alert">
          {problem.value}
        </p>
      )}
    </form>
  );
}

import type { JSX } from "preact";
import { tokenText } from "../../bytes/tokens.ts";
import { Copied } from "./copy.tsx";
import { partTexts as texts } from "./texts.ts";

/** An exact amount of tokens; in columns the decimal points are aligned. */
export function Amount(props: {
  /** In 10⁻⁸ tokens. */
  readonly value: bigint;
  readonly signed?: boolean | undefined;
  /** Adds a copy button. */
  readonly copied?: boolean | undefined;
}): JSX.Element {
  const { value, signed = false, copied = false } = props;
  const text = tokenText(value < 0n ? -value : value);
  const [whole, decimals] = text.split(".");
  const sign = value < 0n ? "−" : signed && value > 0n ? "+" : "";
  const amount = (
    <data class="amount" value={tokenText(value)}>
      {sign}
      {whole}
      <span class="decimals">{decimals !== undefined && `.${decimals}`}</span>
    </data>
  );
  // Programs and spreadsheets expect no thousands separators.
  const plain = tokenText(value).replaceAll(",", "");
  return copied ? (
    <Copied text={plain} what={texts.what.amount}>
      {amount}
    </Copied>
  ) : (
    amount
  );
}

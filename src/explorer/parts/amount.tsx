import type { JSX } from "preact";
import { tokenText } from "../../bytes/tokens.ts";
import { Copied } from "./copy.tsx";

/** An amount of tokens, exact to the last unit; in a column the decimals stand below each other. */
export function Amount(props: {
  /** In the smallest unit, 10⁻⁸ of a token. */
  readonly value: bigint;
  /** Whether a plus stands before what is more than nothing, as in a list of changes. */
  readonly signed?: boolean | undefined;
  /** Whether it has a button that copies it. */
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
  // Programs and spreadsheets take it without marks of thousands.
  const plain = tokenText(value).replaceAll(",", "");
  return copied ? (
    <Copied text={plain} what="amount">
      {amount}
    </Copied>
  ) : (
    amount
  );
}

import type { JSX } from "preact";
import { tokenText } from "../../bytes/tokens.ts";
import { WithCopyButton } from "./copy.tsx";
import { partTexts as texts } from "./texts.ts";
import { tokenSymbol } from "./token-symbol.ts";

export function Amount(props: {
  /** In 10⁻⁸ tokens. */
  readonly value: bigint;
  readonly hasSign?: boolean | undefined;
  readonly hasCopyButton?: boolean | undefined;
}): JSX.Element {
  const { value, hasSign = false, hasCopyButton = false } = props;
  const text = tokenText(value < 0n ? -value : value);
  const [whole, decimals] = text.split(".");
  const sign = value < 0n ? "−" : hasSign && value > 0n ? "+" : "";
  const amount = (
    <data class="amount" value={tokenText(value)}>
      {sign}
      {whole}
      <span class="decimals">{decimals !== undefined && `.${decimals}`}</span>
      {tokenSymbol.value !== undefined && <span class="unit"> {tokenSymbol.value}</span>}
    </data>
  );
  // Spreadsheets expect no thousands separators.
  const plain = tokenText(value).replaceAll(",", "");
  return hasCopyButton ? (
    <WithCopyButton text={plain} noun={texts.nouns.amount}>
      {amount}
    </WithCopyButton>
  ) : (
    amount
  );
}

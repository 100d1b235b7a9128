import { commonTexts } from "./common-texts.ts";
import { type Language, language } from "./language.ts";

const { amounts: texts } = commonTexts;

/** A token has 100,000,000 units. Page 06 §1. */
const DECIMALS = 8;
const MAX_AMOUNT = 2n ** 63n - 1n;
const PATTERNS: Readonly<Record<Language, RegExp>> = {
  en: /^(\d+|\d{1,3}(?:[, _\u00a0\u202f]\d{3})+)(?:\.(\d*))?$/,
  // A single point, as in `1.250`, could be meant as the decimal mark.
  nl: /^(?!\d+\.\d{3}$)(\d+|\d{1,3}(?:[. _\u00a0\u202f]\d{3})+)(?:,(\d*))?$/,
};

export class AmountError extends Error {
  override readonly name = "AmountError";
}

/** Parses e.g. `1,250.5` to 10^-8 tokens. @throws AmountError */
export function parseTokens(text: string, writtenIn = language): bigint {
  const trimmed = text.trim();
  if (trimmed.length > 60) throw new AmountError(texts.tooLong);
  const found = PATTERNS[writtenIn].exec(trimmed);
  if (found === null) throw new AmountError(texts.notAnAmount);
  const decimals = (found[2] ?? "").replace(/0+$/, "");
  if (decimals.length > DECIMALS) throw new AmountError(texts.tooManyDecimals);
  const units = BigInt(found[1].replace(/\D/g, "") + decimals.padEnd(DECIMALS, "0"));
  if (units > MAX_AMOUNT) throw new AmountError(texts.tooLarge);
  return units;
}

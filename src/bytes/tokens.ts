/** Amounts for people. */

/** Digits behind the point: a token is 100,000,000 units. Page 06 §1. */
const DECIMALS = 8;

/** Units as tokens, with separators of thousands and no more digits behind the point than it takes: `1,250.5`. */
export function tokenText(units: bigint): string {
  const digits = (units < 0n ? -units : units).toString().padStart(DECIMALS + 1, "0");
  const whole = digits.slice(0, -DECIMALS).replace(/\B(?=(\d{3})+$)/g, ",");
  const rest = digits.slice(-DECIMALS).replace(/0+$/, "");
  return `${units < 0n ? "-" : ""}${whole}${rest === "" ? "" : `.${rest}`}`;
}

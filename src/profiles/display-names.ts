/** Names that users see. The reference has none. */
import { ProfileError } from "./errors.ts";

const SYMBOL = /^[\p{L}\p{N}\p{Sc}._-]{1,12}$/u;
const DISPLAY_NAME = /^[\p{L}\p{N}](?:[\p{L}\p{N} ._()-]{0,38}[\p{L}\p{N}.)])?$/u;

export const TOKEN_SYMBOL_FORM = "1 to 12 letters, digits, currency signs, dots, hyphens or underscores";
export const DISPLAY_NAME_FORM =
  "1 to 40 letters, digits, blanks, dots, hyphens, underscores or parentheses, the first a letter or digit";

export function isTokenSymbol(text: string): boolean {
  return SYMBOL.test(text);
}

export function isDisplayName(text: string): boolean {
  return DISPLAY_NAME.test(text);
}

/** Default of each name: the network's name, if its form is valid. */
export function defaultNames(networkName: string) {
  return {
    tokenSymbol: isTokenSymbol(networkName) ? networkName : "tokens",
    displayName: isDisplayName(networkName) ? networkName : "Custom network",
  };
}

/** Limits the size of answers that contain account names. */
const MAX_ACCOUNT_NAMES = 100;

/** @throws ProfileError that names the member of the genesis file */
export function checkAccountNames(names: readonly (readonly [address: string, name: string])[]): void {
  if (names.length > MAX_ACCOUNT_NAMES)
    throw new ProfileError(`account-names must have at most ${MAX_ACCOUNT_NAMES} members`);
  for (const [address, name] of names)
    if (!isDisplayName(name)) throw new ProfileError(`account-names.${address} must be ${DISPLAY_NAME_FORM}`);
}

/** @throws ProfileError that names the member of the genesis file */
export function checkDisplayNames(tokenSymbol: string, displayName: string): void {
  if (!isTokenSymbol(tokenSymbol)) throw new ProfileError(`token-symbol must be ${TOKEN_SYMBOL_FORM}`);
  if (!isDisplayName(displayName)) throw new ProfileError(`display-name must be ${DISPLAY_NAME_FORM}`);
}

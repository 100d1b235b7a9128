/** Prepares untrusted text for display. */

/**
 * Control characters except line feed and tab, direction changes, invisible characters, lone surrogates and
 * noncharacters.
 */
const INVISIBLE =
  /(?!\n|\t|(?<=\p{Extended_Pictographic})\ufe0f|(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}]|\ufe0f)\u200d(?=\p{Extended_Pictographic}))[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]/gu;

const codePointText = (character: string): string =>
  `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`;

/** Replaces invisible characters by their code points: `a⟨U+202E⟩b`. */
export function revealInvisible(text: string): string {
  return text.replace(INVISIBLE, codePointText);
}

/** Captures the first four combining marks of a character with more. */
const STACKED_MARKS = /(\p{M}{4})\p{M}+/gu;

/** Does not split a surrogate pair. @param maxLength in UTF-16 units */
export function truncate(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const code = text.charCodeAt(maxLength - 1);
  return text.slice(0, code >= 0xd800 && code <= 0xdbff ? maxLength - 1 : maxLength);
}

/** Reveals invisible characters and limits combining marks. */
export function displayText(text: string): string {
  return revealInvisible(text).replace(STACKED_MARKS, "$1");
}

/**
 * Text that anybody may have written, as it can be shown: what is not seen, or would turn what stands around it about,
 * is named. Markup needs nothing: the page writes text, and text only.
 */

/**
 * Control characters but line feed and tab; what changes the direction of writing; what is not seen at all; halves of
 * characters, and what is none. What joins pictures to one picture is seen by what it does.
 */
const INVISIBLE =
  /(?!\n|\t|(?<=\p{Extended_Pictographic})\ufe0f|(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}]|\ufe0f)\u200d(?=\p{Extended_Pictographic}))[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]/gu;

const nameOf = (character: string): string =>
  `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`;

/** A text with the names of all that is not seen in it: `a⟨U+202E⟩b`. */
export function revealInvisible(text: string): string {
  return text.replace(INVISIBLE, nameOf);
}

/** Marks that stand upon the character before them, so many of which are shown. */
const STACKED_MARKS = /(\p{M}{4})\p{M}+/gu;

/** The beginning of a text of at most so many UTF-16 units, which ends in no half of a character. */
export function truncate(text: string, most: number): string {
  if (text.length <= most) return text;
  const code = text.charCodeAt(most - 1);
  return text.slice(0, code >= 0xd800 && code <= 0xdbff ? most - 1 : most);
}

/** The same without the heaps of marks that reach into the lines above and below. */
export function displayText(text: string): string {
  return revealInvisible(text).replace(STACKED_MARKS, "$1");
}

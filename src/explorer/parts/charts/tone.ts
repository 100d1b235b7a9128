/** Colour of a series or share. The style sheet defines six tones. */
export const toneOf = (index: number): string => `var(--tone-${(index % 6) + 1})`;

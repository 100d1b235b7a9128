/** A text as a word of a shell: in quotes where it needs them. */
export function shellWord(text: string): string {
  return /^[\w./~+:,@%=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

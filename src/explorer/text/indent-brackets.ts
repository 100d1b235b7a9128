/** Text of nested brackets, laid out over lines. */

/** What is no longer than this stays on one line, UTF-16 units. */
const MAX_LINE_LENGTH = 72;
/** Deeper than this nothing is moved to the right any more: the text may nest as deep as it is long. */
const MAX_INDENT = 40;

/** Where the bracket that opens at each place is closed; those that are never closed are left out. */
function findClosingBrackets(text: string): ReadonlyMap<number, number> {
  const open: number[] = [];
  const found = new Map<number, number>();
  for (let i = 0; i < text.length; i++) {
    if (text[i] === "(") open.push(i);
    else if (text[i] === ")") {
      const start = open.pop();
      if (start !== undefined) found.set(start, i);
    }
  }
  return found;
}

/**
 * A text such as `IF(TRUE,LET(a,b),c)`, with what is within long brackets on lines of its own. Nothing but blanks and ends
 * of lines is added behind commas and brackets, and blanks behind commas go.
 */
export function indentBrackets(text: string): string {
  const closed = findClosingBrackets(text);
  const pieces: string[] = [];
  /** Of the brackets that are open: whether they were broken into lines. */
  const broken: boolean[] = [];
  let depth = 0;
  const line = (): void => {
    pieces.push(`\n${"  ".repeat(Math.min(depth, MAX_INDENT))}`);
  };
  for (let i = 0; i < text.length; i++) {
    const character = text[i];
    if (character === ")" && broken.length > 0) {
      if (broken.pop()) {
        depth--;
        line();
      }
      pieces.push(character);
      continue;
    }
    pieces.push(character);
    if (character === "(") {
      const isLong = (closed.get(i) ?? i) - i > MAX_LINE_LENGTH;
      broken.push(isLong);
      if (isLong) depth++;
    }
    if ((character === "(" || character === ",") && broken.at(-1)) {
      line();
      if (text[i + 1] === " ") i++;
    }
  }
  return pieces.join("");
}

/** Longest bracket content on one line, UTF-16 units. */
const MAX_LINE_LENGTH = 72;
/** Deeper brackets are not indented further; nesting can be as deep as the text is long. */
const MAX_INDENT = 40;

/** Returns the closing position of each opening bracket; unclosed ones are left out. */
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

/** Formats nested brackets such as `IF(TRUE,LET(a,b),c)` over indented lines. Changes only whitespace. */
export function indentBrackets(text: string): string {
  const closed = findClosingBrackets(text);
  const pieces: string[] = [];
  /** Whether each open bracket is split over lines. */
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

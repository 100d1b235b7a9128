/** In UTF-16 units. */
const MAX_LINE_LENGTH = 72;
/** In levels, to bound the result. */
const MAX_INDENT = 40;

function findClosingBrackets(text: string): ReadonlyMap<number, number> {
  const open: number[] = [];
  const closing = new Map<number, number>();
  for (let i = 0; i < text.length; i++) {
    if (text[i] === "(") open.push(i);
    else if (text[i] === ")") {
      const start = open.pop();
      if (start !== undefined) closing.set(start, i);
    }
  }
  return closing;
}

/** Indents nested brackets such as `IF(TRUE,LET(a,b),c)`. */
export function indentBrackets(text: string): string {
  const closing = findClosingBrackets(text);
  const pieces: string[] = [];
  const isSplit: boolean[] = [];
  let depth = 0;
  const startLine = (): void => {
    pieces.push(`\n${"  ".repeat(Math.min(depth, MAX_INDENT))}`);
  };
  for (let i = 0; i < text.length; i++) {
    const character = text[i];
    if (character === ")" && isSplit.length > 0) {
      if (isSplit.pop()) {
        depth--;
        startLine();
      }
      pieces.push(character);
      continue;
    }
    pieces.push(character);
    if (character === "(") {
      const isLong = (closing.get(i) ?? i) - i > MAX_LINE_LENGTH;
      isSplit.push(isLong);
      if (isLong) depth++;
    }
    if ((character === "(" || character === ",") && isSplit.at(-1)) {
      startLine();
      if (text[i + 1] === " ") i++;
    }
  }
  return pieces.join("");
}

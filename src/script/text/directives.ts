/** Page 08 §2. */
import { ScriptCompileError } from "../errors.ts";

const DIRECTIVE = /^[ \t\r\n]*\{-#[ \t\r\n]*(LANGUAGE_VERSION)[ \t\r\n]*([A-Za-z0-9]+)[ \t\r\n]*#-\}/;
const DIRECTIVE_MARK = "{-#";
const MAX_INT = 2n ** 31n - 1n;

export function directives(text: string): [key: string, value: string][] {
  return text.split("\n").flatMap((line) => {
    const [, key, value] = DIRECTIVE.exec(line) ?? [];
    return key === undefined ? [] : [[key, value] as [string, string]];
  });
}

function checkVersion(text: string): void {
  const first = directives(text)[0];
  if (first === undefined) return;
  const [, value] = first;
  if (!/^[0-9]+$/.test(value) || BigInt(value) > MAX_INT) {
    throw new ScriptCompileError("Can't parse language version");
  }
  if (BigInt(value) !== 1n) throw new ScriptCompileError("Unsupported language version");
}

/** Lines end with LF, CR LF or FF. A final line end starts no line. */
function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n|\f/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/**
 * Removes lines with a directive mark.
 * @throws ScriptCompileError for an unknown version
 */
export function programText(text: string): string {
  checkVersion(text);
  return linesOf(text)
    .filter((line) => !line.includes(DIRECTIVE_MARK))
    .join("\n");
}

/** From the text of a request to the text of a program. Page 08 §2. */
import { ScriptCompileError } from "../errors.ts";

const DIRECTIVE = /^[ \t\r\n]*\{-#[ \t\r\n]*(LANGUAGE_VERSION)[ \t\r\n]*([A-Za-z0-9]+)[ \t\r\n]*#-\}/;
const MARK = "{-#";
const MAX_INT = 2n ** 31n - 1n;

/** The directives of a text: key and value, as written. */
export function directives(text: string): [key: string, value: string][] {
  return text.split("\n").flatMap((line) => {
    const [, key, value] = DIRECTIVE.exec(line) ?? [];
    return key === undefined ? [] : [[key, value] as [string, string]];
  });
}

/** @throws ScriptCompileError when a directive asks for a version that does not exist */
function checkVersion(text: string): void {
  const first = directives(text)[0];
  if (first === undefined) return;
  const [, value] = first;
  if (!/^[0-9]+$/.test(value) || BigInt(value) > MAX_INT) {
    throw new ScriptCompileError("Can't parse language version");
  }
  if (BigInt(value) !== 1n) throw new ScriptCompileError("Unsupported language version");
}

/** The lines of a text: they end at LF, CR LF or FF, and one line end at the very end starts no further line. */
function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n|\f/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/**
 * The program of a text, without the lines that hold directives or look like it.
 * @throws ScriptCompileError when a directive asks for a version that does not exist
 */
export function programText(text: string): string {
  checkVersion(text);
  return linesOf(text)
    .filter((line) => !line.includes(MARK))
    .join("\n");
}

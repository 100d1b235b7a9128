/** Page 08 §3.3. */
import { fitsInt64 } from "../../bytes/int64.ts";
import { ESCAPED_CHARACTERS } from "../../bytes/json.ts";
import { ScriptCompileError } from "../errors.ts";
import { decodeText } from "./decode-text.ts";
import type { Part, Position } from "./syntax.ts";

/** Maximum UTF-16 units between the quotes. */
const MAX_BYTES_LITERAL = 12_288;
const MAX_DIGITS = 19;

/** @throws ScriptCompileError, which ends the compilation, if the number does not fit 64 bits */
export function numberLiteral(text: string): bigint {
  const digits = text.replaceAll("_", "");
  const [, sign, significant] = /^([+-]?)0*(.*)$/.exec(digits) ?? [];
  const fits = significant.length <= MAX_DIGITS;
  const value = fits ? BigInt(significant) * (sign === "-" ? -1n : 1n) : 0n;
  if (!fits || !fitsInt64(value)) throw new ScriptCompileError(`For input string: "${digits}"`);
  return value;
}

export function bytesLiteral(format: "58" | "64", text: string, position: Position): Part<Uint8Array> {
  const decoded = decodeText(format, text, MAX_BYTES_LITERAL);
  return decoded.ok ? { position, value: decoded.value } : { position, invalid: decoded.error };
}

/** Matches `\u` with letters and digits, another escape, or other characters. */
const PIECE = /\\u[A-Za-z0-9]{0,4}|\\[\s\S]|[^\\]+|\\$/g;
const HEX4 = /^[0-9A-Fa-f]{4}$/;

export function stringLiteral(source: string, position: Position): Part<string> {
  const messages: string[] = [];
  const pieces: string[] = [];
  for (const [piece] of source.matchAll(PIECE)) {
    if (!piece.startsWith("\\") || piece.length === 1) pieces.push(piece);
    else if (piece.startsWith("\\u")) {
      const digits = piece.slice(2);
      if (digits.length < 4) messages.push(`incomplete UTF-8 symbol definition: '${piece}'`);
      else if (!HEX4.test(digits)) messages.push(`can't parse '${digits}' as HEX string in '${piece}'`);
      else pieces.push(String.fromCharCode(Number.parseInt(digits, 16)));
    } else {
      const character = ESCAPED_CHARACTERS.get(piece.slice(1));
      // As in the reference, the list contains the characters, not their escapes.
      if (character === undefined) {
        messages.push(`unknown escaped symbol: '${piece}'. The valid are \b, \f, \n, \r, \t`);
      } else pieces.push(character);
    }
  }
  return messages.length > 0
    ? { position, invalid: messages.join(";") }
    : { position, value: pieces.join("") };
}

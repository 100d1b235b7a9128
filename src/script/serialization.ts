/** Page 08 §10. */
import { DecodeError } from "../bytes/errors.ts";
import { ByteReader } from "../bytes/reader.ts";
import { decodeUtf8, encodeUtf8 } from "../bytes/utf8.ts";
import { ByteWriter } from "../bytes/writer.ts";
import { ScriptParseError } from "./errors.ts";
import { type Expression, FALSE, type FunctionHeader, TRUE } from "./expression.ts";
import { runTask, type Task } from "./trampoline.ts";

const Tag = { Long: 0, Bytes: 1, String: 2, If: 3, Block: 4, Ref: 5, True: 6, False: 7, Getter: 8, Call: 9 };
const Header = { Native: 0, User: 1 };

export function writeExpression(expression: Expression): Uint8Array {
  const writer = new ByteWriter();
  const writeBytes = (value: Uint8Array) => writer.i32(value.length).bytes(value);
  const writeString = (value: string) => writeBytes(encodeUtf8(value));
  // Strings are field names of getters.
  const pending: (Expression | string)[] = [expression];
  for (let item = pending.pop(); item !== undefined; item = pending.pop()) {
    if (typeof item === "string") {
      writeString(item);
      continue;
    }
    switch (item.kind) {
      case "long":
        writer.u8(Tag.Long).i64(item.value);
        break;
      case "bytes":
        writer.u8(Tag.Bytes);
        writeBytes(item.value);
        break;
      case "string":
        writer.u8(Tag.String);
        writeString(item.value);
        break;
      case "boolean":
        writer.u8(item.value ? Tag.True : Tag.False);
        break;
      case "if":
        writer.u8(Tag.If);
        pending.push(item.whenFalse, item.whenTrue, item.condition);
        break;
      case "block":
        writer.u8(Tag.Block);
        writeString(item.name);
        pending.push(item.body, item.value);
        break;
      case "ref":
        writer.u8(Tag.Ref);
        writeString(item.name);
        break;
      case "getter":
        writer.u8(Tag.Getter);
        pending.push(item.field, item.object);
        break;
      case "call":
        writer.u8(Tag.Call);
        if (item.header.kind === "native") writer.u8(Header.Native).i16(item.header.id);
        else {
          writer.u8(Header.User);
          writeString(item.header.name);
        }
        writer.i32(item.arguments.length);
        for (let i = item.arguments.length - 1; i >= 0; i--) pending.push(item.arguments[i]);
        break;
    }
  }
  return writer.toBytes();
}

/**
 * Parses a tree, which must span all bytes. Copies byte strings.
 * @throws ScriptParseError with the text of page 08 §10
 */
export function readExpression(bytes: Uint8Array): Expression {
  const reader = new ByteReader(bytes);
  let expression: Expression;
  try {
    expression = runTask(readNode(reader));
  } catch (error) {
    // The protocol has no text for truncated data.
    if (error instanceof DecodeError) throw new ScriptParseError(null);
    throw error;
  }
  if (reader.remaining > 0) throw new ScriptParseError(`${reader.remaining} bytes left`);
  return expression;
}

function readBytes(reader: ByteReader): Uint8Array {
  const length = reader.i32();
  if (length < 0) throw new ScriptParseError(String(length));
  return reader.bytes(length);
}

/** Up to this many bytes, concatenating ASCII characters is much faster than a decoder. */
const MAX_CONCATENATED_LENGTH = 32;

function readString(reader: ByteReader): string {
  const bytes = readBytes(reader);
  if (bytes.length > MAX_CONCATENATED_LENGTH) return decodeUtf8(bytes);
  let text = "";
  for (const byte of bytes) {
    if (byte > 0x7f) return decodeUtf8(bytes);
    text += String.fromCharCode(byte);
  }
  return text;
}

function readHeader(reader: ByteReader): FunctionHeader {
  const kind = reader.i8();
  if (kind === Header.Native) return { kind: "native", id: reader.i16() };
  if (kind === Header.User) return { kind: "user", name: readString(reader) };
  throw new ScriptParseError(`Unknown function header type: ${kind}`);
}

function* readNode(reader: ByteReader): Task<Expression> {
  const tag = reader.i8();
  switch (tag) {
    case Tag.Long:
      return { kind: "long", value: reader.i64() };
    case Tag.Bytes:
      return { kind: "bytes", value: readBytes(reader).slice() };
    case Tag.String:
      return { kind: "string", value: readString(reader) };
    case Tag.If: {
      const condition = yield readNode(reader);
      const whenTrue = yield readNode(reader);
      const whenFalse = yield readNode(reader);
      return { kind: "if", condition, whenTrue, whenFalse };
    }
    case Tag.Block: {
      const name = readString(reader);
      const value = yield readNode(reader);
      const body = yield readNode(reader);
      return { kind: "block", name, value, body };
    }
    case Tag.Ref:
      return { kind: "ref", name: readString(reader) };
    case Tag.True:
      return TRUE;
    case Tag.False:
      return FALSE;
    case Tag.Getter: {
      const object = yield readNode(reader);
      return { kind: "getter", object, field: readString(reader) };
    }
    case Tag.Call: {
      const header = readHeader(reader);
      const count = reader.i32();
      const args: Expression[] = [];
      // A negative count means no arguments. A count that is too large fails at the end of the data.
      for (let i = 0; i < count; i++) args.push(yield readNode(reader));
      return { kind: "call", header, arguments: args };
    }
    default:
      throw new ScriptParseError(`${tag} (of class java.lang.Byte)`);
  }
}

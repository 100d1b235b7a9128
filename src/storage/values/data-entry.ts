import { DecodeError } from "../../bytes/errors.ts";
import { decodeUtf8, encodeUtf8 } from "../../bytes/utf8.ts";
import type { DataState } from "../../ledger/state.ts";
import { valueCodec } from "../codecs.ts";
import type { ValueCodec } from "../kv.ts";

export type DataValue = Pick<DataState, "type" | "value">;

/** Layout: type u8 (0 integer, 1 boolean, 2 binary, 3 string), then i64, u8, or the remaining bytes. */
export const dataEntryValue: ValueCodec<DataValue> = valueCodec(
  (writer, { type, value }) => {
    if (type === "integer" && typeof value === "bigint") writer.u8(0).i64(value);
    else if (type === "boolean" && typeof value === "boolean") writer.u8(1).u8(value ? 1 : 0);
    else if (type === "binary" && value instanceof Uint8Array) writer.u8(2).bytes(value);
    else if (type === "string" && typeof value === "string") writer.u8(3).bytes(encodeUtf8(value));
    else throw new TypeError(`A data entry of type ${type} cannot hold a ${typeof value}`);
  },
  (reader): DataValue => {
    const type = reader.u8();
    switch (type) {
      case 0:
        return { type: "integer", value: reader.i64() };
      case 1:
        return { type: "boolean", value: reader.u8() !== 0 };
      case 2:
        return { type: "binary", value: reader.rest().slice() };
      case 3:
        return { type: "string", value: decodeUtf8(reader.rest()) };
      default:
        throw new DecodeError(`unknown data entry type ${type}`);
    }
  },
);

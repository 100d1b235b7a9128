/** Page 06 §7.3. */
import type { Checkpoint } from "../../../blocks/checkpoint.ts";
import { base58Length, decodeBase58OrZerosIfTooLong } from "../../../bytes/base58.ts";
import { DecodeError } from "../../../bytes/errors.ts";
import type { JsonValue } from "../../../bytes/json.ts";
import { type MemberReader, readMembers } from "../../members.ts";

const SIGNATURE_LENGTH = 64;

/** Returns 64 bytes; an empty array if they are invalid. Page 06 §4.4. */
function readSignature(members: MemberReader): Uint8Array {
  const empty = new Uint8Array(0);
  const text = members.text("signature");
  if (text === undefined) return empty;
  try {
    const bytes = decodeBase58OrZerosIfTooLong(text, base58Length(SIGNATURE_LENGTH));
    if (bytes.length !== SIGNATURE_LENGTH)
      members.refuse("signature", "error.incorrect.signatureLength", [String(bytes.length)]);
    return bytes;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    members.refuse("signature", ["error.incorrect.base58", error.message], [text]);
    return empty;
  }
}

/** @throws ApiError error 1 */
export function parseCheckpoint(json: JsonValue): Checkpoint {
  return readMembers(json, (body) => ({
    items: (body.items("items") ?? []).map((item) => ({
      height: item.int32("height") ?? 0,
      id: readSignature(item),
    })),
    signature: readSignature(body),
  }));
}

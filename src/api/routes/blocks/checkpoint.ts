/** The request of `POST /blocks/checkpoint`. Page 06 §7.3. */
import type { Checkpoint } from "../../../blocks/checkpoint.ts";
import { base58Length, decodeBase58OrZeros } from "../../../bytes/base58.ts";
import { DecodeError } from "../../../bytes/errors.ts";
import type { JsonValue } from "../../../bytes/json.ts";
import { MemberReader, RequestProblems } from "../../members.ts";

const SIGNATURE_LENGTH = 64;

/** A signature of exactly 64 bytes in a member. Page 06 §4.4. */
function signature(members: MemberReader, problems: RequestProblems): Uint8Array | undefined {
  const text = members.text("signature");
  if (text === undefined) return undefined;
  const path = members.path("signature");
  try {
    const bytes = decodeBase58OrZeros(text, base58Length(SIGNATURE_LENGTH));
    if (bytes.length === SIGNATURE_LENGTH) return bytes;
    return problems.add(path, "error.incorrect.signatureLength", [String(bytes.length)]);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return problems.add(path, ["error.incorrect.base58", error.message], [text]);
  }
}

/** @throws ApiError error 1 */
export function parseCheckpoint(json: JsonValue): Checkpoint {
  const problems = new RequestProblems();
  const root = new MemberReader(json, "obj", problems);
  const items = root.list("items")?.map((value, index) => {
    const item = new MemberReader(value, `obj.items[${index}]`, problems);
    return { height: item.int32("height") ?? 0, id: signature(item, problems) ?? new Uint8Array(0) };
  });
  const own = signature(root, problems);
  problems.check();
  return { items: items ?? [], signature: own ?? new Uint8Array(0) };
}

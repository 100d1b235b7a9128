import { decodeBase58 } from "../../bytes/base58.ts";
import { decodeBase64 } from "../../bytes/base64.ts";
import { tryDecode } from "../../bytes/errors.ts";
import { failed, ok, type Result } from "../../errors/result.ts";

/** Page 08 §3.3. @param limit maximum UTF-16 units of `text` */
export function decodeText(format: "58" | "64", text: string, limit: number): Result<Uint8Array, string> {
  if (text.length > limit) return failed(`base${format}Decode input exceeds ${limit}`);
  const bytes = tryDecode(() => (format === "58" ? decodeBase58(text, limit) : decodeBase64(text)));
  return bytes === undefined ? failed(`can't parse Base${format} string`) : ok(bytes);
}

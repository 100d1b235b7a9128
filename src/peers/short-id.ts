import { encodeBase58 } from "../bytes/base58.ts";

/** For ban reasons and logs. Page 04 §11.3. */
export function shortId(id: Uint8Array): string {
  return `${encodeBase58(id).slice(0, 7)}...`;
}

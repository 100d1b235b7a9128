import { tryDecode } from "../bytes/errors.ts";
import { apiError, type failures } from "../http/errors.ts";

/** What a text is decoded to. @throws ApiError `failure` for a text that cannot be decoded */
export function decodeOrRefuse<T>(failure: keyof typeof failures, decode: () => T): T {
  const value = tryDecode(decode);
  if (value === undefined) throw apiError(failure);
  return value;
}

import { tryDecode } from "../bytes/errors.ts";
import { apiError, type failures } from "../http/errors.ts";

export function decodeOrRefuse<T>(failure: keyof typeof failures, decode: () => T): T {
  const value = tryDecode(decode);
  if (value === undefined) throw apiError(failure);
  return value;
}

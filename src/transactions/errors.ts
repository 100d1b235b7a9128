/** The bytes are no transaction. The message is the protocol's text, empty where the protocol has none. Page 02 §3, §6. */
export class TransactionParseError extends Error {
  override readonly name = "TransactionParseError";
}

/**
 * Why a transaction is refused: a tag and its arguments, as the protocol prints them (`Name(args)`). Page 02 §7, page 06 §4.5.
 * `GenericError`, `InsufficientFee`, `Mistiming` and most others have one text.
 */
export interface ValidationError {
  readonly kind: string;
  readonly args: readonly (string | bigint | number)[];
}

/** The printed form, e.g. `NegativeAmount(0,lto)`, `TooBigArray`, `GenericError(Empty key found)`. Page 02 §7. */
export function errorText(error: ValidationError): string {
  return error.args.length === 0 ? error.kind : `${error.kind}(${error.args.join(",")})`;
}

/** The bytes are no transaction. The message is the protocol's text, empty where the protocol has none. Page 02 §3, §6. */
export class TransactionParseError extends Error {
  override readonly name = "TransactionParseError";
}

/**
 * Why a transaction is refused: a tag and its arguments, as the protocol prints them (`Name(args)`).
 * Page 02 §7, page 06 §4.5.
 */
export interface ValidationError {
  readonly kind: string;
  readonly args: readonly (string | bigint | number)[];
}

/** The printed form, e.g. `NegativeAmount(0,lto)`, `TooBigArray`, `GenericError(Empty key found)`. Page 02 §7. */
export function errorText(error: ValidationError): string {
  return error.args.length === 0 ? error.kind : `${error.kind}(${error.args.join(",")})`;
}

/** Any error of page 06 §4.5 by its name. */
export function validationError(kind: string, ...args: (string | bigint | number)[]): ValidationError {
  return { kind, args };
}

/** An error that has nothing but its text. */
export function genericError(text: string): ValidationError {
  return validationError("GenericError", text);
}

/** Something that this version of a type does not have. */
export function unsupportedFeature(text: string): ValidationError {
  return validationError("UnsupportedFeature", text);
}

/** An amount below what the type allows. */
export function negativeAmount(amount: bigint): ValidationError {
  return validationError("NegativeAmount", amount, "lto");
}

/** A list or a byte string above its limit. */
export const tooBigArray: ValidationError = validationError("TooBigArray");
/** A sum that does not fit signed 64 bits. */
export const overflowError: ValidationError = validationError("OverflowError");
/** Sender and recipient are the same where that makes no sense. */
export const toSelf: ValidationError = validationError("ToSelf");
/** The static rule about fees: they are above zero. */
export const insufficientFee: ValidationError = validationError("InsufficientFee", "insufficient fee");

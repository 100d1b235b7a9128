/** The message is the protocol's text, or empty if the protocol has none. Page 02 §3, §6. */
export class TransactionParseError extends Error {
  override readonly name = "TransactionParseError";
}

/** Printed as `Name(args)`. Page 02 §7, page 06 §4.5. */
export interface ValidationError {
  readonly kind: string;
  readonly args: readonly (string | bigint | number)[];
}

/** Formats e.g. `NegativeAmount(0,lto)`, `TooBigArray`. Page 02 §7. */
export function errorText(error: ValidationError): string {
  return error.args.length === 0 ? error.kind : `${error.kind}(${error.args.join(",")})`;
}

/** Page 06 §4.5. */
export function validationError(kind: string, ...args: (string | bigint | number)[]): ValidationError {
  return { kind, args };
}

export function genericError(text: string): ValidationError {
  return validationError("GenericError", text);
}

export function unsupportedFeature(text: string): ValidationError {
  return validationError("UnsupportedFeature", text);
}

export function negativeAmount(amount: bigint): ValidationError {
  return validationError("NegativeAmount", amount, "lto");
}

export const tooBigArray: ValidationError = validationError("TooBigArray");
export const overflowError: ValidationError = validationError("OverflowError");
export const toSelf: ValidationError = validationError("ToSelf");
export const insufficientFee: ValidationError = validationError("InsufficientFee", "insufficient fee");

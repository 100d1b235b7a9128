/** Page 04 §6.2, §7, §21. */

/**
 * Consequence of a disconnection: a ban of the origin (`blacklist`), a suspension of the addresses (`suspend`), or none
 * (`close`). Silence never leads to a ban.
 */
export type Penalty = "blacklist" | "suspend" | "close";

export class WireError extends Error {
  override readonly name = "WireError";
  readonly penalty: Penalty;

  constructor(reason: string, penalty: Penalty = "blacklist") {
    super(reason);
    this.penalty = penalty;
  }
}

/** Java exceptions in the ban reasons of the reference. The protocol specifies the text after the first one only. */
type JavaException =
  | "IllegalArgumentException: requirement failed"
  | "IndexOutOfBoundsException"
  | "NegativeArraySizeException";

export function malformed(
  text: string,
  exception: JavaException = "IllegalArgumentException: requirement failed",
): WireError {
  return new WireError(`Malformed network message: java.lang.${exception}: ${text}`);
}

export function invalidMessage(text: string): WireError {
  return new WireError(`Invalid message. ${text}`);
}

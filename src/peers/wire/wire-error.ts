/** Protocol violations. Page 04 §6.2, §7, §21. */

/**
 * Consequence of a disconnection: the peer's origin is banned, its addresses are suspended, or nothing. Silence never
 * leads to a ban: a stopped or disconnected node is silent too, and other nodes may share its host.
 */
export type Penalty = "blacklist" | "suspend" | "close";

/** The peer broke the protocol, and nothing more is read from it. The message is the reason in the blacklist. */
export class WireError extends Error {
  override readonly name = "WireError";
  readonly penalty: Penalty;

  constructor(reason: string, penalty: Penalty = "blacklist") {
    super(reason);
    this.penalty = penalty;
  }
}

/** Exception names in the reference's reasons. Only the first has fixed texts. */
type JavaException =
  | "IllegalArgumentException: requirement failed"
  | "IndexOutOfBoundsException"
  | "NegativeArraySizeException";

/** Page 04 §6.2. */
export function malformed(
  text: string,
  exception: JavaException = "IllegalArgumentException: requirement failed",
): WireError {
  return new WireError(`Malformed network message: java.lang.${exception}: ${text}`);
}

/** Page 04 §7. @param text message of the block or transaction parser */
export function invalidMessage(text: string): WireError {
  return new WireError(`Invalid message. ${text}`);
}

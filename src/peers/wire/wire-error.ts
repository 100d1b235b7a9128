/** What a peer sent breaks the protocol. Page 04 §6.2, §7, §21. */

/**
 * What follows from the end of a connection: the peer's origin is banned, or the addresses at which it can be dialled are
 * suspended, or nothing. Silence never leads to a ban: a node that is stopped or cut off is silent too, and other nodes may
 * share its host.
 */
export type Penalty = "blacklist" | "suspend" | "close";

/**
 * Bytes that no peer may send. The connection they came on is done with: nothing behind them is looked at. The message
 * is the reason as the blacklist shows it.
 */
export class WireError extends Error {
  override readonly name = "WireError";
  readonly penalty: Penalty;

  constructor(reason: string, penalty: Penalty = "blacklist") {
    super(reason);
    this.penalty = penalty;
  }
}

/** The exceptions that peers know from the reference's reasons, of which the first is the one with fixed texts. */
type JavaException =
  | "IllegalArgumentException: requirement failed"
  | "IndexOutOfBoundsException"
  | "NegativeArraySizeException";

/** A frame that is none. Page 04 §6.2. */
export function malformed(
  text: string,
  exception: JavaException = "IllegalArgumentException: requirement failed",
): WireError {
  return new WireError(`Malformed network message: java.lang.${exception}: ${text}`);
}

/** A payload that is not that of its message; `text` is what the parser of blocks or transactions says. Page 04 §7. */
export function invalidMessage(text: string): WireError {
  return new WireError(`Invalid message. ${text}`);
}

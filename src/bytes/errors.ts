/** Bytes or text that are not what they should be. The message is the protocol's own text where it has one. */
export class DecodeError extends Error {
  override readonly name = "DecodeError";
}

/** Bytes or text that are not what they should be. The message is the protocol's own text where it has one. */
export class DecodeError extends Error {
  override readonly name: string = "DecodeError";
}

/** A text beyond the length that its reader decodes. */
export class TooLongError extends DecodeError {
  override readonly name = "TooLongError";
  /** How many bytes the text stands for. */
  readonly bytes: number;

  constructor(length: number, limit: number, bytes: number) {
    super(`text of ${length} characters, at most ${limit} are read`);
    this.bytes = bytes;
  }
}

/** What a decoder gives; undefined where it throws a `DecodeError`. */
export function tryDecode<T>(decode: () => T): T | undefined {
  try {
    return decode();
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

/** What something that was thrown says: its message, or the thing as text. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

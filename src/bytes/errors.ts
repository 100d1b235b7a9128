/** The bytes or text are malformed. The message is the protocol's if it defines one. */
export class DecodeError extends Error {
  override readonly name: string = "DecodeError";
}

export class TooLongError extends DecodeError {
  override readonly name = "TooLongError";
  /** Estimated decoded length. */
  readonly bytes: number;

  constructor(length: number, limit: number, bytes: number) {
    super(`text of ${length} characters exceeds the limit of ${limit}`);
    this.bytes = bytes;
  }
}

/** Returns undefined if the decoder throws a `DecodeError`. */
export function tryDecode<T>(decode: () => T): T | undefined {
  try {
    return decode();
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

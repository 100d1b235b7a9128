/** The run has shown a fault. */
export class FuzzError extends Error {
  override readonly name = "FuzzError";

  constructor(
    readonly seed: number,
    readonly input: number,
    last: readonly string[],
    cause: unknown,
  ) {
    const reason = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
    super(`Seed ${seed}, input ${input}: ${reason}\nThe last inputs:\n${last.join("\n")}`, { cause });
  }
}

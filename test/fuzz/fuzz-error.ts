/** A fuzz run found a failure. */
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

/** A run that ends with its first failure. */
export interface GuardedRun<Progress> {
  run(): Promise<Progress>;
  fault(error: unknown): void;
}

/** Runs the task. An unhandled rejection is a failure of the run. */
export async function runGuarded<Progress>(run: GuardedRun<Progress>): Promise<Progress> {
  const reject = (error: unknown): void => run.fault(error);
  process.on("unhandledRejection", reject);
  try {
    return await run.run();
  } finally {
    process.off("unhandledRejection", reject);
  }
}

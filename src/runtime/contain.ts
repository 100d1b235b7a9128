/** Contains errors of work started by remote input. They never count as broken invariants. */
import type { Log } from "../interfaces.ts";

interface Containment {
  readonly log: Pick<Log, "error">;
  readonly message: string;
  readonly facts?: Readonly<Record<string, unknown>>;
  readonly onFailure?: () => void;
}

/**
 * Logs the errors of `work`; never throws.
 * @returns a promise that never rejects, if `work` returned a promise
 */
export function contain(containment: Containment, work: () => unknown): Promise<void> | undefined {
  try {
    const result = work();
    if (!(result instanceof Promise)) return undefined;
    return result.then(
      () => {},
      (error: unknown) => fail(containment, error),
    );
  } catch (error) {
    fail(containment, error);
    return undefined;
  }
}

function fail({ log, message, facts = {}, onFailure }: Containment, error: unknown): void {
  log.error(message, { ...facts, error });
  try {
    onFailure?.();
  } catch (cause) {
    log.error(`${message}, and the cleanup failed too`, { ...facts, error: cause });
  }
}

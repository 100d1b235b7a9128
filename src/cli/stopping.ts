/** Ending a long command in good order. */
import { ExitCode } from "./exit-codes.ts";
import type { Io } from "./io.ts";

/** Runs work that asks `isStopped` now and then: true after a signal. A second signal ends the process at once. */
export async function stoppable<T>(io: Io, work: (isStopped: () => boolean) => Promise<T>): Promise<T> {
  let stopped = false;
  const forget = io.onSignal((signal) => {
    if (stopped) io.exit(ExitCode.failed);
    stopped = true;
    io.err(`\n${signal}: stopping after the block in hand\n`);
  });
  try {
    return await work(() => stopped);
  } finally {
    forget();
  }
}

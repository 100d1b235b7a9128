import { ExitCode, failure } from "./exit-codes.ts";
import type { Io, RemoveListener } from "./io.ts";

/** Signals within this time after the first event are ignored. */
const SIGNAL_DEBOUNCE_MS = 1_000;

/**
 * Listens for signals, and for the end of an npm that started this process.
 * @param first called for the first of these events
 * @param again called for each signal at least a second later
 */
export function onStopSignal(
  io: Io,
  first: (signal: string) => void,
  again: (signal: string) => void,
): RemoveListener {
  let stoppedAt: number | undefined;
  const begin = (signal: string): void => {
    stoppedAt = io.clock.monotonic();
    first(signal);
  };
  const removers = [
    io.onSignal((signal) => {
      if (stoppedAt === undefined) begin(signal);
      else if (io.clock.monotonic() - stoppedAt >= SIGNAL_DEBOUNCE_MS) again(signal);
    }),
    io.onOrphaned(() => {
      if (stoppedAt === undefined) begin("npm has ended");
    }),
  ];
  return () => {
    for (const remove of removers) remove();
  };
}

/**
 * Runs `work`, which must end at its next safe point after a signal. A later signal ends the process at once.
 * @param work must throw the reason of `stop` if aborted before its first change
 */
export async function runStoppable<T>(io: Io, work: (stop: AbortSignal) => Promise<T>): Promise<T> {
  const stopping = new AbortController();
  const removeListeners = onStopSignal(
    io,
    (signal) => {
      io.err(`\n${signal}: stopping at the next safe point\n`);
      stopping.abort(failure("Stopped before the work began. Start the same command again."));
    },
    (signal) => {
      io.err(`${signal} again: stopping at once\n`);
      io.exit(ExitCode.failed);
    },
  );
  try {
    return await work(stopping.signal);
  } finally {
    removeListeners();
  }
}

/**
 * Repeats a task after each interval, until a signal.
 * @param task its argument returns true after a signal
 */
export async function repeatUntilStopped(
  io: Io,
  intervalMs: number,
  task: (isStopped: () => boolean) => void | Promise<void>,
): Promise<void> {
  let isStopped = false;
  let wake = (): void => {};
  const stop = (): void => {
    isStopped = true;
    wake();
  };
  const removeListeners = onStopSignal(io, stop, stop);
  try {
    while (!isStopped) {
      await task(() => isStopped);
      if (isStopped) return;
      await new Promise<void>((resolve) => {
        const cancel = io.clock.after(intervalMs, resolve);
        wake = () => {
          cancel();
          resolve();
        };
      });
    }
  } finally {
    removeListeners();
  }
}

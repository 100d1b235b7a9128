/** Ending a long command in good order. */
import { ExitCode } from "./exit-codes.ts";
import type { Io } from "./io.ts";

/** Signals within this time are one, ms: a terminal and npm each hand on the same Ctrl-C. */
const SIGNAL_DEBOUNCE_MS = 1_000;

/**
 * Waits for what ends the process in good order: a signal, or the end of npm where that has started it.
 * @param first called once, with what it was
 * @param again called at each signal that comes later than a second after it
 * @returns how to wait no longer
 */
export function onStopSignal(
  io: Io,
  first: (signal: string) => void,
  again: (signal: string) => void,
): () => void {
  let begun: number | undefined;
  const begin = (signal: string): void => {
    begun = io.clock.monotonic();
    first(signal);
  };
  const forget = [
    io.onSignal((signal) => {
      if (begun === undefined) begin(signal);
      else if (io.clock.monotonic() - begun >= SIGNAL_DEBOUNCE_MS) again(signal);
    }),
    io.onOrphaned(() => {
      if (begun === undefined) begin("npm has ended");
    }),
  ];
  return () => {
    for (const one of forget) one();
  };
}

/** Runs work that asks `isStopped` now and then: true after a signal. A later signal ends the process at once. */
export async function runStoppable<T>(io: Io, work: (isStopped: () => boolean) => Promise<T>): Promise<T> {
  let stopped = false;
  const forget = onStopSignal(
    io,
    (signal) => {
      stopped = true;
      io.err(`\n${signal}: stopping after the block in hand\n`);
    },
    () => io.exit(ExitCode.failed),
  );
  try {
    return await work(() => stopped);
  } finally {
    forget();
  }
}

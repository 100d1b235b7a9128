/** Clean shutdown of long commands. */
import { ExitCode } from "./exit-codes.ts";
import type { Io } from "./io.ts";

/** A terminal and npm both forward the same Ctrl-C. */
const SIGNAL_DEBOUNCE_MS = 1_000;

/**
 * Waits for a signal, or for the end of npm if it started this process.
 * @param first called once
 * @param again called for each signal more than a second later
 * @returns a function that removes the listeners
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

/** Runs work that polls `isStopped`, true after a signal. A later signal ends the process immediately. */
export async function runStoppable<T>(io: Io, work: (isStopped: () => boolean) => Promise<T>): Promise<T> {
  let stopped = false;
  const forget = onStopSignal(
    io,
    (signal) => {
      stopped = true;
      io.err(`\n${signal}: stopping after the current block\n`);
    },
    () => io.exit(ExitCode.failed),
  );
  try {
    return await work(() => stopped);
  } finally {
    forget();
  }
}

interface CountedSignal {
  readonly signal: AbortSignal;
  /** Number of checks so far. */
  readonly checks: () => number;
}

/** Returns a signal that aborts with `reason` at its check number `at`, counted from 0. */
export function abortingAt(at: number, reason: Error): CountedSignal {
  const controller = new AbortController();
  const { signal } = controller;
  const check = signal.throwIfAborted.bind(signal);
  let checks = 0;
  signal.throwIfAborted = () => {
    if (checks++ === at) controller.abort(reason);
    check();
  };
  return { signal, checks: () => checks };
}

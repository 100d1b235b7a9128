import { reasonOf } from "../bytes/errors.ts";
import type { Environment } from "./environment.ts";

export interface Shutdown {
  /** Adds a step. Steps run in reverse order, before the environment closes. */
  defer(close: () => Promise<void> | void): void;
  hasBegun(): boolean;
  stop(): Promise<void>;
  /** Stops the node because of a fault. */
  giveUp(reason: Error): void;
  /** Resolves when the node has stopped; rejects if a fault stopped it. */
  readonly finished: Promise<void>;
}

export function createShutdown(environment: Pick<Environment, "close" | "log">): Shutdown {
  const steps: (() => Promise<void> | void)[] = [environment.close];
  const closeAll = async (): Promise<void> => {
    for (const close of steps.splice(0).reverse()) await close();
  };
  let finish: () => void = () => {};
  let fail: (error: unknown) => void = () => {};
  const finished = new Promise<void>((resolve, reject) => {
    finish = resolve;
    fail = reject;
  });
  // Avoid an unhandled rejection if nobody awaits `finished`.
  finished.catch(() => {});
  let stopping: Promise<void> | undefined;
  return {
    defer: (close) => {
      steps.push(close);
    },
    hasBegun: () => stopping !== undefined,
    stop: () => {
      stopping ??= closeAll().then(finish, (error: unknown) => {
        fail(error);
        throw error;
      });
      return stopping;
    },
    giveUp: (reason) => {
      if (stopping === undefined)
        environment.log.error("Stopping after a fault", { reason: reasonOf(reason) });
      stopping ??= closeAll().finally(() => fail(reason));
      stopping.catch((error: unknown) => environment.log.error("Stopping failed", { error }));
    },
    finished,
  };
}

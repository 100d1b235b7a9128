/** Keeps HTTP available: if its thread ends, another one starts on the same port. */
import type { Cancel } from "../../interfaces.ts";
import type { ApiDependencies, ApiLauncher, ApiServer } from "./api.ts";
import { ApiThreadError } from "./api-thread-error.ts";

const MINUTE_MS = 60_000;
/** Exits within the window after which the node gives up. */
const MAX_EXITS = 5;
const EXIT_WINDOW_MS = 10 * MINUTE_MS;
/** Delay of the second consecutive restart, ms; doubles for each further one. The first has no delay. */
const MIN_RESTART_DELAY_MS = 1_000;

/**
 * Returns an interface that outlives its threads. If the first thread cannot listen, that error is thrown; if a later one
 * cannot, it counts as an exit.
 * @param start starts a thread
 */
export function restartingApi(start: () => ApiLauncher): ApiLauncher {
  let current = start();
  let closing = false;
  let cancel: Cancel = () => {};
  const close = async (): Promise<void> => {
    closing = true;
    cancel();
    await current.abandon();
  };
  return {
    abandon: close,
    async serve(dependencies) {
      const first = await current.serve(dependencies);
      const keep = (server: ApiServer): void => {
        server.ended.then(() => replace());
      };
      const { clock, log, giveUp } = dependencies;
      let ends: number[] = [];
      let restarts = 0;
      const replace = (): void => {
        if (closing) return;
        const now = clock.monotonic();
        ends = [...ends.filter((at) => now - at < EXIT_WINDOW_MS), now];
        if (ends.length >= MAX_EXITS) {
          closing = true;
          giveUp(new ApiThreadError(ends.length, EXIT_WINDOW_MS / MINUTE_MS));
          return;
        }
        restarts++;
        log.error("The HTTP thread ended unexpectedly: restarting it", { restarts });
        const wait = ends.length === 1 ? 0 : MIN_RESTART_DELAY_MS * 2 ** (ends.length - 2);
        cancel = clock.after(wait, () => {
          current = start();
          current.serve(onPorts(dependencies, first, restarts)).then(
            (server) => {
              log.info(`HTTP interface restarted at ${server.url}`, { restarts });
              keep(server);
            },
            (error: unknown) => {
              if (closing) return;
              log.error("Cannot restart the HTTP interface", { error });
              replace();
            },
          );
        });
      };
      keep(first);
      return { ...first, close };
    },
  };
}

/** A restarted thread listens on the ports of the first one. */
function onPorts(
  dependencies: ApiDependencies,
  { port, adminPort }: ApiServer,
  restarts: number,
): ApiDependencies {
  const { settings } = dependencies;
  return { ...dependencies, restarts, settings: { ...settings, api: { ...settings.api, port, adminPort } } };
}

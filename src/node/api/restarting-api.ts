/** Keeps HTTP available: if its thread ends, another one starts on the same port. */
import type { Cancel } from "../../interfaces.ts";
import type { ApiDependencies, ApiLauncher, ApiServer } from "./api.ts";
import { ApiThreadError } from "./api-thread-error.ts";

const MINUTE_MS = 60_000;
/** The node gives up after this many exits within `EXIT_WINDOW_MS`. */
const MAX_EXITS = 5;
const EXIT_WINDOW_MS = 10 * MINUTE_MS;
/** Delay of the second restart within the window, ms. Each further restart doubles it; the first has no delay. */
const MIN_RESTART_DELAY_MS = 1_000;

/**
 * If the first thread cannot listen, `serve` throws its error. A later thread that cannot listen counts as ended.
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
      const restartAfter = (server: ApiServer): void => {
        server.ended.then(() => replace());
      };
      const { clock, log, giveUp } = dependencies;
      let exitTimes: number[] = [];
      let restarts = 0;
      const replace = (): void => {
        if (closing) return;
        const now = clock.monotonic();
        exitTimes = [...exitTimes.filter((at) => now - at < EXIT_WINDOW_MS), now];
        if (exitTimes.length >= MAX_EXITS) {
          closing = true;
          giveUp(new ApiThreadError(exitTimes.length, EXIT_WINDOW_MS / MINUTE_MS));
          return;
        }
        restarts++;
        log.error("The HTTP thread ended unexpectedly: restarting it", { restarts });
        const delayMs = exitTimes.length === 1 ? 0 : MIN_RESTART_DELAY_MS * 2 ** (exitTimes.length - 2);
        cancel = clock.after(delayMs, () => {
          current = start();
          current.serve(withPortsOf(first, dependencies, restarts)).then(
            (server) => {
              log.info(`HTTP interface restarted at ${server.url}`, { restarts });
              restartAfter(server);
            },
            (error: unknown) => {
              if (closing) return;
              log.error("Cannot restart the HTTP interface", { error });
              replace();
            },
          );
        });
      };
      restartAfter(first);
      return { ...first, close };
    },
  };
}

/** Keeps the ports of the first thread, even if the system chose them. */
function withPortsOf(
  { port, adminPort }: ApiServer,
  dependencies: ApiDependencies,
  restarts: number,
): ApiDependencies {
  const { settings } = dependencies;
  return { ...dependencies, restarts, settings: { ...settings, api: { ...settings.api, port, adminPort } } };
}

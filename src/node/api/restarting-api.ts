/** Keeps the HTTP interface there: when its thread ends by itself, another one takes its place on the same port. */
import type { Cancel } from "../../interfaces.ts";
import type { ApiDependencies, ApiLauncher, ApiServer } from "./api.ts";
import { ApiThreadError } from "./api-thread-error.ts";

const MINUTE_MS = 60_000;
/** So many ends within so much time end the node. */
const MAX_EXITS = 5;
const EXIT_WINDOW_MS = 10 * MINUTE_MS;
/** Wait before the second start in a row, ms; twice as long before each further one, none before the first. */
const MIN_RESTART_DELAY_MS = 1_000;

/**
 * An interface that outlives its threads. What keeps the first one from listening is thrown, as ever; later ones that
 * cannot listen count as ended.
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
        log.error("The HTTP thread ended by itself and is started anew", { restarts });
        const wait = ends.length === 1 ? 0 : MIN_RESTART_DELAY_MS * 2 ** (ends.length - 2);
        cancel = clock.after(wait, () => {
          current = start();
          current.serve(onPorts(dependencies, first, restarts)).then(
            (server) => {
              log.info(`HTTP interface at ${server.url} again`, { restarts });
              keep(server);
            },
            (error: unknown) => {
              if (closing) return;
              log.error("The HTTP interface cannot be opened again", { error });
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

/** What another thread is told: to listen where the first one did. */
function onPorts(
  dependencies: ApiDependencies,
  { port, adminPort }: ApiServer,
  restarts: number,
): ApiDependencies {
  const { settings } = dependencies;
  return { ...dependencies, restarts, settings: { ...settings, api: { ...settings.api, port, adminPort } } };
}

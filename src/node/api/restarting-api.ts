/** Restarts ended HTTP threads, on the same port. */
import type { Cancel } from "../../interfaces.ts";
import type { ApiDependencies, ApiLauncher, ApiServer } from "./api.ts";
import { ApiThreadError } from "./api-thread-error.ts";

const MINUTE_MS = 60_000;
/** The node gives up after this many exits of threads within `EXIT_WINDOW_MS`. */
const MAX_EXITS = 5;
const EXIT_WINDOW_MS = 10 * MINUTE_MS;
/** Delay of the second restart within the window, ms; doubled each time. */
const MIN_RESTART_DELAY_MS = 1_000;

/**
 * If a thread cannot listen at the start, `serve` throws its error.
 * @param threads number of threads, which share the port
 */
export function restartingApi(start: (thread: number) => ApiLauncher, threads = 1): ApiLauncher {
  const launchers = Array.from({ length: threads }, (_, thread) => start(thread));
  const restartTimers = new Map<number, Cancel>();
  let closing = false;
  const close = async (): Promise<void> => {
    closing = true;
    for (const cancel of restartTimers.values()) cancel();
    await Promise.all(launchers.map((launcher) => launcher.abandon()));
  };
  return {
    abandon: close,
    async serve(dependencies) {
      const { clock, log, giveUp } = dependencies;
      const running = new Map<number, ApiServer>();
      let exitTimes: number[] = [];
      let restarts = 0;
      const logFields = (thread: number) => (threads === 1 ? { restarts } : { restarts, thread: thread + 1 });
      const watch = (thread: number, server: ApiServer): void => {
        running.set(thread, server);
        server.ended.then(() => {
          running.delete(thread);
          replace(thread);
        });
      };
      const replace = (thread: number): void => {
        if (closing) return;
        const now = clock.monotonic();
        exitTimes = [...exitTimes.filter((at) => now - at < EXIT_WINDOW_MS), now];
        if (exitTimes.length >= MAX_EXITS) {
          closing = true;
          giveUp(new ApiThreadError(exitTimes.length, EXIT_WINDOW_MS / MINUTE_MS));
          return;
        }
        restarts++;
        log.error("The HTTP thread ended unexpectedly: restarting it", logFields(thread));
        const delayMs = exitTimes.length === 1 ? 0 : MIN_RESTART_DELAY_MS * 2 ** (exitTimes.length - 2);
        const cancel = clock.after(delayMs, () => {
          launchers[thread] = start(thread);
          serveOn(thread).then(
            (server) => {
              log.info(`HTTP interface restarted at ${server.url}`, logFields(thread));
              watch(thread, server);
            },
            (error: unknown) => {
              if (closing) return;
              log.error("Cannot restart the HTTP interface", { error });
              replace(thread);
            },
          );
        });
        restartTimers.set(thread, cancel);
      };
      const first = await launchers[0].serve(dependencies);
      watch(0, first);
      const serveOn = (thread: number): Promise<ApiServer> => {
        const [other] = running.values();
        const sharedFd = other?.fd;
        const changes = restarts === 0 ? { sharedFd } : { sharedFd, restarts };
        return launchers[thread].serve({ ...withPortsOf(first, dependencies), ...changes });
      };
      const others = Array.from({ length: threads - 1 }, (_, i) => i + 1);
      await Promise.all(others.map(async (thread) => watch(thread, await serveOn(thread))));
      return { ...first, close };
    },
  };
}

function withPortsOf({ port, adminPort }: ApiServer, dependencies: ApiDependencies): ApiDependencies {
  const { settings } = dependencies;
  return { ...dependencies, settings: { ...settings, api: { ...settings.api, port, adminPort } } };
}

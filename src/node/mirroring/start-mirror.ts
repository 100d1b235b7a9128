import { randomUUID } from "node:crypto";
import { statSync } from "node:fs";
import { hostname } from "node:os";
import { chainReader } from "../../chain/snapshot.ts";
import type { Clock, Log } from "../../interfaces.ts";
import { connectPostgres } from "../../postgres/connection/pg-connection.ts";
import { parsePostgresUrl, readPassword } from "../../postgres/connection/postgres-url.ts";
import { Mirror, type MirrorInfo } from "../../postgres/mirror/mirror.ts";
import type { Metrics } from "../../runtime/metrics.ts";
import { every, pause } from "../../runtime/timers.ts";
import { dataFile, isUnwritten } from "../../storage/disk/directory.ts";
import { withDiskErrors } from "../../storage/disk/disk-error.ts";
import { openStore } from "../../storage/store.ts";
import { observeMirror } from "./metrics.ts";
import type { MirrorOrder } from "./mirrored-node.ts";

const STORE_CHECK_INTERVAL_MS = 1_000;

interface MirrorSystem {
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

export interface RunningMirror {
  /** Undefined while no store is open. */
  readonly info: MirrorInfo | undefined;
  /**
   * Resolves when the mirror was stopped. Rejects if the mirror refuses the database, or if the store has another
   * format or network.
   */
  readonly finished: Promise<void>;
  stop(): Promise<void>;
}

/** Returns device and inode of the store's data file; undefined if there is none. */
function fileIdentity(directory: string): string | undefined {
  const stat = statSync(dataFile(directory), { throwIfNoEntry: false });
  return stat && `${stat.dev}.${stat.ino}`;
}

/**
 * Mirrors the store as soon as it exists, and again when it is replaced.
 * @throws PostgresUrlError
 */
export function startMirror(order: MirrorOrder, { clock, log, metrics }: MirrorSystem): RunningMirror {
  const { directory, identity, context, description } = order;
  const target = parsePostgresUrl(order.url);
  const password = order.password ?? readPassword(undefined, process.env);
  // Names this mirror as the database's writer.
  const holder = `${hostname()} ${process.pid} ${randomUUID().slice(0, 8)}`;
  const stopping = new AbortController();
  let mirror: Mirror | undefined;
  observeMirror(metrics, () => mirror);

  const mirrorStore = async (): Promise<void> => {
    const openedFile = fileIdentity(directory);
    const store = await openStore(directory, { network: identity, readOnly: true });
    const current = new Mirror({
      connect: () =>
        connectPostgres(target, { clock, password, applicationName: "holdfast mirror", needsPrimary: true }),
      reader: chainReader(store, context),
      network: context.profile,
      description: { ...description, store: store.id },
      clock,
      log,
      holder,
    });
    mirror = current;
    const stopChecking = every(clock, STORE_CHECK_INTERVAL_MS, "mirrored store", () => {
      if (fileIdentity(directory) === openedFile) return;
      stopChecking();
      log.info("The node has another store");
      void current.stop();
    });
    const stop = (): void => void current.stop();
    stopping.signal.addEventListener("abort", stop);
    try {
      if (!stopping.signal.aborted) await current.run();
    } finally {
      stopping.signal.removeEventListener("abort", stop);
      stopChecking();
      mirror = undefined;
      await store.close();
    }
  };

  const run = async (): Promise<void> => {
    for (let isWaiting = false; !stopping.signal.aborted; ) {
      if (await withDiskErrors(directory, () => isUnwritten(directory, identity))) {
        if (!isWaiting) log.warn("The mirror waits", { reason: `the node has no chain in ${directory} yet` });
        isWaiting = true;
        await pause(clock, STORE_CHECK_INTERVAL_MS, stopping.signal);
      } else {
        isWaiting = false;
        await mirrorStore();
      }
    }
  };
  const finished = run();
  // Avoid an unhandled rejection if nobody awaits `finished`.
  finished.catch(() => {});
  return {
    get info() {
      return mirror?.info;
    },
    finished,
    stop: async () => {
      stopping.abort();
      await finished.catch(() => {});
    },
  };
}

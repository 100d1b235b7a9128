import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { Settings } from "../../config/settings.ts";
import {
  type BackupDescription,
  type BackupRequest,
  backupName,
  listBackups,
  removeBackup,
  removeIncompleteBackups,
} from "../../storage/copies/backup.ts";
import { CopyError } from "../../storage/copies/copy-error.ts";
import { existingStores, networkIdentity } from "../composition.ts";
import type { BackupRunner } from "./backup-schedule.ts";

export interface BackupThreadData {
  readonly request: BackupRequest;
  /** One `Int32`; not 0: the backup must stop. */
  readonly stop: SharedArrayBuffer;
}

export type BackupThreadAnswer =
  | { readonly ok: true; readonly description: BackupDescription }
  | { readonly ok: false; readonly reason: string };

/** Returns a runner that writes backups in a thread. */
export function threadBackups(settings: Settings): BackupRunner {
  const { directory } = settings.backup;
  const network = networkIdentity(settings.profile);
  const stop = new SharedArrayBuffer(4);
  return {
    list: () => listBackups(directory, network),
    async write(now) {
      await removeIncompleteBackups(directory);
      const request: BackupRequest = {
        target: join(directory, backupName(now)),
        network,
        stores: await existingStores(settings),
        files: [],
        reserveBytes: settings.disk.pauseBelowBytes,
        now,
      };
      return runThread({ request, stop });
    },
    remove: (path) => removeBackup(path),
    stop: () => {
      Atomics.store(new Int32Array(stop), 0, 1);
    },
  };
}

function runThread(data: BackupThreadData): Promise<BackupDescription> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(new URL("./backup-thread.js", import.meta.url), { workerData: data });
    thread.once("message", (answer: BackupThreadAnswer) => {
      if (answer.ok) resolve(answer.description);
      else reject(new CopyError(answer.reason));
    });
    thread.once("error", reject);
    thread.once("exit", (code) => reject(new Error(`The backup thread ended with code ${code}`)));
  });
}

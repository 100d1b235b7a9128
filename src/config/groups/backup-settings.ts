import { path, whole } from "../kinds/kinds.ts";
import { DAY, duration } from "../kinds/quantity-kinds.ts";
import { withDefault } from "./define-setting.ts";

export const backupSettings = {
  directory: withDefault("backup-dir", path, (_, dataDir) => `${dataDir}/backups`, {
    about: "Directory of scheduled backups; on another disk, they survive the loss of the disk of the node",
    defaultText: "<data-dir>/backups",
  }),
  everyMs: withDefault("backup-every", duration(0, 365 * DAY), 0, {
    about: "Time between two backups of chain and anchors, such as 24h. 0: no backups",
  }),
  keep: withDefault("backup-keep", whole(1, 1_000), 7, {
    about: "Number of scheduled backups to keep; older ones are deleted after a new one is complete",
  }),
} as const;

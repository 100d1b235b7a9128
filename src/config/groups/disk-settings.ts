import { size } from "../kinds/quantity-kinds.ts";
import { optional, withDefault } from "./define-setting.ts";

const freeSpace = size(0, 2 ** 50);

export const diskSettings = {
  warnBelowBytes: optional("disk-warn-free", freeSpace, {
    about: "Warn when less space is free on the disk of the chain store",
    defaultText: "2GiB or a tenth of the chain store, whichever is larger",
  }),
  pauseBelowBytes: withDefault("disk-pause-free", freeSpace, 512 * 2 ** 20, {
    about:
      "Stop forging and refuse transactions and blocks when less space is free. 0: only when writes fail",
  }),
  resumeAboveBytes: withDefault("disk-resume-free", freeSpace, 2 ** 30, {
    about: "Continue when at least this much space is free again. It must be at least disk-pause-free",
  }),
} as const;

import { stat, statfs } from "node:fs/promises";
import type { Resources } from "../../control/index.ts";
import { dataFile } from "../../storage/disk/directory.ts";

/**
 * Measures memory and disk; unreported values are undefined.
 * @param directory of the chain store
 */
export async function measureResources(directory: string): Promise<Resources> {
  const [file, disk] = await Promise.allSettled([stat(dataFile(directory)), statfs(directory)]);
  const { bavail, blocks, bsize } =
    disk.status === "fulfilled" ? disk.value : { bavail: undefined, blocks: undefined, bsize: 0 };
  return {
    memory: process.memoryUsage.rss(),
    store: file.status === "fulfilled" ? file.value.size : undefined,
    diskFree: bavail === undefined ? undefined : bavail * bsize,
    diskTotal: blocks === undefined ? undefined : blocks * bsize,
  };
}

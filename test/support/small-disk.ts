import { execFileSync } from "node:child_process";
import { rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const BLOCK = Buffer.alloc(64 * 1024);

/** True if this process may mount file systems. */
export const mayMount: boolean = process.getuid?.() === 0 && tryMount();

function tryMount(): boolean {
  try {
    execFileSync("unshare", ["-m", "mount", "-t", "tmpfs", "tmpfs", "/mnt"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** A file system of its own for a folder, which a test fills. Its owner must not use the folder while it is mounted. */
export class SmallDisk {
  readonly #folder: string;

  /** Mounts it, with the folder's content. @param mib size */
  constructor(folder: string, mib: number) {
    this.#folder = folder;
    const copy = `${folder}-copy`;
    const { uid, gid } = statSync(folder);
    execFileSync("cp", ["-a", folder, copy]);
    const options = `size=${mib}m,uid=${uid},gid=${gid},mode=0700`;
    execFileSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", folder]);
    execFileSync("cp", ["-a", `${copy}/.`, folder]);
    rmSync(copy, { recursive: true });
  }

  get #filler(): string {
    return join(this.#folder, "filler");
  }

  /** Uses all free space. */
  fill(): void {
    try {
      for (;;) writeFileSync(this.#filler, BLOCK, { flag: "a" });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
    }
  }

  free(): void {
    rmSync(this.#filler, { force: true });
  }

  /** Puts the content back to the disk below. */
  unmount(): void {
    const copy = `${this.#folder}-copy`;
    this.free();
    execFileSync("cp", ["-a", this.#folder, copy]);
    execFileSync("umount", [this.#folder]);
    rmSync(this.#folder, { recursive: true });
    execFileSync("mv", [copy, this.#folder]);
  }
}

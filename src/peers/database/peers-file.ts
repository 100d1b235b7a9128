import { open, rename } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { makeDirectory } from "../../runtime/make-directory.ts";

export interface PeersFile {
  readonly path: string;
  /** Reads at most `limit` bytes; undefined if the file is missing. @throws system errors */
  read(limit: number): Promise<Uint8Array | undefined>;
  /** Replaces the content atomically, even if the machine crashes. @throws system errors */
  write(bytes: Uint8Array): Promise<void>;
  /** Renames the file for inspection. @returns the new path */
  setAside(): Promise<string>;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

async function flushFolder(path: string): Promise<void> {
  const folder = await open(path, "r").catch(() => undefined);
  try {
    await folder?.sync();
  } finally {
    await folder?.close();
  }
}

export class DiskPeersFile implements PeersFile {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  async read(limit: number): Promise<Uint8Array | undefined> {
    const handle = await open(this.path, "r").catch((error: unknown) => {
      if (isMissing(error)) return undefined;
      throw error;
    });
    if (handle === undefined) return undefined;
    try {
      const bytes = new Uint8Array(limit);
      let length = 0;
      for (;;) {
        const { bytesRead } = await handle.read(bytes, length, limit - length, length);
        length += bytesRead;
        if (bytesRead === 0) return bytes.slice(0, length);
      }
    } finally {
      await handle.close();
    }
  }

  async write(bytes: Uint8Array): Promise<void> {
    const folder = dirname(this.path);
    const draft = join(folder, `.${basename(this.path)}.new`);
    makeDirectory(folder);
    // Overwrite a draft that a killed process left.
    const handle = await open(draft, "w");
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, this.path);
    await flushFolder(folder);
  }

  async setAside(): Promise<string> {
    const path = `${this.path}.unreadable`;
    await rename(this.path, path);
    return path;
  }
}

/** The file of known peers on a disk. */
import { mkdir, open, rename } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** A small file that is written as a whole. */
export interface PeersFile {
  /** Where it is, for messages. */
  readonly path: string;
  /** Its bytes, or so many of them; undefined when there is none. @throws when it cannot be read */
  read(limit: number): Promise<Uint8Array | undefined>;
  /** Puts these bytes in its place: whatever happens, it is wholly the old one or wholly the new one. @throws */
  write(bytes: Uint8Array): Promise<void>;
  /** Moves it out of the way, where somebody may look at it. @throws @returns the new path */
  setAside(): Promise<string>;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

/** Flushes a folder, so that a rename in it lasts; where the system does not open folders, it does that by itself. */
async function flushFolder(path: string): Promise<void> {
  const folder = await open(path, "r").catch(() => undefined);
  try {
    await folder?.sync();
  } finally {
    await folder?.close();
  }
}

/** A file on the disk; its folder is made when it is first written. */
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
    await mkdir(folder, { recursive: true });
    // One that a kill left behind is written over.
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

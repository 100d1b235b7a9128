import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync, writeSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Command } from "commander";
import type { Settings } from "../../config/settings.ts";
import { failure } from "../exit-codes.ts";
import type { Io } from "../io.ts";
import { countText, formatCount, wholeNumber } from "../numbers.ts";
import { addSettings, settingsOf } from "../options.ts";
import { runStoppable } from "../stopping.ts";
import { Progress } from "./progress.ts";

const about = `
The file holds blocks 2, 3, … in the format of the reference node's exporter and importer: for each block its length
in 4 bytes, then its bytes. A node may use the data directory at the same time. An incomplete file has the suffix .part.

Examples:
  $ holdfast export blocks.bin --network mainnet
  $ holdfast export first-thousand.bin --to 1000
`;

const CHUNK_BYTES = 1024 * 1024;

class FileWriter {
  readonly #file: number;
  #pieces: Uint8Array[] = [];
  #size = 0;

  constructor(path: string) {
    this.#file = openSync(path, "w");
  }

  write(piece: Uint8Array): void {
    this.#pieces.push(piece);
    this.#size += piece.length;
    if (this.#size >= CHUNK_BYTES) this.#flush();
  }

  close(): void {
    this.#flush();
    fsyncSync(this.#file);
    closeSync(this.#file);
  }

  #flush(): void {
    const bytes = Buffer.concat(this.#pieces);
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at);
    this.#pieces = [];
    this.#size = 0;
  }
}

/** @throws CommandError if the file cannot be written under this name */
function checkTarget(path: string, mayReplace: boolean): void {
  const folder = dirname(resolve(path));
  if (!existsSync(folder) || !statSync(folder).isDirectory())
    throw failure(`Cannot write ${path}: the directory ${folder} does not exist`);
  if (!existsSync(path)) return;
  if (statSync(path).isDirectory()) throw failure(`Cannot write ${path}: it is a directory`);
  if (!mayReplace) throw failure(`${path} already exists: --force replaces it`);
}

/** Returns other errors than those of the system unchanged. */
function asWriteFailure(path: string, error: unknown): unknown {
  return error instanceof Error && "syscall" in error
    ? failure(`Cannot write ${path}: ${error.message}`)
    : error;
}

export function exportCommand(program: Command, io: Io): void {
  const command = program
    .command("export")
    .description("write the blocks of the chain to a file")
    .argument("<FILE>", "file to write")
    .option("--to <HEIGHT>", "last block to write (default: all)", wholeNumber(1))
    .option("--force", "replace the file if it exists")
    .addHelpText("after", about);
  addSettings(command, "node", "chain").action(async (path: string) => {
    const { settings } = await settingsOf(command, io);
    const { to, force } = command.opts<{ to?: number; force?: boolean }>();
    checkTarget(path, force === true);
    await runStoppable(io, (stop) => exportTo(path, { settings, to }, io, stop));
  });
}

async function exportTo(
  path: string,
  { settings, to }: { readonly settings: Settings; readonly to: number | undefined },
  io: Io,
  stop: AbortSignal,
): Promise<void> {
  const { exportedBlocks } = await import("../../chain/jobs/export.ts");
  const { openStore } = await import("../../storage/store.ts");
  const { tables } = await import("../../storage/tables.ts");
  const { chainDirectory, networkIdentity } = await import("../../node/composition.ts");
  const { systemClock } = await import("../../runtime/system.ts");
  stop.throwIfAborted();
  const store = await openStore(chainDirectory(settings), {
    network: networkIdentity(settings.profile),
    readOnly: true,
  });
  const part = `${path}.part`;
  const progress = new Progress(io, systemClock, "Exporting", "blocks");
  try {
    const tip = store.read((reader) => reader.get(tables.tip, undefined)?.height ?? 1);
    const total = Math.min(tip, to ?? tip);
    const writer = new FileWriter(part);
    let blocks = 0;
    for await (const { height, entry } of exportedBlocks(store, total)) {
      if (stop.aborted) throw failure("Stopped. Nothing was exported.");
      writer.write(entry);
      blocks++;
      progress.show({ done: height, total, count: blocks, height });
    }
    writer.close();
    renameSync(part, path);
    progress.end();
    io.out(`Exported ${countText(blocks, "block")}, up to height ${formatCount(blocks + 1)}, to ${path}.\n`);
  } catch (error) {
    throw asWriteFailure(path, error);
  } finally {
    progress.end();
    rmSync(part, { force: true });
    await store.close();
  }
}

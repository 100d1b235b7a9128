import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { type Command, Option } from "commander";
import { encodeBase58 } from "../../bytes/base58.ts";
import { durationText } from "../../bytes/durations.ts";
import type { ByteSource, Trust } from "../../chain/jobs/import.ts";
import type { Settings } from "../../config/settings.ts";
import { systemClock } from "../../runtime/system.ts";
import { DEFAULT_CHECKER_THREADS } from "../../runtime/threads/thread-count.ts";
import { failure } from "../exit-codes.ts";
import type { Io } from "../io.ts";
import { countText, formatCount, wholeNumber } from "../numbers.ts";
import { addSettings, settingsOf } from "../options.ts";
import { runStoppable } from "../stopping.ts";
import { Progress } from "./progress.ts";

const about = `
The file is an export of \`holdfast export\` or of the reference node: blocks 2, 3, … of one chain. Known blocks are
skipped, so an interrupted import, even after a power failure, continues when it is started again. Every block is
checked like a block of a peer. An invalid block ends the import with its height and the reason; the blocks before it
stay. With --assume-valid, the blocks up to a named block are applied with all checks except those of signatures and
scripts. No node may use the data directory at the same time.

Examples:
  $ holdfast import blocks.bin --network mainnet
  $ holdfast import blocks.bin --genesis my-network.json
  $ holdfast import blocks.bin --assume-valid 4QfSH…
`;

function openFile(path: string): ByteSource & { close(): void } {
  try {
    const file = openSync(path, "r");
    const stats = fstatSync(file);
    if (!stats.isFile()) throw new Error("it is not a file");
    return {
      size: stats.size,
      read: (target, position) => readSync(file, target, 0, target.length, position),
      close: () => closeSync(file),
    };
  } catch (error) {
    throw failure(`Cannot read ${path}: ${(error as Error).message}`);
  }
}

export function addThreadsOption(command: Command): Command {
  return command.addOption(
    new Option("--threads <N>", "threads that check signatures; the writer thread helps them")
      .argParser(wholeNumber(1))
      .default(DEFAULT_CHECKER_THREADS, "number of cores minus 1"),
  );
}

/**
 * Checks the first block, before anything is created.
 * @returns false if the file has no blocks
 * @throws CommandError if the block is invalid, and the reason of `stop`
 */
async function checkFirstBlock(
  settings: Settings,
  source: ByteSource,
  io: Io,
  stop: AbortSignal,
): Promise<boolean> {
  const { firstBlockOf, importBlocks } = await import("../../chain/jobs/import.ts");
  const { withOfflineNode } = await import("./offline-node.ts");
  const options = { threads: 1, inMemory: true, signal: stop };
  return withOfflineNode(settings, io, options, async ({ chain }, verifier) => {
    const { assumeValid } = settings.imports;
    const checked = assumeValid === undefined ? firstBlockOf(source) : source;
    const { refused } = await importBlocks(chain, settings.profile, checked, {
      verifier,
      commitEvery: 1,
      assumeValid,
      isStopped: () => chain.tip.height > 1 || stop.aborted,
    });
    stop.throwIfAborted();
    if (refused !== undefined) throw failure(`${refusalText(refused)}. Nothing was imported.`);
    return chain.tip.height > 1;
  });
}

const refusalText = ({ height, reason }: { readonly height: number; readonly reason: string }): string =>
  `Block ${height} of the file is invalid: ${reason}`;

function trustText(trust: Trust): string {
  if (trust.kind === "trusted")
    return (
      `Not checked, because of --assume-valid: signatures and scripts of blocks ${trust.from} to ${trust.to}. ` +
      "`holdfast verify --signatures` checks them.\n"
    );
  const where =
    trust.kind === "known"
      ? `is already in the chain, at height ${trust.height}`
      : "is not in the file, or the file's blocks do not continue the stored chain";
  return `The block of --assume-valid ${where}: every signature is checked.\n`;
}

export function importCommand(program: Command, io: Io): void {
  const command = program
    .command("import")
    .description("import the blocks of a file")
    .argument("<FILE>", "file of blocks")
    .option(
      "--commit-every <N>",
      "transactions per commit: fewer need less memory, more are faster (default: 60000)",
      wholeNumber(1),
    )
    .addHelpText("after", about);
  addThreadsOption(command);
  addSettings(command, "node", "wallet", "chain", "imports", "index", "anchoring").action(
    async (path: string) => {
      const { settings } = await settingsOf(command, io);
      const { commitEvery, threads } = command.opts<{ commitEvery?: number; threads: number }>();
      const source = openFile(path);
      try {
        await runStoppable(io, (stop) => importFile({ settings, source, threads, commitEvery }, io, stop));
      } finally {
        source.close();
      }
    },
  );
}

interface ImportRequest {
  readonly settings: Settings;
  readonly source: ByteSource;
  readonly threads: number;
  readonly commitEvery: number | undefined;
}

async function importFile(
  { settings, source, threads, commitEvery }: ImportRequest,
  io: Io,
  stop: AbortSignal,
): Promise<void> {
  const { importBlocks } = await import("../../chain/jobs/import.ts");
  const { withOfflineNode } = await import("./offline-node.ts");
  const { hasNoStore } = await import("../../node/composition.ts");
  if ((await hasNoStore(settings)) && !(await checkFirstBlock(settings, source, io, stop))) {
    io.out("The file has no blocks: nothing was imported.\n");
    return;
  }
  const progress = new Progress(io, systemClock, "Importing", "transactions");
  try {
    await withOfflineNode(settings, io, { threads, signal: stop }, async ({ chain }, verifier) => {
      const result = await importBlocks(chain, settings.profile, source, {
        verifier,
        commitEvery,
        assumeValid: settings.imports.assumeValid,
        onTrust: (trust) => io.err(trustText(trust)),
        isStopped: () => stop.aborted,
        progress: ({ height, transactions, done, total }) =>
          progress.show({ done, total, count: transactions, height }),
      });
      progress.end();
      const { tip } = chain;
      const { known, blocks, transactions, outcome, refused } = result;
      if (known > 0)
        io.out(
          `Skipped ${countText(known, "block")} that ${known === 1 ? "was" : "were"} already in the chain.\n`,
        );
      const time = progress.elapsed;
      const rate = `${formatCount((transactions * 1_000) / Math.max(time, 1))} transactions/s`;
      io.out(
        `Imported ${countText(blocks, "block")} with ${countText(transactions, "transaction")} in ${durationText(time)} (${rate}).\n` +
          `The chain is at height ${formatCount(tip.height)}, block ${encodeBase58(tip.id)}.\n`,
      );
      if (refused !== undefined) throw failure(refusalText(refused));
      if (outcome === "stopped") throw failure("Stopped. Start the same import again to continue.");
    });
  } finally {
    progress.end();
  }
}

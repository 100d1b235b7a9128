import { closeSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import type { Command } from "commander";
import { encodeBase58 } from "../../bytes/base58.ts";
import type { Chain } from "../../chain/chain.ts";
import type { Settings } from "../../config/settings.ts";
import { systemClock } from "../../runtime/system.ts";
import type { Store } from "../../storage/store.ts";
import { failure } from "../exit-codes.ts";
import type { Io } from "../io.ts";
import { countText, formatCount, wholeNumber } from "../numbers.ts";
import { addSettings, settingsOf } from "../options.ts";
import { runStoppable } from "../stopping.ts";
import { addThreadsOption } from "./import.ts";
import { Progress } from "./progress.ts";

const about = `
Blocks within the rollback depth are removed in seconds. For a deeper height the chain is rebuilt from its stored
blocks, with every check: that takes as long as an import, and needs free disk space for a second store. Without --yes,
the command only reports this cost. The chain is unchanged until the rebuild is complete. No node may use the data
directory at the same time.

Examples:
  $ holdfast rollback 2900000 --network mainnet
  $ holdfast rollback 1000 --yes
`;

export function rollbackCommand(program: Command, io: Io): void {
  const command = program
    .command("rollback")
    .description("remove all blocks above a height")
    .argument("<HEIGHT>", "height of the new last block", wholeNumber(1))
    .option("--yes", "if the rollback is deeper than --rollback-depth, rebuild the chain from its blocks")
    .addHelpText("after", about);
  addThreadsOption(command);
  addSettings(command, "node", "wallet", "chain", "index", "anchoring").action(async (height: number) => {
    const { settings } = await settingsOf(command, io);
    const { yes, threads } = command.opts<{ yes?: boolean; threads: number }>();
    await runStoppable(io, (stop) => rollBackTo({ settings, height, threads, yes, io, stop }));
  });
}

interface RollbackRequest {
  readonly settings: Settings;
  readonly height: number;
  readonly threads: number;
  readonly yes: boolean | undefined;
  readonly io: Io;
  readonly stop: AbortSignal;
}

async function rollBackTo({ settings, height, threads, yes, io, stop }: RollbackRequest): Promise<void> {
  const { lowestRollbackHeight, rebuildCost, rollBack } = await import("../../chain/jobs/rollback.ts");
  const { requireChain, withOfflineNode } = await import("./offline-node.ts");
  await requireChain(settings);
  const progress = new Progress(io, systemClock, "Rolling back", "transactions");
  await withOfflineNode(
    settings,
    io,
    { threads, signal: stop },
    async ({ chain, environment: { store } }) => {
      const { height: top } = chain.tip;
      if (height > top)
        throw failure(`The chain is at height ${formatCount(top)}: there is no block ${formatCount(height)}`);
      const lowest = store.read(lowestRollbackHeight);
      if (height >= lowest) {
        const done = await rollBack(chain, height, {
          isStopped: () => stop.aborted,
          progress: (at) =>
            progress.show({ done: top - at, total: top - height, count: top - at, height: at }),
        });
        progress.end();
        if (!done)
          throw failure(
            `Stopped at height ${formatCount(chain.tip.height)}. Start the same command again to continue.`,
          );
        chain.persistTip();
        reportTip(io, chain);
        return;
      }
      const { blocks, transactions, bytes } = store.read((reader) => rebuildCost(reader, height));
      const cost = `${countText(blocks, "block")} with ${countText(transactions, "transaction")}, ${formatCount(bytes / 1e6)} MB`;
      if (yes !== true)
        throw failure(
          `Blocks can be removed down to height ${formatCount(lowest)}. For height ${formatCount(height)} the chain must be rebuilt: ` +
            `${cost}, checked as in an import. Meanwhile the disk needs space for a second store. Nothing was changed; --yes starts the rebuild.`,
        );
      io.err(`Rebuilding the chain: ${cost}\n`);
      await rebuildChain({ settings, io, store, height, threads, progress, stop });
    },
  ).finally(() => progress.end());
}

function reportTip(io: Io, { tip }: Chain): void {
  io.out(`The chain is at height ${formatCount(tip.height)}, block ${encodeBase58(tip.id)}.\n`);
}

interface RebuildRequest {
  readonly settings: Settings;
  readonly io: Io;
  readonly store: Store;
  readonly height: number;
  readonly threads: number;
  readonly progress: Progress;
  readonly stop: AbortSignal;
}

/** Builds a new store and atomically replaces the old one. */
async function rebuildChain({
  settings,
  io,
  store,
  height,
  threads,
  progress,
  stop,
}: RebuildRequest): Promise<void> {
  const { rebuild } = await import("../../chain/jobs/rollback.ts");
  const { withOfflineNode, temporaryFolder } = await import("./offline-node.ts");
  const { dataFile } = await import("../../storage/disk/directory.ts");
  const { tables } = await import("../../storage/tables.ts");
  const { chainDirectory } = await import("../../node/composition.ts");
  const folder = temporaryFolder(settings, "rollback");
  // A killed run may have left this directory.
  rmSync(folder, { recursive: true, force: true });
  await withOfflineNode(
    settings,
    io,
    { threads, directory: folder, signal: stop },
    async (fresh, verifier) => {
      const checkpoint = store.get(tables.checkpoint, undefined);
      if (checkpoint !== undefined)
        fresh.environment.store.write((batch) => batch.put(tables.checkpoint, undefined, checkpoint));
      const { outcome, refused } = await rebuild(fresh.chain, settings.profile, store, height, {
        verifier,
        isStopped: () => stop.aborted,
        progress: ({ height: at, transactions, done, total }) =>
          progress.show({ done, total, count: transactions, height: at }),
      });
      progress.end();
      if (outcome === "stopped") throw failure("Stopped. The chain is unchanged.");
      if (refused !== undefined)
        throw failure(
          `The stored block ${formatCount(refused.height)} is invalid: ${refused.reason}. The chain is unchanged.`,
        );
      await fresh.stop();
      // The old store stays locked: no node can start.
      const target = dataFile(chainDirectory(settings));
      renameSync(dataFile(folder), target);
      const directory = openSync(dirname(target), "r");
      fsyncSync(directory);
      closeSync(directory);
      reportTip(io, fresh.chain);
    },
  ).finally(() => rmSync(folder, { recursive: true, force: true }));
}

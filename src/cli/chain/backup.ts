import type { Command } from "commander";
import type { Settings } from "../../config/settings.ts";
import { failure } from "../exit-codes.ts";
import type { Io } from "../io.ts";
import { formatCount } from "../numbers.ts";
import { addSettings, settingsOf } from "../options.ts";
import { runStoppable } from "../stopping.ts";

const about = `
DIR is a new directory with the layout of a data directory: \`holdfast start --data-dir DIR\` continues from it. It
contains the chain with its indexes, and pending anchors with their trees, all as of the same moment. The node may run
meanwhile, and continues to forge. The command reads the data directory itself, so start it on the node's machine, as
the node's user. Until the backup is complete, the directory has the name DIR.incomplete and cannot be used.

Examples:
  $ holdfast backup /mnt/backups/monday --network mainnet
  $ holdfast backup /mnt/safe/node --with-wallet
  $ holdfast start --backup-every 24h --backup-dir /mnt/backups
`;

export function backupCommand(program: Command, io: Io): void {
  const command = program
    .command("backup")
    .description("copy chain and pending anchors of a running or stopped node")
    .argument("<DIR>", "new directory of the backup")
    .option("--with-wallet", "also copy the wallet file and the file of its password")
    .addHelpText("after", about);
  addSettings(command, "node", "wallet", "disk").action((target: string) =>
    runStoppable(io, async (stop) => {
      io.lowerPriority?.();
      const { settings } = await settingsOf(command, io);
      const { withWallet = false } = command.opts<{ withWallet?: boolean }>();
      await backUp(target, { settings, withWallet }, io, stop);
    }),
  );
}

async function backUp(
  target: string,
  { settings, withWallet }: { readonly settings: Settings; readonly withWallet: boolean },
  io: Io,
  stop: AbortSignal,
): Promise<void> {
  const { existingStores, networkIdentity } = await import("../../node/composition.ts");
  const { writeBackup } = await import("../../storage/copies/backup.ts");
  const { passwordPath } = await import("../../wallet/open.ts");
  const { noChainError } = await import("./offline-node.ts");
  const { Progress } = await import("./progress.ts");
  const { systemClock } = await import("../../runtime/system.ts");
  stop.throwIfAborted();
  const stores = await existingStores(settings);
  if (!stores.some(([name]) => name === "chain")) throw noChainError(settings);
  const { file } = settings.wallet;
  const progress = new Progress(io, systemClock, "Copying", "MB");
  const { bytes, contents, height, block } = await writeBackup(
    {
      target,
      network: networkIdentity(settings.profile),
      stores,
      files: withWallet
        ? [
            ["wallet/wallet.bin", file],
            ["wallet/wallet.bin.password", passwordPath(file)],
          ]
        : [],
      reserveBytes: settings.disk.pauseBelowBytes,
      now: systemClock.now(),
    },
    {
      isStopped: () => stop.aborted,
      progress: (done, total) => progress.show({ done, total, count: Math.floor(done / 1e6) }),
    },
  ).finally(() => progress.end());
  const hasWallet = contents.includes("wallet/wallet.bin");
  if (withWallet && !hasWallet)
    throw failure(`The backup ${target} is complete, but there is no wallet file ${file} to copy`);
  const newest = height === undefined ? "" : ` up to height ${formatCount(height)}, block ${block}`;
  io.out(
    `Copied ${contents.join(", ")} (${formatCount(Math.ceil(bytes / 1e6))} MB)${newest}, to ${target}.\n`,
  );
  const omitted = [
    ...(hasWallet ? [] : ["the wallet (--with-wallet)"]),
    "known peers and bans, settings, API keys, logs",
  ];
  io.out(`Not in the backup: ${omitted.join("; ")}.\n`);
}

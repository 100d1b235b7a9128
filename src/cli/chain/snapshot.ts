import type { Command } from "commander";
import type { Io } from "../io.ts";
import { addSettings, settingsOf } from "../options.ts";
import { addTrustFlags, type TrustFlags } from "./trust-flags.ts";

const about = `
A snapshot is a folder with the chain and its indexes in compressed chunks, and a manifest with their hashes. Other
nodes restore it in a fraction of the time of an import, from a folder or over HTTP.

Examples:
  $ holdfast snapshot create /srv/snapshots/monday --network mainnet \\
      --sign 3JuijVBB7NCwCz2Ae5HhCDsqCXzeBLRTyeL
  $ holdfast snapshot verify /srv/snapshots/monday --network mainnet
  $ holdfast snapshot restore https://example.com/monday --network mainnet \\
      --trusted-key KEY
`;

const aboutRestore = `
SOURCE is the folder of a snapshot, its manifest, or the URL of one of them. The data directory must have no chain. The
hashes of a snapshot show that it is undamaged, not that its content is true: name a key whose signature you trust, or a
block that you know from another source. \`holdfast verify\` checks every signature and row afterwards. If the command
is killed, run it again: it continues with what was written. No node starts before the restore is complete.
`;

export function snapshotCommand(program: Command, io: Io): void {
  const snapshot = program
    .command("snapshot")
    .description("make, verify and restore snapshots of the chain")
    .addHelpText("after", about);
  const create = snapshot
    .command("create")
    .description("write a snapshot of a running or stopped node's chain")
    .argument("<DIR>", "new folder")
    .option("--sign <ADDRESS>", "account of the wallet that signs the manifest")
    .addHelpText("after", about);
  addSettings(create, "node", "wallet", "disk").action(async (target: string) => {
    io.lowerPriority?.();
    const { settings } = await settingsOf(create, io);
    const { writeSnapshotTo } = await import("./snapshot-actions.ts");
    await writeSnapshotTo(settings, target, create.opts<{ sign?: string }>().sign, io);
  });
  const verify = snapshot
    .command("verify")
    .description("check the manifest, signature and all chunks of a snapshot")
    .argument("<SOURCE>", "folder or URL")
    .addHelpText("after", about);
  addSettings(verify, "node").action(async (source: string) => {
    const { settings } = await settingsOf(verify, io);
    const { verifySnapshotAt } = await import("./snapshot-actions.ts");
    await verifySnapshotAt(settings, source, io);
  });
  const restore = snapshot
    .command("restore")
    .description("restore the chain of a new data directory from a snapshot")
    .argument("<SOURCE>", "folder or URL")
    .addHelpText("after", aboutRestore);
  addTrustFlags(restore);
  addSettings(restore, "node", "chain", "disk").action(async (source: string) => {
    const { settings } = await settingsOf(restore, io);
    const { restoreSnapshotFrom } = await import("./snapshot-actions.ts");
    await restoreSnapshotFrom(settings, source, restore.opts<TrustFlags>(), io);
  });
}

import type { Command } from "commander";
import type { Io } from "../io.ts";
import { addSettings, settingsOf } from "../options.ts";

const about = `
A node has a store of the chain with its indexes, and may have a store of pending anchors. stats and check read the
files of the stores, so start both commands on the node's machine, as the node's user. They write nothing.

Examples:
  $ holdfast db stats --network mainnet
  $ holdfast db check --network mainnet
  $ holdfast db compact --data-dir /srv/holdfast
`;

const aboutStats = `
The node may run meanwhile. During the command, which takes seconds, the file may grow, because the node cannot reuse
pages; the command stops after ten minutes. [tree] counts the upper pages of the tree, which no single table owns;
[overhead] counts the pages of the list of free pages.

Example:
  $ holdfast db stats --network mainnet --json
`;

const aboutCheck = `
Checks that all pages of the store can be read: every page is in use once or free, and each table has as many keys as
recorded, in order. Checks of the rows: each can be read, each block follows its parent, and the numbers of rows, transactions,
sorted runs, leases and sponsors match. The node may run meanwhile, as for \`holdfast db stats\`. Pages have no
checksums, so only \`holdfast verify\`, which applies all blocks, finds a wrong amount in a readable row.

Exit codes: 0: no faults, 4: faults, or the store cannot be read.

Example:
  $ holdfast db check --network mainnet
`;

const aboutCompact = `
Writes the rows, without free pages, to a new file next to the old one, checks the new file, and replaces the old file
in one step. Stop the node first. The disk needs space for the new file. Ctrl-C or a kill leaves one complete file, the
old or the new one.

Example:
  $ holdfast db compact --network mainnet
`;

export function dbCommand(program: Command, io: Io): void {
  const db = program
    .command("db")
    .description("show, check and compact the stores of a node")
    .addHelpText("after", about);
  const stats = db
    .command("stats")
    .description("show rows and bytes of each table of a running or stopped node")
    .option("--json", "print JSON")
    .addHelpText("after", aboutStats);
  addSettings(stats, "node").action(async () => {
    const { settings } = await settingsOf(stats, io);
    const { showStatistics } = await import("./db-actions.ts");
    await showStatistics(settings, stats.opts<{ json?: true }>().json ?? false, io);
  });
  const check = db
    .command("check")
    .description("check pages and rows of a running or stopped node")
    .addHelpText("after", aboutCheck);
  addSettings(check, "node").action(async () => {
    const { settings } = await settingsOf(check, io);
    const { checkStores } = await import("./db-actions.ts");
    await checkStores(settings, io);
  });
  const compact = db
    .command("compact")
    .description("give unused space of a stopped node's stores back to the disk")
    .addHelpText("after", aboutCompact);
  addSettings(compact, "node", "chain", "disk").action(async () => {
    const { settings } = await settingsOf(compact, io);
    const { compactStores } = await import("./db-actions.ts");
    await compactStores(settings, io);
  });
}

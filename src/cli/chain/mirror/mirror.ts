import { type Command, Option } from "commander";
import type { LoadedSettings } from "../../../config/load.ts";
import { UsageError } from "../../exit-codes.ts";
import type { Io } from "../../io.ts";
import { addSettings, settingsOf } from "../../options.ts";
import { addSchemaCommands } from "./schema-commands.ts";

const about = `
Copies the chain of a node on this machine to PostgreSQL, and keeps the copy current. The node may run, or not exist
yet: the command reports what it waits for. \`holdfast mirror migrate\` creates the tables.
Readers see the views of the schema \`holdfast\`: docs/sql.md. \`holdfast start --mirror-to\` copies the chain in a
thread of the node.

The URL must not contain the password: give it in --mirror-password-file, HOLDFAST_MIRROR_PASSWORD or PGPASSWORD.
With --metrics-port, the port also answers /health/ready: status 503 while the copy is not current.

Exit codes: 0 stopped, 2 settings, 4 data directory, 16 the database is refused.

Examples:
  $ holdfast mirror migrate --to postgres://owner@db/chain
  $ holdfast mirror --network mainnet --to postgres://writer@db/chain
  $ holdfast mirror verify --network mainnet --to postgres://writer@db/chain
`;

const groups = ["node", "wallet", "chain", "index", "anchoring", "mirror", "monitoring"] as const;

function addTarget(command: Command): Command {
  return command.addOption(new Option("--to <URL>", "database: postgres://USER@HOST:PORT/DATABASE"));
}

async function targetOf(command: Command, io: Io): Promise<LoadedSettings & { readonly url: string }> {
  const loaded = await settingsOf(command, io, true);
  const url = command.opts<{ to?: string }>().to ?? loaded.settings.mirror.to;
  if (url === undefined)
    throw new UsageError("--to is missing: name the database, postgres://USER@HOST:PORT/DATABASE");
  return { ...loaded, url };
}

export function mirrorCommand(program: Command, io: Io): void {
  const mirror = program
    .command("mirror")
    .description("copy the chain to PostgreSQL, and keep the copy current")
    .option(
      "--max-lag <DURATION>",
      "how long the copy may lack the node's newest unit before /health/ready answers 503",
      "10s",
    )
    .addHelpText("after", about);
  addTarget(mirror);
  addSettings(mirror, ...groups).action(async () => {
    const { settings, url } = await targetOf(mirror, io);
    const { runMirror } = await import("./mirror-actions.ts");
    await runMirror(settings, url, mirror.opts<{ maxLag: string }>().maxLag, io);
  });
  addSchemaCommands(mirror, io, addTarget, targetOf);
  const verify = mirror
    .command("verify")
    .description("compare the tables with the chain of the node")
    .addHelpText(
      "after",
      `
Compares each row of each table with the node's blocks, and lists the differences. Node and mirror may run.

Exit codes: 0: no differences, 1: differences.
`,
    );
  addTarget(verify);
  addSettings(verify, ...groups).action(async () => {
    const { settings, url } = await targetOf(verify, io);
    const { verifyMirror } = await import("./mirror-actions.ts");
    await verifyMirror(settings, url, io);
  });
}

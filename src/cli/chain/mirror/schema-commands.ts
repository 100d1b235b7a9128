import { type Command, InvalidArgumentError } from "commander";
import type { LoadedSettings } from "../../../config/load.ts";
import type { Io } from "../../io.ts";
import { addSettings, settingsOf } from "../../options.ts";

const aboutMigrate = `
Creates roles, tables and views in an empty database, or upgrades those of an older program. Mirror and gateways may run
meanwhile. The first time, connect as a role that may create roles, later as holdfast_owner.

Exit codes: 0 done, 2 settings, 16 the database is refused: nothing was written.

Example:
  $ holdfast mirror migrate --to postgres://postgres@db/chain
`;

const aboutPlan = `
Reads at most 2,000 blocks of the node's chain. The command needs no database, and the node may run.

Example:
  $ holdfast mirror plan --network mainnet
`;

const aboutDrop = `
Drops tables and views with all rows. Without --yes, the command only says what it would drop. The roles stay, because
other databases of the server may use them. --format drops only the tables of an older format, after an upgrade.

Exit codes: 0 dropped, 1 not confirmed, 2 settings, 16 the database is refused.

Examples:
  $ holdfast mirror drop --to postgres://holdfast_owner@db/chain --yes
`;

type TargetOf = (command: Command, io: Io) => Promise<LoadedSettings & { readonly url: string }>;

function formatNumber(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text))
    throw new InvalidArgumentError("It must be a whole number from 1 to 9999.");
  return Number(text);
}

export function addSchemaCommands(
  mirror: Command,
  io: Io,
  addTarget: (command: Command) => Command,
  targetOf: TargetOf,
): void {
  const plan = mirror
    .command("plan")
    .description("predict the size of the tables, before anything is written")
    .option("--json", "print JSON")
    .addHelpText("after", aboutPlan);
  addSettings(plan, "node", "wallet", "chain", "index", "anchoring").action(async () => {
    const { settings } = await settingsOf(plan, io, true);
    const { showPlan } = await import("./schema-actions.ts");
    await showPlan(settings, plan.opts<{ json?: true }>().json ?? false, io);
  });
  const migrate = mirror
    .command("migrate")
    .description("create or upgrade tables, views and roles")
    .addHelpText("after", aboutMigrate);
  addTarget(migrate);
  addSettings(migrate, "node", "mirror").action(async () => {
    const { settings, url } = await targetOf(migrate, io);
    const { migrateDatabase } = await import("./schema-actions.ts");
    await migrateDatabase(settings, url, io);
  });
  const drop = mirror
    .command("drop")
    .description("drop tables and views with all rows")
    .option("--format <NUMBER>", "drop only the tables of the format with this number", formatNumber)
    .option("--yes", "drop the tables and views; without this flag, only list them")
    .addHelpText("after", aboutDrop);
  addTarget(drop);
  addSettings(drop, "node", "mirror").action(async () => {
    const { settings, url } = await targetOf(drop, io);
    const { dropFrom } = await import("./schema-actions.ts");
    await dropFrom(settings, url, drop.opts<{ format?: number; yes?: true }>(), io);
  });
}

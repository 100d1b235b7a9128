import type { Command } from "commander";
import type { Settings } from "../../../config/settings.ts";
import { UsageError } from "../../exit-codes.ts";
import type { Io } from "../../io.ts";
import { addSettings, settingsOf } from "../../options.ts";
import { openLogs, runProcess } from "../../start.ts";

const about = `
Answers reads from its own copy of the chain, with the same bytes as the node. It fills the copy from the database that
\`holdfast mirror\` writes. It asks the nodes for pool, peers and health, and sends them transactions and hashes.
The network comes from the database. The folder may be deleted while the gateway is stopped.

Examples:
  $ holdfast gateway --from postgres://gateway@10.0.0.5/chain \\
      --nodes tls://10.0.0.6:6871,tls://10.0.0.7:6871 \\
      --nodes-token-file token --nodes-ca control.pem
  $ PGPASSWORD=secret holdfast gateway --from postgres://gateway@127.0.0.1/chain

Exit codes: see \`holdfast start --help\`.
`;

const aboutVerify = `
Compares each unit in the gateway's folder with the same unit in the database: bytes, parent, arrival and digest. A
digest covers the rows that the unit wrote. Then prints the newest unit that folder and database have in common. Gateway
and mirror may run; the gateway may be behind.

To compare rows as well, stop the gateway and run \`holdfast verify\` with its folder as --data-dir.

Exit codes: 0 no differences, 1 differences, 2 settings, 4 no chain in the folder, 16 the database is refused.

Example:
  $ holdfast gateway verify --from postgres://gateway@10.0.0.5/chain
`;

function requireDatabase({ gateway: { from } }: Settings): void {
  if (from.length === 0)
    throw new UsageError("A gateway needs a database: --from postgres://USER@HOST/DATABASE");
}

function isNetworkGiven({ given }: Settings): boolean {
  return given.has("node.network") || given.has("node.genesis");
}

export function gatewayCommand(program: Command, io: Io): void {
  const command = program
    .command("gateway")
    .description("answer reads from the chain in PostgreSQL")
    .addHelpText("after", about);
  addSettings(
    command,
    "node",
    "api",
    "gateway",
    "following",
    "chain",
    "disk",
    "backup",
    "index",
    "monitoring",
  ).action(async () => {
    const { settings } = await settingsOf(command, io, true);
    requireDatabase(settings);
    const logs = await openLogs(settings, io);
    const { log, levels } = logs;
    await runProcess(io, logs, async (signal) => {
      if (isNetworkGiven(settings) || io.databaseNetwork === undefined)
        return io.startNode(settings, log, levels, signal);
      const network = await io.databaseNetwork(settings, log, signal);
      const found = await settingsOf(command, io, true, new Map([["network", network]]));
      return io.startNode(found.settings, log, levels, signal);
    });
  });
  const verify = command
    .command("verify")
    .description("compare the gateway's copy with the database")
    .addHelpText("after", aboutVerify);
  addSettings(verify, "node", "gateway", "chain", "index").action(async () => {
    const { settings } = await settingsOf(verify, io, true);
    requireDatabase(settings);
    const { networkInDatabase, verifyGateway } = await import("./gateway-actions.ts");
    if (isNetworkGiven(settings)) return verifyGateway(settings, io);
    const network = await networkInDatabase(settings, io);
    return verifyGateway((await settingsOf(verify, io, true, new Map([["network", network]]))).settings, io);
  });
}

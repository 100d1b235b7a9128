import type { Command } from "commander";
import { UsageError } from "../../exit-codes.ts";
import type { Io } from "../../io.ts";
import { addSettings, settingsOf } from "../../options.ts";
import { openLogs, runProcess } from "../../start.ts";

const about = `
Answers reads from its own copy of the chain, which it fills from PostgreSQL (\`holdfast mirror\` writes it), with the
bytes of the node. It asks the nodes for the pool, peers and health, and sends them transactions and hashes to anchor.
The network comes from the database. The folder may be deleted while the gateway is stopped.

Examples:
  $ holdfast gateway --from postgres://gateway@10.0.0.5/chain \\
      --nodes tls://10.0.0.6:6871,tls://10.0.0.7:6871 \\
      --nodes-token-file token --nodes-ca control.pem
  $ PGPASSWORD=secret holdfast gateway --from postgres://gateway@127.0.0.1/chain

Exit codes: as of \`holdfast start\`.
`;

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
    if (settings.gateway.from.length === 0)
      throw new UsageError("A gateway needs a database: --from postgres://USER@HOST/DATABASE");
    const logs = await openLogs(settings, io);
    const { log, levels } = logs;
    const { given } = settings;
    const isNamed = given.has("node.network") || given.has("node.genesis");
    await runProcess(io, logs, async (signal) => {
      if (isNamed || io.databaseNetwork === undefined) return io.startNode(settings, log, levels, signal);
      const network = await io.databaseNetwork(settings, log, signal);
      const found = await settingsOf(command, io, true, new Map([["network", network]]));
      return io.startNode(found.settings, log, levels, signal);
    });
  });
}

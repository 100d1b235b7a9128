import type { Command } from "commander";
import { CommandError, ExitCode } from "../exit-codes.ts";
import { helpWidth } from "../help.ts";
import type { Io } from "../io.ts";
import { addSettings, everyGroup, readSettings } from "../options.ts";
import { checksJson, checksText } from "./check.ts";

const about = `
Give the command the settings of the node. It checks the settings, Node.js, ports, disk, clock, memory, file handles,
and the permissions of data directory, wallet, key and settings files. The node may be running or stopped. The command
changes nothing and opens neither the store nor the wallet. It contacts only this node and the time server of the
settings.

Exit codes: 0 no problems (there may be warnings), 1 problems.

Examples:
  $ holdfast doctor
  $ holdfast doctor --config /etc/holdfast.yaml --json
`;

export function doctorCommand(program: Command, io: Io): void {
  const command = program
    .command("doctor")
    .description("check the machine, files and ports of a node, and say what to do")
    .option("--json", "print JSON")
    .addHelpText("after", about);
  addSettings(command, ...everyGroup).action(async () => {
    const { runChecks } = await import("./run-checks.ts");
    const checks = await runChecks(() => readSettings(command, io, true), io);
    const { json } = command.opts<{ json?: boolean }>();
    io.out(json === true ? checksJson(checks) : checksText(checks, helpWidth(io.outTerminal?.columns)));
    if (checks.some(({ state }) => state === "problem"))
      throw new CommandError(ExitCode.failed, "The checks found problems.");
  });
}

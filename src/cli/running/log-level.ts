import type { Command } from "commander";
import type { Io } from "../io.ts";
import type { NodeFlags } from "./node-connection.ts";
import { addNodeFlags, keyHelp } from "./node-flags.ts";

const about = `
Without LEVELS, the command shows the levels. LEVELS has the form of --log-level: a level for the whole node, levels of
areas, or both. A level without an area replaces the levels of all areas. The change lasts until the node stops.
To show levels, the key needs the scope read; to change them, the scope admin.
${keyHelp}
Examples:
  $ holdfast log-level --api-key-file key
  $ holdfast log-level peers=debug,sync=debug --api-key-file key
  $ holdfast log-level info --api-key-file key
`;

export function logLevelCommand(program: Command, io: Io): void {
  addNodeFlags(
    program
      .command("log-level")
      .description("show or change the log levels of a running node")
      .argument("[LEVELS]", "such as debug, peers=debug or info,peers=debug"),
  )
    .option("--json", "print JSON")
    .addHelpText("after", about)
    .action(async (levels: string | undefined, flags: NodeFlags & { json?: boolean }) => {
      const { changeLogLevels } = await import("./log-level-action.ts");
      io.out(await changeLogLevels(levels, flags, io));
    });
}

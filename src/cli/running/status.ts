import type { Command } from "commander";
import type { Io } from "../io.ts";
import { wholeNumber } from "../numbers.ts";
import { addNodeFlags, keyHelp } from "./node-flags.ts";
import type { StatusFlags } from "./status-view.ts";

const about = `
In a terminal, the view is refreshed until Ctrl-C. Otherwise, and with --once or --json, the command prints the state
once. Memory and disk need the API key, except on \`dev\`.
${keyHelp}
Exit codes: 0 the node responded, whatever its state, 14 it did not respond. For a check of the state, use
GET /node/health.

Examples:
  $ holdfast status
  $ holdfast status --node https://node.example.com --json
`;

export function statusCommand(program: Command, io: Io): void {
  addNodeFlags(program.command("status").description("show the state of a running node"))
    .option("--interval <SECONDS>", "time between two refreshes, up to 3600", wholeNumber(1, 3_600), 2)
    .option("--once", "print the state once, even on a terminal")
    .option("--json", "print the state once, as JSON")
    .addHelpText("after", about)
    .action(async (flags: StatusFlags) => {
      const { showStatus } = await import("./status-view.ts");
      await showStatus(flags, io);
    });
}

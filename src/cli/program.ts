import { type Command, CommanderError } from "commander";
import { versionText } from "../node/version.ts";
import { apiKeyCommand } from "./api-key.ts";
import { backupCommand } from "./chain/backup.ts";
import { dbCommand } from "./chain/db.ts";
import { exportCommand } from "./chain/export.ts";
import { importCommand } from "./chain/import.ts";
import { gatewayCommand } from "./chain/mirror/gateway.ts";
import { mirrorCommand } from "./chain/mirror/mirror.ts";
import { rollbackCommand } from "./chain/rollback.ts";
import { snapshotCommand } from "./chain/snapshot.ts";
import { verifyCommand } from "./chain/verify.ts";
import { configCommand } from "./config.ts";
import { doctorCommand } from "./doctor/doctor.ts";
import { ExitCode, explainError } from "./exit-codes.ts";
import { helpWidth, resolveHelp, WrappedHelpCommand } from "./help.ts";
import type { Io } from "./io.ts";
import { genesisCommand } from "./network/genesis.ts";
import { networkCommand } from "./network/network.ts";
import { flagsKeptByNpm } from "./npm.ts";
import { showAllSettings } from "./options.ts";
import { compareCommand } from "./running/compare.ts";
import { logLevelCommand } from "./running/log-level.ts";
import { peersCommand } from "./running/peers.ts";
import { statusCommand } from "./running/status.ts";
import { scriptCommand } from "./script.ts";
import { startCommand } from "./start.ts";
import { verifyAnchorCommand } from "./verify-anchor.ts";
import { versionCommand } from "./version.ts";
import { txCommand } from "./wallet/tx.ts";
import { walletCommand } from "./wallet/wallet.ts";

type AddCommand = (program: Command, io: Io) => void;

/** By name. */
const commands: Readonly<Record<string, AddCommand>> = {
  start: startCommand,
  gateway: gatewayCommand,
  status: statusCommand,
  peers: peersCommand,
  compare: compareCommand,
  "log-level": logLevelCommand,
  doctor: doctorCommand,
  import: importCommand,
  export: exportCommand,
  rollback: rollbackCommand,
  verify: verifyCommand,
  db: dbCommand,
  backup: backupCommand,
  snapshot: snapshotCommand,
  mirror: mirrorCommand,
  "verify-anchor": verifyAnchorCommand,
  wallet: walletCommand,
  tx: txCommand,
  apikey: apiKeyCommand,
  genesis: genesisCommand,
  network: networkCommand,
  script: scriptCommand,
  config: configCommand,
  version: versionCommand,
};

const examples = `
Examples:
  $ holdfast start                      run a development chain
  $ holdfast start --help-all           all settings
  $ holdfast --help-all                 help of all commands, all settings
  $ holdfast start --network mainnet    join the public network
  $ holdfast status                     state of the running node
  $ holdfast peers list                 its peers
  $ holdfast doctor                     check machine, files and ports of a node
  $ holdfast import blocks.bin          import the chain of another node
  $ holdfast verify                     check all signatures, blocks and rows
  $ holdfast db stats                   rows and bytes of each table
  $ holdfast backup DIR                 copy the data of a running node
  $ holdfast snapshot create DIR        write the chain for other nodes
  $ holdfast mirror --to URL            copy the chain to PostgreSQL
  $ holdfast verify-anchor FILE         check that a file is anchored
  $ holdfast wallet addresses           accounts of the node
  $ holdfast tx transfer.json           sign a transaction; --node URL sends it
  $ holdfast script compile rules.ride  compile an account script
  $ holdfast network up --nodes 3       run several nodes on this machine
  $ holdfast config print               all settings and their sources

Exit codes: 0 success, 1 failure, 2 wrong usage or settings, 3 wallet, 4 data directory, 5 port in use,
6 HTTP thread ended repeatedly, 7 internal error, 8 too few file handles,
10-14 verify-anchor (see its help); 16 the database is refused; 12 compare: the nodes differ, 14 a node does not respond, 38 unknown feature active.
`;

export async function run(args: readonly string[], io: Io): Promise<ExitCode> {
  const program = createProgram(io, args[0]);
  const npmMessage = flagsKeptByNpm(program, args, io.environment);
  if (npmMessage !== undefined) {
    io.err(npmMessage);
    return ExitCode.usage;
  }
  if (args.length === 1 && args[0] === "--help-all") {
    printAllHelp(program);
    return ExitCode.ok;
  }
  try {
    await program.parseAsync(resolveHelp(program, args), { from: "user" });
    return ExitCode.ok;
  } catch (error) {
    // Commander has printed the problem already.
    if (error instanceof CommanderError) return error.exitCode === 0 ? ExitCode.ok : ExitCode.usage;
    const { code, text } = explainError(error);
    io.err(`${text}\n`);
    return code;
  }
}

function printAllHelp(command: Command): void {
  showAllSettings(command);
  command.outputHelp();
  for (const one of command.commands) {
    one.configureOutput().writeOut?.(`\n${"-".repeat(80)}\n\n`);
    printAllHelp(one);
  }
}

/**
 * @param name of the only command to add; any other text adds all commands, which takes a tenth of the main thread's
 * time in a start
 */
export function createProgram(io: Io, name = ""): Command {
  const program = new WrappedHelpCommand("holdfast")
    .description("A full node for the LTO protocol family: chain, index and REST API in one process")
    .version(versionText(), "-V, --version", "print the version")
    .helpOption("-h, --help", "show help for a command")
    .helpCommand("help [command]", "show help for a command")
    .configureOutput({
      writeOut: (text) => io.out(text),
      writeErr: (text) => io.err(text),
      getOutHelpWidth: () => helpWidth(io.outTerminal?.columns),
      getErrHelpWidth: () => helpWidth(io.errTerminal?.columns),
    })
    .addHelpText("after", examples)
    // A command with subcommands must not take their options.
    .enablePositionalOptions()
    .showHelpAfterError("(add --help for more information)")
    .exitOverride();
  const added = Object.hasOwn(commands, name) ? [commands[name]] : Object.values(commands);
  for (const add of added) add(program, io);
  return program;
}

import type { Command } from "commander";
import { reasonOf } from "../bytes/errors.ts";
import { SettingsError } from "../config/errors.ts";
import type { Settings } from "../config/settings.ts";
import type { Log } from "../interfaces.ts";
import type { LogFile } from "../runtime/logging/log-file.ts";
import type { LogLevels } from "../runtime/logging/log-levels.ts";
import { writeToStandardError } from "../runtime/logging/standard-error.ts";
import { every } from "../runtime/timers.ts";
import { CopyStoppedError } from "../storage/copies/copy-error.ts";
import { addTrustFlags, refuseTrustFlags, type TrustFlags } from "./chain/trust-flags.ts";
import { ExitCode, explainError, failure, UsageError } from "./exit-codes.ts";
import type { Io, RunningNode } from "./io.ts";
import { addSettings, everyGroup, settingsOf } from "./options.ts";
import { serviceManager } from "./service-manager.ts";
import { onStopSignal } from "./stopping.ts";

const ROTATION_CHECK_MS = 10_000;

const about = `
Sources of settings, strongest first: these flags; HOLDFAST_<NAME> variables (HOLDFAST_API_PORT); <NETWORK>_<NAME>
and CHAIN_<NAME> variables of the container (LTO_API_KEY, CHAIN_API_KEY); the file of --config.
Other users can see flags in the process list: give secrets in variables, in the file, or in files of their own
(HOLDFAST_WALLET_PASSWORD_FILE, CHAIN_API_KEY_FILE, --auth-token-file).

Examples:
  $ holdfast start             # a chain of one node in ~/.holdfast/dev
  $ holdfast start --api-port 7000 --log-level debug
  $ holdfast start --network testnet --config /etc/holdfast.yaml
  $ holdfast start --network testnet --snapshot https://example.com/snap \\
      --trusted-key KEY
  $ holdfast start --network testnet --follow http://10.0.0.5:6869
  $ CHAIN_API_KEY=secret holdfast start --genesis my-network.json

SIGTERM and SIGINT stop the node cleanly, also while it starts; another signal,
a second or more later, stops it at once.
SIGHUP does not stop the node. If the log file was renamed, the node creates it again.

Exit codes: 0 stopped, 1 failure, 2 settings, 3 wallet, 4 data directory, 5 port in use,
6 HTTP thread ended repeatedly, 7 internal error, 8 too few file handles, 9 invalid block, 15 cannot follow, 38 unknown feature active.
`;

export function startCommand(program: Command, io: Io): void {
  const command = program
    .command("start")
    .description("run the node; by default on a development chain with a funded wallet")
    .option("--snapshot <SOURCE>", "restore the chain from this folder or URL before the first start")
    .addHelpText("after", about);
  addTrustFlags(command);
  addSettings(command, ...everyGroup.filter((group) => group !== "gateway")).action(async () => {
    const { snapshot, ...trust } = command.opts<TrustFlags & { snapshot?: string }>();
    if (snapshot === undefined) refuseTrustFlags(trust);
    const { settings } = await settingsOf(command, io, true);
    const { gateway } = settings;
    if (gateway.from.length > 0)
      throw new UsageError("--from is for `holdfast gateway`, not for `holdfast start`");
    const logs = await openLogs(settings, io);
    const { log } = logs;
    if (snapshot !== undefined) {
      const { restoreBeforeStart } = await import("./chain/snapshot-actions.ts");
      try {
        await restoreBeforeStart(settings, snapshot, trust, io, log);
      } catch (error) {
        if (!(error instanceof CopyStoppedError)) throw error;
        log.info(error.message);
        return;
      }
    }
    await runProcess(io, logs, (signal) => io.startNode(settings, log, logs.levels, signal));
  });
}

interface Logs {
  readonly log: Log;
  readonly levels: LogLevels;
  readonly file: LogFile | undefined;
}

/** Opens the log, and writes the warnings of the settings. @throws SettingsError */
export async function openLogs(settings: Settings, io: Io): Promise<Logs> {
  const { createLog } = await import("../log.ts");
  const { LogLevels } = await import("../runtime/logging/log-levels.ts");
  const levels = LogLevels.of(settings.logLevel);
  const file = await openLogFile(settings, io);
  const log = createLog({ levels, format: settings.logFormat, file });
  for (const warning of settings.warnings) log.warn(warning);
  return { log, levels, file };
}

/** Runs a node until it stops; signals stop it. @throws what starting and running throw */
export async function runProcess(
  io: Io,
  { log, file }: Logs,
  startNode: (signal: AbortSignal) => Promise<RunningNode>,
): Promise<void> {
  const manager = serviceManager(io, log);

  let node: RunningNode | undefined;
  const starting = new AbortController();
  const stopped = failure("Stopped");
  const stop = () => {
    // Until the node runs, `abort` ends its start.
    starting.abort(stopped);
    node?.stop().catch((error: unknown) => fail(error));
  };
  const fail = (error: unknown) => {
    const { code, text } = explainError(error);
    io.err(`${text}\n`);
    io.exit(code);
  };
  const removeListeners = onStopSignal(
    io,
    (signal) => {
      log.info(`Stopping (${signal})`);
      manager.stopping();
      stop();
    },
    (signal) => {
      io.err(`${signal} again: stopping at once\n`);
      io.exit(ExitCode.failed);
    },
  );
  const removeHangupListener = io.onHangup(() => {
    // Each write opens the file by path, so a renamed file needs no action.
    if (file === undefined) log.debug("SIGHUP has no effect: the log is not in a file (--log-file)");
    else log.info("SIGHUP: the log continues in this file");
  });
  const stopRotating = file && every(io.clock, ROTATION_CHECK_MS, "log file", () => file.rotateIfDue());
  try {
    node = await startNode(starting.signal);
    // A signal may have arrived after the last step of the start.
    if (starting.signal.aborted) stop();
    else manager.ready();
    await node.finished;
    log.info("Stopped");
  } catch (error) {
    if (error === stopped) log.info("Stopped before the node ran");
    else {
      // The caller writes the text to standard error.
      if (file !== undefined) log.error(explainError(error).text);
      throw error;
    }
  } finally {
    manager.close();
    removeListeners();
    removeHangupListener();
    stopRotating?.();
  }
}

async function openLogFile(settings: Settings, io: Io): Promise<LogFile | undefined> {
  const { logFile: path, logFileMaxBytes, logFileMaxAgeMs, logFileKeep } = settings;
  if (path === undefined) return undefined;
  const { LogFile } = await import("../runtime/logging/log-file.ts");
  const file = new LogFile(
    { path, maxBytes: logFileMaxBytes, maxAgeMs: logFileMaxAgeMs, keep: logFileKeep },
    { clock: io.clock, fallback: writeToStandardError },
  );
  try {
    file.open();
  } catch (error) {
    throw new SettingsError([`--log-file: cannot open ${path}: ${reasonOf(error)}`]);
  }
  return file;
}

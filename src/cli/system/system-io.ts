import { execFile, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import type { Settings } from "../../config/settings.ts";
import type { Log } from "../../interfaces.ts";
import type { EarlyHttpThread } from "../../node/api/http-thread.ts";
import { systemClock } from "../../runtime/system.ts";
import { lowerProcessPriority, READER_NICENESS } from "../../runtime/threads/thread-priority.ts";
import { warningLog } from "../chain/warnings.ts";
import { ExitCode } from "../exit-codes.ts";
import type { Io } from "../io.ts";
import { onNpmEnded, withoutNpm } from "../npm.ts";
import { run } from "../program.ts";
import { askSecrets } from "./ask-secrets.ts";

/** Maximum time to stop after an internal error, ms. */
const BROKEN_STOP_TIMEOUT_MS = 60_000;
const NOTIFY_TIMEOUT_MS = 10_000;

/** Error code of writes to a closed terminal. */
const CLOSED_TERMINAL = "EIO";

/** Runs a program, because Node.js has no Unix datagram sockets. */
function notifySystemd(state: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile("systemd-notify", [state], { timeout: NOTIFY_TIMEOUT_MS }, (error) => resolve(error?.message));
  });
}

const systemIo = (script: string, early: EarlyHttpThread | undefined): Io => ({
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  get errTerminal() {
    return process.stderr.isTTY ? { columns: process.stderr.columns } : undefined;
  },
  get outTerminal() {
    return process.stdout.isTTY ? { columns: process.stdout.columns, rows: process.stdout.rows } : undefined;
  },
  get askSecrets() {
    return process.stdin.isTTY
      ? (prompts: readonly string[]) => askSecrets(process.stdin, process.stderr, prompts)
      : undefined;
  },
  environment: process.env,
  onSignal: (listener) => {
    process.on("SIGTERM", listener);
    process.on("SIGINT", listener);
    return () => {
      process.off("SIGTERM", listener);
      process.off("SIGINT", listener);
    };
  },
  onHangup: (listener) => {
    process.on("SIGHUP", listener);
    return () => process.off("SIGHUP", listener);
  },
  onOrphaned: (listener) => onNpmEnded(process.env, listener),
  clock: systemClock,
  spawn: (args, logFile, environment) => {
    const log = openSync(logFile, "a", 0o600);
    const child = spawn(process.execPath, [...process.execArgv, script, ...args], {
      detached: true,
      env: withoutNpm(environment),
      stdio: ["ignore", log, log],
    });
    closeSync(log);
    child.unref();
    let failed = false;
    // The message contains no secrets; the caller checks `hasEnded`.
    child.once("error", (error) => {
      failed = true;
      process.stderr.write(`${error.message}\n`);
    });
    return {
      pid: child.pid,
      hasEnded: () => failed || child.exitCode !== null || child.signalCode !== null,
      stop: () => void child.kill("SIGTERM"),
    };
  },
  isRunning: (pid) => {
    try {
      return process.kill(pid, 0);
    } catch (error) {
      // EPERM: the process runs, but belongs to another user.
      return (error as NodeJS.ErrnoException).code === "EPERM";
    }
  },
  service: process.env.NOTIFY_SOCKET ? { pid: process.pid, notify: notifySystemd } : undefined,
  exit: (code) => process.exit(code),
  lowerPriority: () => lowerProcessPriority(READER_NICENESS),
  // Imported on demand: `holdfast --help` must not load LMDB.
  startNode: async (settings, log, levels, signal) => {
    // Check the limit before loading the node, which opens many files at once.
    const { handleLimit, budgetHandles } = await import("../../node/handles.ts");
    const handles = budgetHandles(handleLimit(), settings);
    const end = () => process.exit(ExitCode.brokenInvariant);
    const onBroken = () => void setTimeout(end, BROKEN_STOP_TIMEOUT_MS).unref();
    const { from } = settings.gateway;
    if (from.length > 0 || settings.following.sources.length > 0) {
      const [{ followerSystem, followedNodes }, { runFollower }] = await Promise.all([
        import("../../node/following/follower-system.ts"),
        import("../../node/following/run-follower.ts"),
      ]);
      const parts = from.length > 0 ? await gatewayPartsOf(settings, log) : followedNodes(settings);
      return runFollower(
        followerSystem(parts, settings, log, levels, handles, onBroken, early),
        settings,
        signal,
      );
    }
    const { createSystemEnvironment } = await import("../../node/system-environment.ts");
    signal.throwIfAborted();
    // The rest of the node loads while the HTTP thread starts.
    const [environment, { startNode }, { superviseProcess }] = await Promise.all([
      createSystemEnvironment(settings, { log, levels }, handles, signal, early),
      import("../../node.ts"),
      import("../../runtime/supervise-process.ts"),
    ]);
    superviseProcess(environment.supervisor, onBroken);
    return startNode(environment, settings, signal);
  },
  databaseNetwork: async (settings, log, signal) => {
    const parts = await gatewayPartsOf(settings, log);
    const { networkOfSources } = await import("../../node/following/run-follower.ts");
    try {
      return await networkOfSources({ ...parts, clock: systemClock, log }, signal);
    } finally {
      for (const source of parts.sources) await source.close?.();
    }
  },
  lockDataDir: async (settings) => {
    const store = await (await import("../../node/composition.ts")).openNodeStore(settings, {
      log: warningLog({ err: (text) => process.stderr.write(text) }),
    });
    return { release: () => store.close() };
  },
});

/** Only gateways load the client of PostgreSQL. */
async function gatewayPartsOf(settings: Settings, log: Log) {
  const { gatewayParts } = await import("../../node/following/gateway/gateway-parts.ts");
  return gatewayParts(settings, log);
}

/**
 * Runs a command with the arguments of this process.
 * @param script path of the program, for `spawn`
 * @param early becomes the node's HTTP thread
 */
export function runOnSystem(script: string, early?: EarlyHttpThread): Promise<ExitCode> {
  // By default, SIGHUP would end the process.
  process.on("SIGHUP", () => {});
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    // `holdfast config print | head -1` closes standard output, which is not a failure.
    if (error.code === "EPIPE") process.exit(0);
    if (error.code !== CLOSED_TERMINAL) throw error;
  });
  process.stderr.on("error", () => {});
  return run(process.argv.slice(2), systemIo(script, early));
}

import { readFileSync } from "node:fs";
import { freemem, totalmem } from "node:os";
import Type from "typebox";
import { isWildcard } from "../../bytes/ip.ts";
import { SettingsError } from "../../config/errors.ts";
import type { LoadedSettings } from "../../config/load.ts";
import type { Settings } from "../../config/settings.ts";
import { chainDirectory } from "../../node/composition.ts";
import { handleLimit, parseOpenFileLimit } from "../../node/handles.ts";
import { measureResources } from "../../node/metrics/resources.ts";
import { systemRandom } from "../../runtime/system.ts";
import { askTimeServer } from "../../runtime/time/sntp-client.ts";
import { liveSockets } from "../../storage/disk/lock.ts";
import { CommandError } from "../exit-codes.ts";
import type { Io } from "../io.ts";
import { NodeConnection } from "../running/node-connection.ts";
import { plainText } from "../running/plain-text.ts";
import { type Check, ok, problem, warning } from "./check.ts";
import { dataDirectoryCheck, walletCheck } from "./files.ts";
import {
  clockCheck,
  diskCheck,
  handlesCheck,
  memoryCheck,
  nearestExisting,
  nodeVersionCheck,
} from "./machine.ts";
import { API_PORT, portCheck, portsOf } from "./ports.ts";
import { listensOn, type NodeProcess, processOfSocket } from "./processes.ts";

const HEALTH_TIMEOUT_MS = 5_000;

const Health = Type.Object({
  state: Type.String(),
  reasons: Type.Array(Type.Object({ message: Type.String() })),
  height: Type.Integer(),
});

interface NodeUse {
  /** Undefined: unknown. */
  readonly isRunning: boolean | undefined;
  readonly process: NodeProcess | undefined;
  readonly text: string;
}

async function findNode(settings: Settings): Promise<NodeUse> {
  const sockets = await liveSockets(chainDirectory(settings));
  if (sockets === undefined)
    return {
      isRunning: undefined,
      process: undefined,
      text: "possibly in use (the path is too long to check)",
    };
  if (sockets.length === 0) return { isRunning: false, process: undefined, text: "not in use" };
  const found = processOfSocket(sockets[0]);
  const text = found === undefined ? "in use by another process" : `in use by process ${found.pid}`;
  return { isRunning: true, process: found, text };
}

function settingsChecks(settings: Settings): Check[] {
  const name = "Settings";
  if (settings.warnings.length === 0) return [ok(name, `valid, network ${settings.network}`)];
  return settings.warnings.map((text) =>
    warning(name, plainText(`${text}.`), "docs/configure.md explains settings."),
  );
}

async function healthCheck(
  { api }: Settings,
  isRunning: boolean | undefined,
  mayListen: boolean,
  io: Io,
): Promise<Check> {
  const name = "Node";
  if (isRunning === undefined) return ok(name, "not asked: cannot tell whether the node is running");
  if (!isRunning) return ok(name, "not running");
  if (!api.enabled || api.port === 0)
    return ok(name, "running; not asked, because the settings name no API port");
  if (!mayListen) return ok(name, "running, but not at the API port of these settings");
  const host = isWildcard(api.host) ? "127.0.0.1" : api.host.includes(":") ? `[${api.host}]` : api.host;
  const node = new NodeConnection(`http://${host}:${api.port}${api.prefix}`, {
    io,
    timeoutMs: HEALTH_TIMEOUT_MS,
  });
  try {
    const { state, reasons, height } = await node.call("/node/health", Health);
    const text = `${plainText(state)} at height ${height}`;
    if (state === "well") return ok(name, text);
    return warning(
      name,
      `${text}: ${reasons.map(({ message }) => plainText(message)).join("; ")}.`,
      "`holdfast status` shows more.",
    );
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return problem(name, `It is running, but ${error.message}.`, "Read its log.");
  }
}

function limitOf(node: NodeProcess | undefined): number | undefined {
  if (node === undefined) return handleLimit();
  try {
    return parseOpenFileLimit(readFileSync(`/proc/${node.pid}/limits`, "utf8"));
  } catch {
    // The node has just ended.
    return handleLimit();
  }
}

/** Memory of the machine, or of the container if smaller, bytes. */
function totalMemory(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}

export async function runChecks(load: () => Promise<LoadedSettings>, io: Io): Promise<Check[]> {
  const machine = nodeVersionCheck(process.versions.node, `${process.platform} ${process.arch}`);
  let settings: Settings;
  try {
    ({ settings } = await load());
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    const faults = error.problems.map((text) =>
      problem("Settings", plainText(text), "Correct it: docs/settings.md."),
    );
    return [machine, ...faults, memoryCheck(totalMemory(), freemem(), false)];
  }
  const node = await findNode(settings);
  const { process: found, isRunning } = node;
  const nodeListensOn = (port: number) => (found === undefined ? undefined : listensOn(found, port));
  const ports: Check[] = [];
  for (const port of portsOf(settings)) ports.push(await portCheck(port, isRunning, nodeListensOn));
  const mayListen = ports.some(({ name, state }) => name === API_PORT && state === "ok");
  const measured = await measureResources(nearestExisting(chainDirectory(settings)));
  return [
    machine,
    ...settingsChecks(settings),
    await healthCheck(settings, isRunning, mayListen, io),
    await dataDirectoryCheck(settings, node.text),
    walletCheck(settings),
    ...ports,
    diskCheck(measured, settings),
    memoryCheck(totalMemory(), freemem(), isRunning !== false),
    handlesCheck(limitOf(found), settings),
    await clockCheck(settings.ntpServer, (server) => askTimeServer(server, io.clock, systemRandom)),
  ];
}

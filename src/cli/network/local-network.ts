/** Creates, starts and stops local networks: directories and processes of their nodes. Loaded on demand. */
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import Type from "typebox";
import { Value } from "typebox/value";
import { encodeHex } from "../../bytes/hex.ts";
import { printIndentedJson } from "../../bytes/json.ts";
import { withoutSettings } from "../../config/sources/sources.ts";
import { shortestDelaySeconds } from "../../consensus/forging-gap.ts";
import { implementedFeatures, parseDuration } from "../../profiles/index.ts";
import { makeDirectory } from "../../runtime/make-directory.ts";
import { systemClock } from "../../runtime/system.ts";
import { CommandError, ExitCode, failure, UsageError } from "../exit-codes.ts";
import { readInput } from "../input.ts";
import type { Io } from "../io.ts";
import { countText } from "../numbers.ts";
import { forecastText, forgeQuorum, requireGap } from "./forecast.ts";
import { foundersOf, newSeeds, type SeedLine, seedLines, writeNew } from "./founders.ts";
import { planNetwork, withUsageErrors } from "./genesis-plan.ts";

const HOST = "127.0.0.1";
const BALANCE = 100_000_000_000_000n;
const NETWORK_NAME = "LTO";
/** Average block delay of a new network, unless its forgers need more. */
const DEFAULT_DELAY_SECONDS = 10;
/** Maximum time for a node to start or stop. */
const NODE_TIMEOUT_MS = 60_000;
const POLL_INTERVAL_MS = 100;
const REQUEST_TIMEOUT_MS = 2_000;
/** Number of log characters shown if a node does not start. */
const LOG_TAIL = 2_000;

const NetworkFile = Type.Object({
  nodes: Type.Array(
    Type.Object({ apiPort: Type.Integer({ minimum: 1, maximum: 65_535 }), p2pPort: Type.Integer() }),
    { minItems: 1, maxItems: 100 },
  ),
  /** API key of the nodes, to stop them. */
  apiKey: Type.String({ minLength: 16, maxLength: 200 }),
});
type NetworkFile = Type.Static<typeof NetworkFile>;

export interface NewLocalNetwork {
  readonly folder: string;
  readonly nodes: number;
  readonly chainId: string;
  /** Undefined: a short one that fits the number of nodes. */
  readonly delay: string | undefined;
  /** First of consecutive ports, one per node; 0: free ports. */
  readonly apiPort: number;
  readonly p2pPort: number;
}

export interface LocalNetworkRequest extends NewLocalNetwork {
  /** Flags of this call that only affect new networks. */
  readonly given: readonly string[];
  /** Command that stops the network, for messages. */
  readonly stopCommand: string;
}

const fileOf = (folder: string) => join(folder, "network.json");
const nodeFolder = (folder: string, number: number) => join(folder, `node-${number}`);

const pidFile = (folder: string, number: number) => join(nodeFolder(folder, number), "pid");

function readNetwork(folder: string): NetworkFile | undefined {
  const path = fileOf(folder);
  if (!existsSync(path)) return undefined;
  const text = readInput(path);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (Value.Check(NetworkFile, value)) return value;
  throw failure(`${path} was not written by \`holdfast network up\``);
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) =>
      reject(
        new CommandError(
          ExitCode.listen,
          `Cannot listen on port ${port} (${error.message}): choose others with --api-port and --p2p-port, or 0 for free ports`,
        ),
      ),
    );
    server.listen(port, HOST, () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : 0);
    });
  });
}

/** Opens all ports at once to check that they are free. @param ports 0: any free port @returns the ports */
async function tryPorts(ports: readonly number[]): Promise<number[]> {
  const servers = ports.map(() => createServer());
  try {
    const opened: number[] = [];
    for (const [i, server] of servers.entries()) opened.push(await listen(server, ports[i]));
    return opened;
  } finally {
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  }
}

const portsFrom = (first: number, count: number) =>
  Array.from({ length: count }, (_, i) => (first === 0 ? 0 : first + i));

/** Returns no entries if the directory does not exist. @throws CommandError if it is not a directory */
function entriesOf(folder: string): string[] {
  try {
    return existsSync(folder) ? readdirSync(folder) : [];
  } catch (error) {
    throw failure(`Cannot use ${folder}: ${(error as Error).message}`);
  }
}

/** Formats a node's settings as JSON, which is also YAML. */
function settingsText(folder: string, number: number, seed: string, network: NetworkFile): string {
  const { nodes, apiKey } = network;
  const { apiPort, p2pPort } = nodes[number - 1];
  const others = nodes.filter((_, i) => i !== number - 1).map((node) => `${HOST}:${node.p2pPort}`);
  return `${printIndentedJson({
    genesis: join(folder, "genesis.json"),
    "data-dir": join(nodeFolder(folder, number), "data"),
    "node-name": `node-${number}`,
    "log-format": "text",
    "api-host": HOST,
    "api-port": apiPort,
    "api-key": apiKey,
    "wallet-seed": seed,
    forge: true,
    "forge-quorum": forgeQuorum(nodes.length),
    // A network that was stopped for a long time must forge again.
    "interval-after-last-block": "36500d",
    "ntp-server": "off",
    "p2p-host": HOST,
    "p2p-port": p2pPort,
    "declared-address": `${HOST}:${p2pPort}`,
    nonce: number,
    peers: others,
    // All nodes share an IP address, so a limit or ban for one node would affect all.
    "max-single-host-connections": 2 * nodes.length,
    "suspension-residence-time": "1s",
    "black-list-residence-time": "1s",
  })}\n`;
}

/** Creates a private directory. @throws CommandError */
function makeFolder(folder: string): void {
  try {
    makeDirectory(folder, 0o700);
  } catch (error) {
    throw failure(`Cannot create ${folder}: ${(error as Error).message}`);
  }
}

function defaultDelayMs(forgers: readonly SeedLine[]): number {
  return 1_000 * Math.max(DEFAULT_DELAY_SECONDS, shortestDelaySeconds(forgers.map(({ amount }) => amount)));
}

async function makeNetwork(request: NewLocalNetwork, io: Io): Promise<NetworkFile> {
  const { folder, nodes: count } = request;
  if (!/^[!-~]$/.test(request.chainId))
    throw new UsageError("--chain-id must be one visible ASCII character");
  const seeds = newSeeds(count, BALANCE);
  const founders = foundersOf(seeds, request.chainId.charCodeAt(0));
  const { text, forecast } = withUsageErrors(() =>
    planNetwork({
      name: NETWORK_NAME,
      chainId: request.chainId,
      averageBlockDelayMs: request.delay === undefined ? defaultDelayMs(seeds) : parseDuration(request.delay),
      timestamp: BigInt(systemClock.now()),
      features: new Map(Array.from(implementedFeatures, (id) => [id, 0])),
      founders,
      baseTarget: undefined,
    }),
  );
  if (forecast !== undefined) requireGap(forecast);
  const apiPorts = portsFrom(request.apiPort, count);
  const p2pPorts = portsFrom(request.p2pPort, count);
  if (apiPorts.some((port) => port !== 0 && p2pPorts.includes(port)))
    throw new UsageError("--api-port and --p2p-port: the port ranges overlap");
  if (entriesOf(folder).length > 0)
    throw failure(`${folder} is not empty and has no network: choose another directory with --dir`);
  const ports = await tryPorts([...apiPorts, ...p2pPorts]);
  const network: NetworkFile = {
    nodes: ports.slice(0, count).map((apiPort, i) => ({ apiPort, p2pPort: ports[count + i] })),
    apiKey: encodeHex(new Uint8Array(randomBytes(24))),
  };
  makeFolder(folder);
  writeNew(join(folder, "genesis.json"), text, 0o644);
  writeNew(join(folder, "seeds.txt"), seedLines(seeds), 0o600);
  for (const [i, { seed }] of seeds.entries()) {
    makeFolder(nodeFolder(folder, i + 1));
    writeNew(
      join(nodeFolder(folder, i + 1), "settings.yaml"),
      settingsText(folder, i + 1, seed, network),
      0o600,
    );
  }
  // Write this file last: it marks a complete network.
  writeNew(fileOf(folder), `${printIndentedJson(network)}\n`, 0o600);
  io.err(`Created a network of ${countText(count, "node")} in ${folder}\n`);
  if (forecast !== undefined) io.err(forecastText(forecast));
  return network;
}

const wait = (ms: number) => new Promise<void>((resolve) => void systemClock.after(ms, resolve));

/** Returns true if a node with this API key responds. */
async function answers(port: number, apiKey: string): Promise<boolean> {
  try {
    const response = await fetch(`http://${HOST}:${port}/debug/info`, {
      headers: { "x-api-key": apiKey },
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    await response.body?.cancel();
    return response.ok;
  } catch {
    // No node of this network listens.
    return false;
  }
}

function tailOf(path: string): string {
  return existsSync(path) ? readFileSync(path, "utf8").slice(-LOG_TAIL) : "";
}

/** Starts a node that is not running and waits until it responds. @returns true if it was started */
async function startNode(folder: string, number: number, network: NetworkFile, io: Io): Promise<boolean> {
  const { apiPort } = network.nodes[number - 1];
  if (await answers(apiPort, network.apiKey)) return false;
  const logFile = join(nodeFolder(folder, number), "log.txt");
  const child = io.spawn(
    ["start", "--config", join(nodeFolder(folder, number), "settings.yaml")],
    logFile,
    // Variables would override the settings files of all nodes with the same values.
    withoutSettings(io.environment, NETWORK_NAME),
  );
  if (child.pid !== undefined) writeFileSync(pidFile(folder, number), `${child.pid}\n`, { mode: 0o600 });
  const end = systemClock.monotonic() + NODE_TIMEOUT_MS;
  while (!(await answers(apiPort, network.apiKey))) {
    if (child.hasEnded() || systemClock.monotonic() > end)
      throw failure(`Node ${number} did not start. End of ${logFile}:\n${tailOf(logFile)}`);
    await wait(POLL_INTERVAL_MS);
  }
  return true;
}

/**
 * Starts the nodes of a network; creates a missing network.
 * @throws UsageError, CommandError; started nodes keep running
 */
export async function networkUp(request: LocalNetworkRequest, io: Io): Promise<void> {
  const { folder, stopCommand, given } = request;
  const existing = readNetwork(folder);
  const network = existing ?? (await makeNetwork(request, io));
  if (existing !== undefined && given.length > 0)
    io.err(`The network in ${folder} is unchanged: ${given.join(", ")} had no effect\n`);
  const starts = await Promise.allSettled(network.nodes.map((_, i) => startNode(folder, i + 1, network, io)));
  const failed = starts.find((start) => start.status === "rejected");
  if (failed !== undefined) {
    if (starts.some((start) => start.status === "fulfilled"))
      io.err(`Not all nodes started; \`${stopCommand}\` stops those that did.\n`);
    throw failed.reason;
  }
  const started = starts.map((start) => start.status === "fulfilled" && start.value);
  for (const [i, { apiPort, p2pPort }] of network.nodes.entries()) {
    const state = started[i] ? "started" : "already running";
    io.out(`node-${i + 1}  http://${HOST}:${apiPort}  peers at ${HOST}:${p2pPort}  ${state}\n`);
  }
  io.err(`API key, seeds and logs are in ${folder}. \`${stopCommand}\` stops the network.\n`);
}

function pidOf(folder: string, number: number): number | undefined {
  const path = pidFile(folder, number);
  const pid = existsSync(path) ? Number(readInput(path)) : Number.NaN;
  return Number.isSafeInteger(pid) && pid > 0 ? pid : undefined;
}

/**
 * Stops a node and waits until its process and store are closed. The API key prevents stopping another program with the
 * same port or process id.
 * @returns true if it was running
 */
async function stopNode(
  folder: string,
  number: number,
  { nodes, apiKey }: NetworkFile,
  io: Io,
): Promise<boolean> {
  const port = nodes[number - 1].apiPort;
  if (!(await answers(port, apiKey))) return false;
  const pid = pidOf(folder, number);
  await fetch(`http://${HOST}:${port}/node/stop`, {
    method: "POST",
    headers: { "x-api-key": apiKey },
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  });
  const end = systemClock.monotonic() + NODE_TIMEOUT_MS;
  while ((await answers(port, apiKey)) || (pid !== undefined && io.isRunning(pid))) {
    if (systemClock.monotonic() > end) throw failure(`Node ${number} has not stopped in time`);
    await wait(POLL_INTERVAL_MS);
  }
  return true;
}

/** Stops all nodes of a network. @throws CommandError if the directory has no network */
export async function networkDown(folder: string, io: Io): Promise<void> {
  const network = readNetwork(folder);
  if (network === undefined) throw failure(`${folder} has no network`);
  const stopped = await Promise.all(network.nodes.map((_, i) => stopNode(folder, i + 1, network, io)));
  for (const [i, ran] of stopped.entries()) io.out(`node-${i + 1}  ${ran ? "stopped" : "was not running"}\n`);
}

/** Networks on one machine: their folders, and the processes of their nodes. Loaded when a command needs it. */
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import Type from "typebox";
import { Value } from "typebox/value";
import { encodeHex } from "../../bytes/hex.ts";
import { printIndentedJson } from "../../bytes/json.ts";
import { withoutSettings } from "../../config/sources/sources.ts";
import { implementedFeatures, parseDuration } from "../../profiles/index.ts";
import { systemClock } from "../../runtime/system.ts";
import { CommandError, ExitCode, failure, UsageError } from "../exit-codes.ts";
import { readInput } from "../input.ts";
import type { Io } from "../io.ts";
import { foundersOf, newSeeds, seedLines, writeNew } from "./founders.ts";
import { planNetwork, withUsageErrors } from "./genesis-plan.ts";

const HOST = "127.0.0.1";
const BALANCE = 100_000_000_000_000n;
const NETWORK_NAME = "LTO";
/** Longest wait for a node to answer, and to end, ms. */
const NODE_TIMEOUT_MS = 60_000;
const POLL_INTERVAL_MS = 100;
const REQUEST_TIMEOUT_MS = 2_000;
/** What of a log is shown when its node does not start. */
const LOG_TAIL = 2_000;

/** What the folder says of its network. */
const NetworkFile = Type.Object({
  nodes: Type.Array(
    Type.Object({ apiPort: Type.Integer({ minimum: 1, maximum: 65_535 }), p2pPort: Type.Integer() }),
    { minItems: 1, maxItems: 100 },
  ),
  /** Key of the nodes' API: they are asked to end by it. */
  apiKey: Type.String({ minLength: 16, maxLength: 200 }),
});
type NetworkFile = Type.Static<typeof NetworkFile>;

export interface NewLocalNetwork {
  readonly folder: string;
  readonly nodes: number;
  readonly chainId: string;
  readonly delay: string;
  /** The first of as many ports as there are nodes; 0: free ones. */
  readonly apiPort: number;
  readonly p2pPort: number;
}

/** What `network up` was asked for. */
export interface LocalNetworkRequest extends NewLocalNetwork {
  /** Flags that only a new network takes and that somebody has given. */
  readonly given: readonly string[];
  /** The command that ends the network. */
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
  throw failure(`${path} is not what \`holdfast network up\` has written`);
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) =>
      reject(
        new CommandError(
          ExitCode.listen,
          `Port ${port} cannot be had (${error.message}): choose others with --api-port and --p2p-port, or 0 for free ones`,
        ),
      ),
    );
    server.listen(port, HOST, () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : 0);
    });
  });
}

/** Takes all ports at once, so that none is named twice, and gives them back. @param ports 0: a free one */
async function tryPorts(ports: readonly number[]): Promise<number[]> {
  const servers = ports.map(() => createServer());
  try {
    const had: number[] = [];
    for (const [i, server] of servers.entries()) had.push(await listen(server, ports[i]));
    return had;
  } finally {
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  }
}

const portsFrom = (first: number, count: number) =>
  Array.from({ length: count }, (_, i) => (first === 0 ? 0 : first + i));

/** What is in a folder. @returns none when it is not there @throws CommandError when it is no folder */
function entriesOf(folder: string): string[] {
  try {
    return existsSync(folder) ? readdirSync(folder) : [];
  } catch (error) {
    throw failure(`Cannot use ${folder}: ${(error as Error).message}`);
  }
}

/** The settings of a node, as a file. JSON is YAML. */
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
    // The network may have stood still for as long as it likes.
    "interval-after-last-block": "36500d",
    "ntp-server": "off",
    "p2p-host": HOST,
    "p2p-port": p2pPort,
    "declared-address": `${HOST}:${p2pPort}`,
    nonce: number,
    peers: others,
    // All nodes share one IP address: what is meant for one of them would be done to all.
    "max-single-host-connections": 2 * nodes.length,
    "suspension-residence-time": "1s",
    "black-list-residence-time": "1s",
  })}\n`;
}

/** A folder that only its owner can look into. @throws CommandError */
function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw failure(`Cannot make ${folder}: ${(error as Error).message}`);
  }
}

async function makeNetwork(wanted: NewLocalNetwork, io: Io): Promise<NetworkFile> {
  const { folder, nodes: count } = wanted;
  if (!/^[!-~]$/.test(wanted.chainId))
    throw new UsageError("--chain-id must be one visible character of ASCII");
  const seeds = newSeeds(count, BALANCE);
  const founders = foundersOf(seeds, wanted.chainId.charCodeAt(0));
  const { text } = withUsageErrors(() =>
    planNetwork({
      name: NETWORK_NAME,
      chainId: wanted.chainId,
      averageBlockDelayMs: parseDuration(wanted.delay),
      timestamp: BigInt(systemClock.now()),
      features: new Map(Array.from(implementedFeatures, (id) => [id, 0])),
      founders,
      baseTarget: undefined,
    }),
  );
  const apiPorts = portsFrom(wanted.apiPort, count);
  const p2pPorts = portsFrom(wanted.p2pPort, count);
  if (apiPorts.some((port) => port !== 0 && p2pPorts.includes(port)))
    throw new UsageError("--api-port and --p2p-port: the ports of the nodes overlap");
  if (entriesOf(folder).length > 0)
    throw failure(`${folder} is not empty, and no network is in it: name another folder with --dir`);
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
  // Last, so that what was begun and not finished is never taken for a network.
  writeNew(fileOf(folder), `${printIndentedJson(network)}\n`, 0o600);
  io.err(`Made a network of ${count} nodes in ${folder}\n`);
  return network;
}

const wait = (ms: number) => new Promise<void>((resolve) => void systemClock.after(ms, resolve));

/** Whether a node of this network answers at a port: it knows the network's key. */
async function answers(port: number, apiKey: string): Promise<boolean> {
  try {
    const response = await fetch(`http://${HOST}:${port}/debug/info`, {
      headers: { "x-api-key": apiKey },
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    await response.body?.cancel();
    return response.ok;
  } catch {
    // Nobody listens, or somebody else who says nothing: that is the answer.
    return false;
  }
}

function tailOf(path: string): string {
  return existsSync(path) ? readFileSync(path, "utf8").slice(-LOG_TAIL) : "";
}

/** Starts a node that does not run, and waits until it answers. @returns whether it was started */
async function startNode(folder: string, number: number, network: NetworkFile, io: Io): Promise<boolean> {
  const { apiPort } = network.nodes[number - 1];
  if (await answers(apiPort, network.apiKey)) return false;
  const logFile = join(nodeFolder(folder, number), "log.txt");
  const child = io.spawn(
    ["start", "--config", join(nodeFolder(folder, number), "settings.yaml")],
    logFile,
    // Variables are stronger than the file, and the same for all nodes: one data directory, one port.
    withoutSettings(io.environment, NETWORK_NAME),
  );
  if (child.pid !== undefined) writeFileSync(pidFile(folder, number), `${child.pid}\n`, { mode: 0o600 });
  const end = systemClock.monotonic() + NODE_TIMEOUT_MS;
  while (!(await answers(apiPort, network.apiKey))) {
    if (child.hasEnded() || systemClock.monotonic() > end)
      throw failure(`Node ${number} does not start; the end of ${logFile}:\n${tailOf(logFile)}`);
    await wait(POLL_INTERVAL_MS);
  }
  return true;
}

/**
 * Starts the nodes of a network, and makes it when there is none.
 * @throws UsageError, CommandError; nodes that were started by then go on
 */
export async function networkUp(wanted: LocalNetworkRequest, io: Io): Promise<void> {
  const { folder, stopCommand, given } = wanted;
  const there = readNetwork(folder);
  const network = there ?? (await makeNetwork(wanted, io));
  if (there !== undefined && given.length > 0)
    io.err(`The network in ${folder} stays as it was made: ${given.join(", ")} had no effect\n`);
  const starts = await Promise.allSettled(network.nodes.map((_, i) => startNode(folder, i + 1, network, io)));
  const failed = starts.find((start) => start.status === "rejected");
  if (failed !== undefined) {
    if (starts.some((start) => start.status === "fulfilled"))
      io.err(`Not all nodes run; \`${stopCommand}\` ends those that do.\n`);
    throw failed.reason;
  }
  const started = starts.map((start) => start.status === "fulfilled" && start.value);
  for (const [i, { apiPort, p2pPort }] of network.nodes.entries()) {
    const state = started[i] ? "started" : "runs already";
    io.out(`node-${i + 1}  http://${HOST}:${apiPort}  peers at ${HOST}:${p2pPort}  ${state}\n`);
  }
  io.err(`API key, seeds, logs: in ${folder}. \`${stopCommand}\` ends it.\n`);
}

/** The number of the process that was started for a node; undefined: none is known. */
function pidOf(folder: string, number: number): number | undefined {
  const path = pidFile(folder, number);
  const pid = existsSync(path) ? Number(readInput(path)) : Number.NaN;
  return Number.isSafeInteger(pid) && pid > 0 ? pid : undefined;
}

/**
 * Asks a node to end, and waits until it has: its store is closed then. It is asked by its key, so that no other program
 * is ended that has its port, or the number of its process, by now.
 * @returns whether it ran
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
    if (systemClock.monotonic() > end) throw failure(`Node ${number} was asked to end, and is still there`);
    await wait(POLL_INTERVAL_MS);
  }
  return true;
}

/** Ends the nodes of a network that run. @throws CommandError when there is no network in the folder */
export async function networkDown(folder: string, io: Io): Promise<void> {
  const network = readNetwork(folder);
  if (network === undefined) throw failure(`There is no network in ${folder}`);
  const stopped = await Promise.all(network.nodes.map((_, i) => stopNode(folder, i + 1, network, io)));
  for (const [i, ran] of stopped.entries()) io.out(`node-${i + 1}  ${ran ? "ended" : "did not run"}\n`);
}

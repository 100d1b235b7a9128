import { randomBytes } from "node:crypto";
import { appendFileSync, existsSync, readdirSync, renameSync, rmSync, truncateSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { encodeHex } from "../../bytes/hex.ts";
import { printIndentedJson } from "../../bytes/json.ts";
import { shortestDelaySeconds } from "../../consensus/forging-gap.ts";
import { addressText } from "../../crypto/addresses.ts";
import { customProfile, implementedFeatures, parseDuration } from "../../profiles/index.ts";
import { makeDirectory } from "../../runtime/make-directory.ts";
import { systemClock } from "../../runtime/system.ts";
import { CommandError, ExitCode, failure, UsageError } from "../exit-codes.ts";
import { readInput } from "../input.ts";
import type { Io } from "../io.ts";
import { countText } from "../numbers.ts";
import { forecastText, forgeQuorum, requireForgingGap } from "./forecast.ts";
import { foundersOf, newSeeds, type SeedLine, seedFileText, writeNewFile } from "./founders.ts";
import { planNetwork, withUsageErrors } from "./genesis-plan.ts";
import { MAX_NODES } from "./max-nodes.ts";
import {
  genesisFile,
  HOST,
  logFile,
  NETWORK_NAME,
  type NetworkFile,
  networkFile,
  nodeFolder,
  seedsFile,
  settingsFile,
} from "./network-directory.ts";

const MAX_PORT = 65_535;
/** In units. */
const FORGER_BALANCE = 100_000_000_000_000n;
const DEFAULT_DELAY_SECONDS = 10;

export interface NewLocalNetwork {
  readonly folder: string;
  readonly nodes: number;
  readonly chainId: string;
  readonly delay: string | undefined;
  /** First of consecutive ports, one per node; 0: any free ports. Also for `p2pPort`. */
  readonly apiPort: number;
  readonly p2pPort: number;
}

export interface NewNodes {
  readonly folder: string;
  readonly count: number;
  /** Undefined: the ports after those of the other nodes, or free ports. */
  readonly apiPort: number | undefined;
  readonly p2pPort: number | undefined;
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

/**
 * Opens all ports at once to check that they are free; returns them.
 * @param ports 0: any free port
 */
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

function listEntries(folder: string): string[] {
  try {
    return existsSync(folder) ? readdirSync(folder) : [];
  } catch (error) {
    throw failure(`Cannot use ${folder}: ${(error as Error).message}`);
  }
}

interface NodeSettings {
  readonly folder: string;
  readonly network: NetworkFile;
  readonly number: number;
  readonly seed: string;
  readonly forge: boolean;
  readonly quorum: number;
}

/** JSON, which is also YAML. */
function settingsText({ folder, network, number, seed, forge, quorum }: NodeSettings): string {
  const { nodes, apiKey } = network;
  const { apiPort, p2pPort } = nodes[number - 1];
  const others = nodes.filter((_, i) => i !== number - 1).map((node) => `${HOST}:${node.p2pPort}`);
  return `${printIndentedJson({
    genesis: genesisFile(folder),
    "data-dir": join(nodeFolder(folder, number), "data"),
    "node-name": `node-${number}`,
    "log-format": "text",
    "log-file": logFile(folder, number),
    "api-host": HOST,
    "api-port": apiPort,
    "api-key": apiKey,
    "wallet-seed": seed,
    forge,
    "forge-quorum": quorum,
    // Lets a network forge again after a long stop.
    "interval-after-last-block": "36500d",
    "ntp-server": "off",
    "p2p-host": HOST,
    "p2p-port": p2pPort,
    "declared-address": `${HOST}:${p2pPort}`,
    nonce: number,
    peers: others,
    // All nodes share an IP address and its limits.
    "max-single-host-connections": 2 * MAX_NODES,
    "suspension-residence-time": "1s",
    "black-list-residence-time": "1s",
  })}\n`;
}

function writeNode(settings: NodeSettings): void {
  const { folder, number } = settings;
  makeFolder(nodeFolder(folder, number));
  writeNewFile(settingsFile(folder, number), settingsText(settings), 0o600);
}

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

/** @throws UsageError, CommandError */
export async function makeNetwork(request: NewLocalNetwork, io: Io): Promise<NetworkFile> {
  const { folder, nodes: count } = request;
  if (!/^[!-~]$/.test(request.chainId))
    throw new UsageError("--chain-id must be one visible ASCII character");
  const seeds = newSeeds(count, FORGER_BALANCE);
  const founders = foundersOf(seeds, request.chainId.charCodeAt(0));
  const { genesisText, forecast } = withUsageErrors(() =>
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
  if (forecast !== undefined) requireForgingGap(forecast);
  const apiPorts = portsFrom(request.apiPort, count);
  const p2pPorts = portsFrom(request.p2pPort, count);
  if (apiPorts.some((port) => port !== 0 && p2pPorts.includes(port)))
    throw new UsageError("--api-port and --p2p-port: the port ranges overlap");
  if (listEntries(folder).length > 0)
    throw failure(`${folder} is not empty and has no network: choose another directory with --dir`);
  const ports = await tryPorts([...apiPorts, ...p2pPorts]);
  const network: NetworkFile = {
    nodes: ports.slice(0, count).map((apiPort, i) => ({ apiPort, p2pPort: ports[count + i] })),
    apiKey: encodeHex(new Uint8Array(randomBytes(24))),
  };
  makeFolder(folder);
  writeNewFile(genesisFile(folder), genesisText, 0o644);
  writeNewFile(seedsFile(folder), seedFileText(seeds), 0o600);
  const quorum = forgeQuorum(count);
  for (const [i, { seed }] of seeds.entries())
    writeNode({ folder, network, number: i + 1, seed, forge: true, quorum });
  // Write this file last: it marks a complete network.
  writeNewFile(networkFile(folder), `${printIndentedJson(network)}\n`, 0o600);
  io.err(`Created a network of ${countText(count, "node")} in ${folder}\n`);
  if (forecast !== undefined) io.err(forecastText(forecast));
  return network;
}

/** @returns API ports, then P2P ports */
async function chooseNewPorts(
  { nodes }: NetworkFile,
  { count, apiPort, p2pPort }: NewNodes,
): Promise<number[]> {
  const used = nodes.flatMap((node) => [node.apiPort, node.p2pPort]);
  const firstAfter = (ports: readonly number[]): number => {
    const first = Math.max(...ports) + 1;
    return first + count - 1 > MAX_PORT ? 0 : first;
  };
  const portsOf = (api: number, p2p: number) => [...portsFrom(api, count), ...portsFrom(p2p, count)];
  const findRepeated = (ports: readonly number[]) =>
    ports.find((port, i) => port !== 0 && (used.includes(port) || ports.indexOf(port) !== i));
  const repeated = findRepeated(portsOf(apiPort ?? 0, p2pPort ?? 0));
  if (repeated !== undefined)
    throw new UsageError(`--api-port, --p2p-port: the network would use port ${repeated} twice`);
  const next = portsOf(
    apiPort ?? firstAfter(nodes.map((node) => node.apiPort)),
    p2pPort ?? firstAfter(nodes.map((node) => node.p2pPort)),
  );
  const arePortsGiven = apiPort !== undefined && p2pPort !== undefined;
  if (arePortsGiven || findRepeated(next) === undefined) {
    try {
      return await tryPorts(next);
    } catch (error) {
      if (arePortsGiven || !(error instanceof CommandError)) throw error;
    }
  }
  const free = await tryPorts(portsOf(apiPort ?? 0, p2pPort ?? 0));
  // The system may choose the port of a stopped node, which does not listen.
  if (findRepeated(free) !== undefined) throw failure("A free port belongs to a stopped node: try again");
  return free;
}

/** Adds nodes without starting them; on an error, nothing has changed. */
export async function addNodes(before: NetworkFile, request: NewNodes, io: Io): Promise<NetworkFile> {
  const { folder, count } = request;
  const first = before.nodes.length + 1;
  if (before.nodes.length + count > MAX_NODES)
    throw new UsageError(
      `The network has ${countText(before.nodes.length, "node")}; with ${count} more it would exceed the limit of ${MAX_NODES}`,
    );
  const { genesis, chainId } = withUsageErrors(() => customProfile(readInput(genesisFile(folder))));
  const ports = await chooseNewPorts(before, request);
  const network: NetworkFile = {
    ...before,
    nodes: [
      ...before.nodes,
      ...ports.slice(0, count).map((apiPort, i) => ({ apiPort, p2pPort: ports[count + i] })),
    ],
  };
  const seeds = newSeeds(count, 0n);
  // With a shorter delay, several forgers would tie.
  const forge = genesis.averageBlockDelaySeconds >= shortestDelaySeconds([1n, 1n]);
  const quorum = forgeQuorum(genesis.transactions.length);
  const folders = seeds.map((_, i) => nodeFolder(folder, first + i));
  const existing = folders.find((path) => existsSync(path));
  if (existing !== undefined) throw failure(`${existing} already exists: remove it, or choose another --dir`);
  const seedsBefore = readInput(seedsFile(folder));
  try {
    for (const [i, { seed }] of seeds.entries())
      writeNode({ folder, network, number: first + i, seed, forge, quorum });
    appendFileSync(seedsFile(folder), seedFileText(seeds), { mode: 0o600 });
    const draft = `${networkFile(folder)}.new`;
    rmSync(draft, { force: true });
    writeNewFile(draft, `${printIndentedJson(network)}\n`, 0o600);
    renameSync(draft, networkFile(folder));
  } catch (error) {
    for (const path of folders) rmSync(path, { recursive: true, force: true });
    truncateSync(seedsFile(folder), Buffer.byteLength(seedsBefore));
    if (error instanceof CommandError) throw error;
    throw failure(`Cannot add nodes to ${folder}: ${(error as Error).message}`);
  }
  io.err(`Added ${countText(count, "node")} to the network in ${folder}\n`);
  for (const [i, { address }] of foundersOf(seeds, chainId).entries())
    io.err(`Account of node-${first + i}, without tokens: ${addressText(address)}\n`);
  io.err(
    forge
      ? "An account forges when it has had 1000 tokens for 1000 blocks\n"
      : `Added nodes do not forge: with the block delay of ${genesis.averageBlockDelaySeconds} s, several forgers would tie\n`,
  );
  return network;
}

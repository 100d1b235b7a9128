/** Loaded on demand. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { withoutSettings } from "../../config/sources/sources.ts";
import { systemClock } from "../../runtime/system.ts";
import { failure } from "../exit-codes.ts";
import { readInput } from "../input.ts";
import type { Io } from "../io.ts";
import { countText } from "../numbers.ts";
import {
  HOST,
  logFile,
  NETWORK_NAME,
  type NetworkFile,
  pidFile,
  readNetwork,
  requireNetwork,
  settingsFile,
} from "./network-directory.ts";
import { addNodes, makeNetwork, type NewLocalNetwork, type NewNodes } from "./new-nodes.ts";

const NODE_TIMEOUT_MS = 60_000;
const POLL_INTERVAL_MS = 100;
const REQUEST_TIMEOUT_MS = 2_000;
/** Log characters shown if a node does not start. */
const LOG_TAIL = 2_000;

export interface LocalNetworkRequest extends NewLocalNetwork {
  /** Flags of this call, except the directory. */
  readonly given: readonly string[];
  readonly stopCommand: string;
}

const wait = (ms: number) => new Promise<void>((resolve) => void systemClock.after(ms, resolve));

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

/** @returns true if the node was started */
async function startNode(folder: string, number: number, network: NetworkFile, io: Io): Promise<boolean> {
  const { apiPort } = network.nodes[number - 1];
  if (await answers(apiPort, network.apiKey)) return false;
  const log = logFile(folder, number);
  const child = io.spawn(
    ["start", "--config", settingsFile(folder, number)],
    log,
    // Variables would override the settings files of all nodes.
    withoutSettings(io.environment, NETWORK_NAME),
  );
  if (child.pid !== undefined) writeFileSync(pidFile(folder, number), `${child.pid}\n`, { mode: 0o600 });
  const end = systemClock.monotonic() + NODE_TIMEOUT_MS;
  while (!(await answers(apiPort, network.apiKey))) {
    if (child.hasEnded() || systemClock.monotonic() > end)
      throw failure(`Node ${number} did not start. End of ${log}:\n${tailOf(log)}`);
    await wait(POLL_INTERVAL_MS);
  }
  return true;
}

/** @throws CommandError; started nodes keep running */
async function startNodes(
  numbers: readonly number[],
  { folder, stopCommand }: Pick<LocalNetworkRequest, "folder" | "stopCommand">,
  network: NetworkFile,
  io: Io,
): Promise<void> {
  const starts = await Promise.allSettled(numbers.map((number) => startNode(folder, number, network, io)));
  const failed = starts.find((start) => start.status === "rejected");
  if (failed !== undefined) {
    if (starts.some((start) => start.status === "fulfilled"))
      io.err(`Not all nodes started; \`${stopCommand}\` stops those that did.\n`);
    throw failed.reason;
  }
  for (const [i, start] of starts.entries()) {
    const number = numbers[i];
    const { apiPort, p2pPort } = network.nodes[number - 1];
    const state = start.status === "fulfilled" && start.value ? "started" : "already running";
    io.out(`node-${number}  http://${HOST}:${apiPort}  peers at ${HOST}:${p2pPort}  ${state}\n`);
  }
  io.err(`API key, seeds and logs are in ${folder}. \`${stopCommand}\` stops the network.\n`);
}

const numbersOf = (nodes: readonly unknown[]): number[] => nodes.map((_, i) => i + 1);

/**
 * Creates a missing network, or adds missing nodes.
 * @throws UsageError, CommandError
 */
async function networkOf(request: LocalNetworkRequest, io: Io): Promise<NetworkFile> {
  const { folder, nodes, given } = request;
  const existing = readNetwork(folder);
  if (existing === undefined) return makeNetwork(request, io);
  const count = given.includes("--nodes") ? nodes - existing.nodes.length : 0;
  const unused = given.filter((flag) => flag !== "--nodes" || count < 0);
  if (unused.length > 0)
    io.err(
      `The network in ${folder} exists, with ${countText(existing.nodes.length, "node")}: ${unused.join(", ")} had no effect\n`,
    );
  if (count <= 0) return existing;
  return addNodes(existing, { folder, count, apiPort: undefined, p2pPort: undefined }, io);
}

/**
 * Creates a missing network, adds missing nodes, and starts all.
 * @throws UsageError, CommandError; started nodes keep running
 */
export async function networkUp(request: LocalNetworkRequest, io: Io): Promise<void> {
  const network = await networkOf(request, io);
  await startNodes(numbersOf(network.nodes), request, network, io);
}

/**
 * Adds nodes and starts them; other nodes do not change.
 * @throws UsageError, CommandError
 */
export async function networkAdd(
  request: NewNodes & { readonly stopCommand: string },
  io: Io,
): Promise<void> {
  const before = requireNetwork(request.folder);
  const network = await addNodes(before, request, io);
  await startNodes(numbersOf(network.nodes).slice(before.nodes.length), request, network, io);
}

function pidOf(folder: string, number: number): number | undefined {
  const path = pidFile(folder, number);
  const pid = existsSync(path) ? Number(readInput(path)) : Number.NaN;
  return Number.isSafeInteger(pid) && pid > 0 ? pid : undefined;
}

/**
 * Stops a node and waits until its process and store are closed. The API key prevents stopping another program with the
 * same port or process id.
 * @returns true if the node was running
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

/** @throws UsageError if the directory has no network; CommandError */
export async function networkDown(folder: string, io: Io): Promise<void> {
  const network = requireNetwork(folder);
  const stopped = await Promise.all(network.nodes.map((_, i) => stopNode(folder, i + 1, network, io)));
  for (const [i, ran] of stopped.entries()) io.out(`node-${i + 1}  ${ran ? "stopped" : "was not running"}\n`);
}

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { withoutSettings } from "../../config/sources/sources.ts";
import { minimumGeneratingBalance } from "../../consensus/proof-of-stake.ts";
import { customProfile, Feature } from "../../profiles/index.ts";
import { type CommandError, failure } from "../exit-codes.ts";
import { readInput } from "../input.ts";
import type { Io, SpawnedProcess } from "../io.ts";
import { countText } from "../numbers.ts";
import { runStoppable } from "../stopping.ts";
import { tieWarning } from "./forecast.ts";
import { withUsageErrors } from "./genesis-plan.ts";
import {
  genesisFile,
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
const MAX_LOG_TAIL_LENGTH = 2_000;

export interface LocalNetworkRequest extends NewLocalNetwork {
  /** Flags of the command line, except --dir. */
  readonly given: readonly string[];
  readonly commands: NetworkCommands;
}

export interface NetworkCommands {
  readonly up: string;
  readonly down: string;
}

interface Launch {
  readonly folder: string;
  readonly network: NetworkFile;
  readonly commands: NetworkCommands;
  readonly stop: AbortSignal;
  /** Processes that this call started, by node number. */
  readonly started: Map<number, SpawnedProcess>;
}

/** Returns false on a timeout. */
async function poll({ clock }: Io, isDone: () => boolean | Promise<boolean>): Promise<boolean> {
  const end = clock.monotonic() + NODE_TIMEOUT_MS;
  while (!(await isDone())) {
    if (clock.monotonic() > end) return false;
    await new Promise<void>((resolve) => void clock.after(POLL_INTERVAL_MS, resolve));
  }
  return true;
}

async function responds(port: number, apiKey: string): Promise<boolean> {
  try {
    const response = await fetch(`http://${HOST}:${port}/debug/info`, {
      headers: { "x-api-key": apiKey },
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}

function tailOf(path: string): string {
  return existsSync(path) ? readFileSync(path, "utf8").slice(-MAX_LOG_TAIL_LENGTH) : "";
}

/** Returns false if the node was already running. */
async function startNode(
  number: number,
  { folder, network, stop, started }: Launch,
  io: Io,
): Promise<boolean> {
  const { apiPort } = network.nodes[number - 1];
  if (await responds(apiPort, network.apiKey)) return false;
  stop.throwIfAborted();
  const log = logFile(folder, number);
  const child = io.spawn(
    ["start", "--config", settingsFile(folder, number)],
    log,
    // Environment variables would override the settings files of all nodes.
    withoutSettings(io.environment, NETWORK_NAME),
  );
  started.set(number, child);
  if (child.pid !== undefined) writeFileSync(pidFile(folder, number), `${child.pid}\n`, { mode: 0o600 });
  let isUp = false;
  await poll(io, async () => {
    stop.throwIfAborted();
    isUp = await responds(apiPort, network.apiKey);
    return isUp || child.hasEnded();
  });
  if (!isUp) throw failure(`Node ${number} did not start. End of ${log}:\n${tailOf(log)}`);
  return true;
}

/** Returns an error that names the stopped nodes. */
async function stopStarted({ started, commands }: Launch, io: Io): Promise<CommandError> {
  const running = () => Array.from(started).filter(([, child]) => !child.hasEnded());
  for (const [, child] of running()) child.stop();
  await poll(io, () => running().length === 0);
  const stillRunning = new Set(running().map(([number]) => number));
  const names = (numbers: readonly number[]) => numbers.map((number) => `node-${number}`).join(", ");
  const ended = Array.from(started.keys()).filter((number) => !stillRunning.has(number));
  const parts = [
    "Stopped.",
    ...(ended.length > 0 ? [`Nodes that this command started and stopped again: ${names(ended)}.`] : []),
    ...Array.from(
      stillRunning,
      (number) => `node-${number} (process ${started.get(number)?.pid}) has not ended in time.`,
    ),
    `\`${commands.up}\` starts the network.`,
  ];
  return failure(parts.join(" "));
}

/** @throws CommandError */
async function startNodes(numbers: readonly number[], launch: Launch, io: Io): Promise<void> {
  const { folder, network, commands } = launch;
  const starts = await Promise.allSettled(numbers.map((number) => startNode(number, launch, io)));
  if (launch.stop.aborted) throw await stopStarted(launch, io);
  const failed = starts.find((start) => start.status === "rejected");
  if (failed !== undefined) {
    if (starts.some((start) => start.status === "fulfilled"))
      io.err(`Not all nodes started; \`${commands.down}\` stops those that did.\n`);
    throw failed.reason;
  }
  for (const [i, start] of starts.entries()) {
    const number = numbers[i];
    const { apiPort, p2pPort } = network.nodes[number - 1];
    const state = start.status === "fulfilled" && start.value ? "started" : "already running";
    io.out(`node-${number}  http://${HOST}:${apiPort}  peers at ${HOST}:${p2pPort}  ${state}\n`);
  }
  io.err(`API key, seeds and logs are in ${folder}. \`${commands.down}\` stops the network.\n`);
}

const numbersOf = (nodes: readonly unknown[]): number[] => nodes.map((_, i) => i + 1);

function existingTieWarning(folder: string): string {
  const { genesis, functionality } = withUsageErrors(() => customProfile(readInput(genesisFile(folder))));
  const minimum = minimumGeneratingBalance(
    functionality.preActivatedFeatures.get(Feature.MinimalGeneratingBalance) === 0,
  );
  const balances = genesis.transactions.map(({ amount }) => amount).filter((amount) => amount >= minimum);
  return tieWarning(balances, genesis.averageBlockDelaySeconds);
}

async function prepareNetwork(request: LocalNetworkRequest, io: Io): Promise<NetworkFile> {
  const { folder, nodes, given } = request;
  const existing = readNetwork(folder);
  if (existing === undefined) return makeNetwork(request, io);
  const count = given.includes("--nodes") ? nodes - existing.nodes.length : 0;
  const unused = given.filter((flag) => flag !== "--nodes" || count < 0);
  if (unused.length > 0)
    io.err(
      `The network in ${folder} exists, with ${countText(existing.nodes.length, "node")}: ${unused.join(", ")} had no effect\n`,
    );
  io.err(existingTieWarning(folder));
  if (count <= 0) return existing;
  return addNodes(existing, { folder, count, apiPort: undefined, p2pPort: undefined }, io);
}

/** @throws UsageError, CommandError. Started nodes then keep running, except after a signal. */
export function networkUp(request: LocalNetworkRequest, io: Io): Promise<void> {
  const { folder, commands } = request;
  return runStoppable(io, async (stop) => {
    stop.throwIfAborted();
    const network = await prepareNetwork(request, io);
    await startNodes(numbersOf(network.nodes), { folder, network, commands, stop, started: new Map() }, io);
  });
}

/** @throws like `networkUp` */
export function networkAdd(
  request: NewNodes & { readonly commands: NetworkCommands },
  io: Io,
): Promise<void> {
  const { folder, commands } = request;
  return runStoppable(io, async (stop) => {
    stop.throwIfAborted();
    const before = requireNetwork(folder);
    const network = await addNodes(before, request, io);
    const added = numbersOf(network.nodes).slice(before.nodes.length);
    await startNodes(added, { folder, network, commands, stop, started: new Map() }, io);
  });
}

function pidOf(folder: string, number: number): number | undefined {
  const path = pidFile(folder, number);
  const pid = existsSync(path) ? Number(readInput(path)) : Number.NaN;
  return Number.isSafeInteger(pid) && pid > 0 ? pid : undefined;
}

/** Waits until the process has ended. Returns false if it was not running. */
async function stopNode(
  folder: string,
  number: number,
  { nodes, apiKey }: NetworkFile,
  io: Io,
): Promise<boolean> {
  const port = nodes[number - 1].apiPort;
  if (!(await responds(port, apiKey))) return false;
  const pid = pidOf(folder, number);
  await fetch(`http://${HOST}:${port}/node/stop`, {
    method: "POST",
    headers: { "x-api-key": apiKey },
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  });
  const isRunning = async () => (await responds(port, apiKey)) || (pid !== undefined && io.isRunning(pid));
  if (!(await poll(io, async () => !(await isRunning()))))
    throw failure(`Node ${number} has not stopped in time`);
  return true;
}

/** @throws UsageError if the directory has no network; CommandError */
export async function networkDown(folder: string, io: Io): Promise<void> {
  const network = requireNetwork(folder);
  const stopped = await Promise.all(network.nodes.map((_, i) => stopNode(folder, i + 1, network, io)));
  for (const [i, ran] of stopped.entries()) io.out(`node-${i + 1}  ${ran ? "stopped" : "was not running"}\n`);
}

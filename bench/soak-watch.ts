/**
 * Watches a network of four nodes with Prometheus: `npm run soak:watch -- --minutes 35`. The run passes if every query
 * of the dashboards returns data, the network causes no critical alert, and a fifth node, without peers, causes the
 * alerts that operators need most. It needs Debian's package `prometheus`.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { readEvents } from "../src/client/events.ts";
import { dashboardQueries } from "../test/support/dashboards.ts";
import { plainEnvironment, type Served } from "./support.ts";

const [option = "--minutes", value = "35", ...more] = process.argv.slice(2);
const minutes = /^[1-9]\d{0,3}$/.test(value) ? Number(value) : Number.NaN;
if (option !== "--minutes" || more.length > 0 || Number.isNaN(minutes)) {
  console.error("Usage: npm run soak:watch -- --minutes N");
  process.exit(2);
}

const NODES = 4;
const HOST = "127.0.0.1";
const SCRAPE_INTERVAL = "5s";
const MINUTE_MS = 60_000;
/** Less than a full transaction, so that they wait for the next block. */
const FEW_HASHES = 20;
/** Interval of the requests to each node, ms. */
const REQUEST_INTERVAL_MS = 1_000;
/** The alerts that the node without peers must cause, with the minutes until they fire. */
const EXPECTED_ALERTS: ReadonlyMap<string, number> = new Map([
  ["HoldfastNoPeers", 6],
  ["HoldfastTipOld", 18],
  ["HoldfastDiskLow", 6],
  ["HoldfastForgingMissed", 7],
  ["HoldfastAnchorsPending", 32],
]);

const root = fileURLToPath(new URL("../../", import.meta.url));
const cli = join(root, "dist", "cli.js");
const folder = mkdtempSync(join(tmpdir(), "holdfast-watch-"));
const network = join(folder, "network");

const LOG_FILES_KEPT = 3;
/** Time in which a node must answer after its start, in attempts and ms between them. */
const START_ATTEMPTS = 300;
const START_POLL_MS = 200;

/** Settings with everything on that a watched node can have. */
const WATCHED_SETTINGS = {
  "log-format": "json",
  "log-level": "info,api=debug",
  "log-file-max-size": "256KiB",
  "log-file-keep": LOG_FILES_KEPT,
  "request-log": true,
  "anchor-batch": "batch",
  "metrics-port": 0,
} as const;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, HOST);
  await once(server, "listening");
  const address = server.address();
  server.close();
  if (address === null || typeof address === "string") throw new Error("No free port");
  return address.port;
}

interface WatchedNode {
  readonly name: string;
  readonly served: Served;
  readonly metricsPort: number;
}

/** Starts a node with the settings of a node of the network, and further ones. */
async function startNode(
  name: string,
  number: number,
  further: Readonly<Record<string, unknown>>,
): Promise<WatchedNode> {
  const path = join(network, `node-${number}`, "settings.yaml");
  const metricsPort = await freePort();
  const apiPort = await freePort();
  const settings = {
    // `network up` writes JSON, which is also YAML.
    ...(JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>),
    ...WATCHED_SETTINGS,
    ...further,
    "metrics-port": metricsPort,
    "api-port": apiPort,
    "log-file": join(folder, `${name}.log`),
  };
  const config = join(folder, `${name}.yaml`);
  writeFileSync(config, JSON.stringify(settings), { mode: 0o600 });
  // The log is in the file, so only faults are on the standard streams.
  const child = spawn(process.execPath, [cli, "start", "--config", config], {
    stdio: "inherit",
    env: plainEnvironment(),
  });
  const served = { url: `http://${HOST}:${apiPort}`, process: child };
  for (let attempt = 1; attempt <= START_ATTEMPTS; attempt++) {
    const answer = await fetch(`${served.url}/node/status`).catch(() => undefined);
    if (answer?.ok) return { name, served, metricsPort };
    await delay(START_POLL_MS);
  }
  child.kill("SIGKILL");
  throw new Error(`${name} does not answer`);
}

/** Number and size of a node's log files. */
function logFiles({ name }: WatchedNode): { readonly count: number; readonly kib: number } {
  const files = readdirSync(folder).filter((file) => file.startsWith(`${name}.log`));
  const bytes = files.reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
  return { count: files.length, kib: Math.round(bytes / 1024) };
}

async function startPrometheus(
  nodes: readonly WatchedNode[],
): Promise<{ url: string; process: ChildProcess }> {
  const targets = nodes.map(({ metricsPort, name }) => ({
    targets: [`${HOST}:${metricsPort}`],
    labels: { instance: name },
  }));
  const config = join(folder, "prometheus.yml");
  writeFileSync(
    config,
    JSON.stringify({
      global: { scrape_interval: SCRAPE_INTERVAL, evaluation_interval: SCRAPE_INTERVAL },
      rule_files: [join(root, "deploy", "prometheus", "alerts.yaml")],
      scrape_configs: [{ job_name: "holdfast", static_configs: targets }],
    }),
  );
  const address = `${HOST}:${await freePort()}`;
  const child = spawn(
    "prometheus",
    [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(folder, "prometheus")}`,
      `--web.listen-address=${address}`,
      "--log.level=warn",
    ],
    { stdio: ["ignore", "inherit", "inherit"] },
  );
  return { url: `http://${address}`, process: child };
}

/**
 * Sends requests of many kinds until `signal` aborts. A request that fails does not end the load.
 * @param hashes number of hashes to anchor
 */
async function load(url: string, hashes: number, signal: AbortSignal): Promise<void> {
  const paths = [
    "/blocks/last",
    "/node/status",
    "/blocks/headers/last",
    "/transactions/unconfirmed",
    "/no/such/path",
  ];
  for (let i = 0; !signal.aborted; i++) {
    const hash = randomBytes(32).toString("hex");
    const anchor = {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ hash }),
    };
    const requests = [
      fetch(url + paths[i % paths.length], { signal }),
      ...(i < hashes ? [fetch(`${url}/hash`, { ...anchor, signal })] : []),
    ];
    for (const answer of await Promise.allSettled(requests))
      if (answer.status === "fulfilled") await answer.value.arrayBuffer().catch(() => undefined);
    await delay(REQUEST_INTERVAL_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** Follows the events until `signal` aborts. */
async function follow(url: string, signal: AbortSignal): Promise<void> {
  try {
    for await (const _ of readEvents({ url, signal, fetch }));
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

interface ResourceUse {
  readonly residentMb: number;
  readonly openFiles: number;
}

async function resourcesOf({ metricsPort }: WatchedNode): Promise<ResourceUse> {
  const text = await (await fetch(`http://${HOST}:${metricsPort}/metrics`)).text();
  const sampleOf = (name: string): number => Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1]);
  return {
    residentMb: Math.round(sampleOf("process_resident_memory_bytes") / 2 ** 20),
    openFiles: sampleOf("process_open_fds"),
  };
}

interface PrometheusAnswer<T> {
  readonly data: T;
}

async function ask<T>(url: string): Promise<T> {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  return ((await answer.json()) as PrometheusAnswer<T>).data;
}

/** Returns the panels without data. */
async function emptyPanels(prometheus: string): Promise<readonly string[]> {
  const empty: string[] = [];
  for (const { where, expression } of dashboardQueries(root)) {
    const query = expression
      .replaceAll("$job", "holdfast")
      .replaceAll("$instance", ".*")
      .replaceAll("$__rate_interval", "1m");
    const { result } = await ask<{ result: readonly unknown[] }>(
      `${prometheus}/api/v1/query?${new URLSearchParams({ query })}`,
    );
    if (result.length === 0) empty.push(`${where}: ${query}`);
  }
  return empty;
}

interface Alert {
  readonly state: "pending" | "firing";
  readonly labels: Readonly<Record<string, string>>;
}

async function firing(prometheus: string): Promise<readonly Alert["labels"][]> {
  const { alerts } = await ask<{ alerts: readonly Alert[] }>(`${prometheus}/api/v1/alerts`);
  return alerts.filter(({ state }) => state === "firing").map(({ labels }) => labels);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await ended;
}

const network4 = ["--dir", network, "--nodes", String(NODES), "--api-port", "0", "--p2p-port", "0"];
const holdfast = (...args: readonly string[]): void => {
  execFileSync(process.execPath, [cli, ...args], { env: plainEnvironment(), stdio: "inherit" });
};

const running: ChildProcess[] = [];
const faults: string[] = [];
const stop = new AbortController();
try {
  holdfast("network", "up", ...network4);
  holdfast("network", "down", "--dir", network);
  const nodes: WatchedNode[] = [];
  for (let number = 1; number <= NODES; number++) nodes.push(await startNode(`node-${number}`, number, {}));
  const lonely = await startNode("lonely", 1, {
    "data-dir": join(folder, "lonely"),
    "p2p-port": await freePort(),
    "declared-address": undefined,
    "forge-quorum": 1,
    peers: [],
    // More than any disk has.
    "disk-warn-free": "1000000GiB",
  });
  const all = [...nodes, lonely];
  running.push(...all.map(({ served }) => served.process));
  const prometheus = await startPrometheus(all);
  running.push(prometheus.process);

  const work = Promise.all([
    ...nodes.map(({ served }) => load(served.url, Number.POSITIVE_INFINITY, stop.signal)),
    load(lonely.served.url, FEW_HASHES, stop.signal),
    follow(nodes[0].served.url, stop.signal),
  ]);
  const first = new Map<string, ResourceUse>();
  for (let minute = 1; minute <= minutes; minute++) {
    await delay(MINUTE_MS);
    const figures: string[] = [];
    for (const node of all) {
      const use = await resourcesOf(node);
      if (minute === Math.min(10, minutes)) first.set(node.name, use);
      figures.push(`${node.name} ${use.residentMb} MB ${use.openFiles} files`);
    }
    console.log(`${minute} min: ${figures.join(", ")}`);
  }
  const empty = await emptyPanels(prometheus.url);
  faults.push(...empty.map((one) => `No data: ${one}`));
  const alerts = await firing(prometheus.url);
  console.log(`Alerts: ${alerts.map(({ alertname, instance }) => `${alertname} (${instance})`).join(", ")}`);
  for (const [name, due] of EXPECTED_ALERTS) {
    const isFiring = alerts.some((alert) => alert.alertname === name && alert.instance === lonely.name);
    if (!isFiring && minutes >= due) faults.push(`The node without peers did not cause ${name}`);
  }
  for (const { alertname, instance, severity } of alerts)
    if (instance !== lonely.name && severity === "critical") faults.push(`${instance} caused ${alertname}`);
  stop.abort();
  await work;
  for (const node of all) {
    const [before, after] = [first.get(node.name), await resourcesOf(node)];
    const { count, kib } = logFiles(node);
    if (count > LOG_FILES_KEPT + 1) faults.push(`${node.name} has ${count} log files`);
    console.log(
      `${node.name}: ${count} log files of ${kib} KiB, ${before?.residentMb} MB and ${before?.openFiles} files after 10 min, ` +
        `${after.residentMb} MB and ${after.openFiles} files at the end`,
    );
  }
} finally {
  stop.abort();
  for (const child of running.reverse()) await end(child);
  rmSync(folder, { recursive: true, force: true });
}
for (const fault of faults) console.error(fault);
console.log(faults.length === 0 ? `${minutes} min: no fault` : `${faults.length} faults`);
process.exit(faults.length === 0 ? 0 : 1);

/**
 * Attacks a forging node, started as an operator would start it, while a client broadcasts and sends light reads:
 * `npm run soak:attack -- --minutes 5`. Each kind has a node of its own, which runs undisturbed for so many minutes and is
 * then attacked for as long. `--node PATH` attacks the build of another checkout, with these attackers; `--quiet` starts no
 * attackers, for the baseline of a busy machine.
 *
 * A row passes if no gap between blocks is above 1.5 times the longest of the quiet phase, every light read takes at most
 * 250 ms, memory stays within its bound, the node does not end, and every accepted transaction is in a block or the pool.
 */
import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { setPriority, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { SeededRandom } from "../src/testing/seeded-random.ts";
import { writeAttackChain } from "./attack-chains.ts";
import { AttackedNode, type Phase } from "./attack-node.ts";
import { type ChainName, FLOODS, KINDS, type Kind } from "./attack-setup.ts";

const ALL = [...FLOODS, ...Object.keys(KINDS)];
const USAGE = `Usage: npm run soak:attack -- --minutes N [--seed N] [--only KINDS] [--quiet] [--node PATH] [--scale N]
Kinds, separated by commas: ${ALL.join(", ")}`;

const WANTED_GAP = 1.5;
const WANTED_READ_MS = 250;
const MEMORY_MB = 512;
/**
 * Memory bound in the floods, MB: heaps of the HTTP thread (768) and of a reader thread (512), waiting answers (160), the
 * pool with cached facts about its transactions (256), the writer and the code (350).
 */
const FLOOD_MEMORY_MB = 2_048;
/**
 * Real attackers have their own machines: here they only get the processor time that the node and its clients leave.
 */
const PRIORITY = 10;
/** Maximum time that the node may spend on the attackers' remaining requests, ms. */
const RECOVERY_MS = 120_000;
/** Timeout for attackers to end when their time is up, ms. */
const ENDING_MS = 90_000;

function given() {
  try {
    const { values } = parseArgs({
      options: {
        minutes: { type: "string", default: "2" },
        seed: { type: "string", default: String(Math.floor(Math.random() * 2 ** 31)) },
        only: { type: "string", default: ALL.join(",") },
        quiet: { type: "boolean", default: false },
        node: { type: "string", default: fileURLToPath(new URL("../..", import.meta.url)) },
        scale: { type: "string", default: "1" },
      },
    });
    const kinds = values.only.split(",");
    const [minutes, seed, scale] = [Number(values.minutes), Number(values.seed), Number(values.scale)];
    const isGood = minutes > 0 && seed >= 0 && scale > 0 && kinds.every((kind) => ALL.includes(kind));
    if (isGood) return { kinds, minutes, seed, scale, quiet: values.quiet, node: resolve(values.node) };
  } catch {
    // An unknown option.
  }
  console.error(USAGE);
  process.exit(2);
}

const { kinds, minutes, seed, scale, quiet, node: checkout } = given();
const cli = join(checkout, "dist", "cli.js");
const worker = fileURLToPath(new URL("./attack-worker.js", import.meta.url));
const home = mkdtempSync(join(tmpdir(), "holdfast-attack-"));
const random = new SeededRandom(seed);
const running = new Set<ReturnType<typeof spawn>>();
let attacked: AttackedNode | undefined;

for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => {
    for (const child of running) child.kill("SIGKILL");
    attacked?.kill();
    rmSync(home, { recursive: true, force: true });
    process.exit(1);
  });

/** Builds a chain and imports it into a node, once per name. @returns the data directory */
const made = new Map<ChainName, string>();
async function chainHome(name: ChainName): Promise<string> {
  const known = made.get(name);
  if (known !== undefined) return known;
  const file = join(home, `${name}.bin`);
  const directory = join(home, name);
  await writeAttackChain(name, scale, file);
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [cli, "import", "--data-dir", directory, file],
    {
      encoding: "utf8",
    },
  );
  if (status !== 0) throw new Error(`Chain import failed: ${stdout}${stderr}`);
  rmSync(file);
  made.set(name, directory);
  return directory;
}

/** The attackers' output. */
interface Told {
  readonly text: string;
  readonly counts: Readonly<Record<string, number>>;
}

function countsOf(said: string): Told["counts"] {
  try {
    // A worker prints its counts and nothing else.
    return JSON.parse(said) as Told["counts"];
  } catch {
    // The process ended before it printed everything.
    return {};
  }
}

/** Runs the attackers of a kind in a separate process. @returns their counters */
async function attackers(kind: string, { url, p2pPort }: AttackedNode, seconds: number): Promise<Told> {
  const args = [worker, kind, `${url}/`, String(seconds), String(random.below(2 ** 31)), String(p2pPort)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  running.add(child);
  if (child.pid !== undefined) setPriority(child.pid, PRIORITY);
  let said = "";
  child.stdout.on("data", (part) => {
    said += part;
  });
  const impatience = setTimeout(() => child.kill("SIGKILL"), seconds * 1_000 + ENDING_MS);
  await new Promise((done) => child.once("close", done));
  clearTimeout(impatience);
  running.delete(child);
  return { text: `${kind} ${said.trim() || "did not end in order"}`, counts: countsOf(said) };
}

/** Returns a percentile. @param share 0 to 100 */
function percentile(figures: readonly number[], share: number): number {
  const sorted = [...figures].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * share) / 100))] ?? Number.NaN;
}

interface Figures {
  readonly blocks: number;
  /** Longest time without a block, s. */
  readonly gap: number;
  readonly slowest: number;
  readonly p99: number;
  readonly memory: number;
}

async function figuresOf(node: AttackedNode, phase: Phase): Promise<Figures> {
  const times = await node.blockTimes(phase);
  // The gap before the phase's first block is unknown; the gap after the last block counts.
  const points = [...times.map((time) => Math.max(time, phase.from)), phase.to];
  const gaps = points.slice(1).map((time, i) => time - (points[i] as number));
  return {
    blocks: times.filter((time) => time >= phase.from).length,
    gap: Math.max(...gaps) / 1_000,
    slowest: Math.max(...phase.reads),
    p99: percentile(phase.reads, 99),
    memory: phase.memory,
  };
}

/** One row of the table. */
interface Row {
  readonly name: string;
  readonly quiet: Figures;
  readonly attacked: Figures;
  readonly ended: string | undefined;
  readonly accepted: number;
  readonly lost: number;
  readonly told: readonly Told[];
}

/** @param together the kinds of attackers that run at the same time */
async function run(name: string, together: readonly string[], kind: Kind): Promise<Row> {
  const data = join(home, "node");
  if (kind.chain !== undefined) cpSync(await chainHome(kind.chain), data, { recursive: true });
  const peers = kind.peers === true ? ["--p2p-port", "0", "--no-peers-exchange"] : [];
  const settings = [...(kind.settings ?? []), ...peers];
  const start = async (handles?: number): Promise<AttackedNode> => {
    attacked = await AttackedNode.start({ cli, home: data, settings, handles }, random);
    return attacked;
  };
  let node = await start(kind.handles);
  try {
    await node.untilItForges();
    if (name === "flood") await node.setUpFloods();
    const ms = minutes * 60_000;
    const before = await node.phase(ms);
    if (node.ended !== undefined) throw new Error(`The node ended in the quiet phase: ${node.ended}`);
    const seconds = Math.ceil(ms / 1_000);
    const attacking = quiet ? [] : together.map((one) => attackers(one, node, seconds));
    const attack = await node.phase(ms);
    const told = await Promise.all(attacking);
    await delay(3_000);
    const isBack = await node.answersWithin(RECOVERY_MS);
    const { accepted } = node;
    let ended: string | undefined = node.ended;
    if (!isBack) {
      ended ??= `no answer for ${RECOVERY_MS / 1_000} s`;
      await node.stop();
      node = await start();
    }
    return {
      name,
      quiet: await figuresOf(node, before),
      attacked: await figuresOf(node, attack),
      ended,
      accepted: accepted.size,
      lost: await node.lost(accepted),
      told,
    };
  } finally {
    await node.stop();
    rmSync(data, { recursive: true, force: true });
  }
}

const number = (figure: number, width: number, digits = 0): string => figure.toFixed(digits).padStart(width);

function print({ name, quiet: before, attacked, ended, accepted, lost, told }: Row): boolean {
  const memoryBound = name === "flood" ? FLOOD_MEMORY_MB : MEMORY_MB;
  const faults = [
    attacked.gap > WANTED_GAP * before.gap && "gap",
    // In floods, the 99th percentile.
    (name === "flood" ? attacked.p99 : attacked.slowest) > WANTED_READ_MS && "reads",
    attacked.memory > memoryBound && "memory",
    ended !== undefined && `ended: ${ended}`,
    lost > 0 && `${lost} lost`,
    ...told.map(({ counts }) => KINDS[name]?.fault?.(counts) ?? false),
  ].filter((fault) => fault !== false);
  const pair = (figure: (of: Figures) => number, width: number, digits = 0): string =>
    `${number(figure(before), width, digits)}${number(figure(attacked), width + 1, digits)}`;
  console.log(
    `${name.padEnd(20)}${pair(({ blocks }) => blocks, 5)}${pair(({ gap }) => gap, 7, 1)}` +
      `${pair(({ slowest }) => slowest, 8)}${pair(({ p99 }) => p99, 7)}${pair(({ memory }) => memory, 7)}` +
      `  ${String(accepted).padStart(7)}  ${faults.length === 0 ? "well" : `WRONG ${faults.join(", ")}`}`,
  );
  for (const { text } of told) console.log(`    ${text}`);
  return faults.length === 0;
}

let isWell = true;
try {
  console.log(
    `Seed ${seed}; of each kind ${minutes} minutes in peace, then as long ${quiet ? "the same (--quiet)" : "attacked"}; node of ${checkout}\n` +
      "Pairs of figures: quiet, attacked. Gap: longest time between blocks, s. Light reads: slowest and 99th percentile, ms. Memory: peak, MB.\n" +
      "kind                 blocks         gap, s          slowest, ms         p99, ms      memory, MB accepted",
  );
  const floods = kinds.filter((kind) => (FLOODS as readonly string[]).includes(kind));
  const rows: [string, readonly string[], Kind][] = kinds.flatMap((kind) => {
    const settings = KINDS[kind];
    return settings === undefined ? [] : [[kind, [kind], settings]];
  });
  if (floods.length > 0) rows.unshift(["flood", floods, {}]);
  for (const row of rows) {
    try {
      if (!print(await run(...row))) isWell = false;
    } catch (error) {
      // Continue with the other kinds.
      console.log(`${row[0].padEnd(20)}WRONG ${error}`);
      isWell = false;
    }
  }
} finally {
  for (const child of running) child.kill("SIGTERM");
  rmSync(home, { recursive: true, force: true });
}
process.exitCode = isWell ? 0 : 1;

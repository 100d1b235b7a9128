/**
 * Measures the memory of a forging node under API load: `npm run soak:memory -- --minutes 60`. First the node is idle for
 * half a minute; then clients send reads of all kinds and broadcasts at a fixed rate, which any machine can answer. The
 * run passes if the node uses at most 128 MB when idle, and at the end at most 5 % more than at minute 10. `--node PATH`
 * measures the build of another checkout. Linux only.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { SeededRandom } from "../src/testing/seeded-random.ts";
import { signedRequest, walletKeys } from "../test/support/sign-request.ts";
import { CHAIN_ID } from "./attack-setup.ts";
import { report } from "./figures.ts";
import { median, serve } from "./support.ts";

const IDLE_MS = 30_000;
const SAMPLE_INTERVAL_MS = 2_000;
const READS_PER_SECOND = 100;
const BROADCASTS_PER_SECOND = 4;
const TICK_MS = 50;
/** Answers that may be pending; more would measure waiting clients. */
const MAX_PENDING = 32;
/** The minute with which the last one is compared: caches are full by then. */
const WARM_MINUTE = 10;
const MAX_IDLE_MB = 128;
const MAX_GROWTH_PERCENT = 5;
const TRANSFER = { type: 4, version: 2, amount: 1, fee: 100_000_000 };

const USAGE = `Usage: npm run soak:memory -- --minutes N [--node PATH], with N above ${WARM_MINUTE}`;

function given() {
  try {
    const { values } = parseArgs({
      options: {
        minutes: { type: "string", default: "60" },
        node: { type: "string", default: fileURLToPath(new URL("../..", import.meta.url)) },
      },
    });
    const minutes = Number(values.minutes);
    if (Number.isInteger(minutes) && minutes > WARM_MINUTE)
      return { minutes, cli: join(resolve(values.node), "dist", "cli.js") };
  } catch {
    // An unknown option.
  }
  console.error(USAGE);
  process.exit(2);
}

const { minutes, cli } = given();
const random = new SeededRandom(25);
const root = walletKeys("root");
const recipient = "3QV4xdTK9aqMYrK5Tuojq2XXw8nX1NNkhjE";
const sender = "3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt";
const hash = "34b4a6b1ce9ced82394644fdb3136e531714a780170a3aaaf29d8ee39a17f127";

/** Reads of all kinds, with parameters that change: heights of the growing chain, and addresses that do not exist. */
const reads: readonly ((height: number) => string)[] = [
  () => "/blocks/height",
  () => "/node/status",
  () => "/node/health",
  () => "/blocks/last",
  (height) => `/blocks/at/${1 + random.below(height)}`,
  (height) => `/blocks/headers/seq/${Math.max(1, height - 50)}/${height}`,
  () => `/addresses/balance/${random.below(2) === 0 ? sender : recipient}`,
  () => `/addresses/balance/details/${sender}`,
  () => `/transactions/address/${sender}?limit=${1 + random.below(100)}`,
  () => `/transactions/addresses/${recipient}?limit=25`,
  () => "/transactions/unconfirmed",
  () => `/hash/${hash}`,
  () =>
    `/hash/${random
      .below(2 ** 31)
      .toString(16)
      .padStart(64, "0")}`,
  () => "/peers/all",
  () => "/api-docs/swagger.json",
];

const home = mkdtempSync(join(tmpdir(), "holdfast-memory-"));
const options = ["--api-port", "0", "--no-p2p", "--ntp-server", "off"];
const node = await serve([cli, "start", "--data-dir", home, ...options]);
const { url, process: child } = node;
const stop = (): void => {
  child.kill("SIGKILL");
  rmSync(home, { recursive: true, force: true });
};
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => {
    stop();
    process.exit(1);
  });

/** MB of the node: resident memory, and its part that is not pages of files, which the system can reclaim. */
function memory(): { readonly resident: number; readonly own: number } {
  const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
  const read = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1]) / 1_024;
  return { resident: read("VmRSS"), own: read("RssAnon") };
}

/** Requests that are pending at the end fail when the node is killed. */
let isOver = false;
let height = 1;
let pending = 0;
const statuses: Record<string, number> = {};

async function ask(path: string, body?: string): Promise<void> {
  if (pending >= MAX_PENDING) {
    statuses.skipped = (statuses.skipped ?? 0) + 1;
    return;
  }
  pending++;
  try {
    const answer = await fetch(url + path, {
      ...(body === undefined
        ? {}
        : { method: "POST", headers: { "content-type": "application/json" }, body }),
      signal: AbortSignal.timeout(30_000),
    });
    const text = await answer.text();
    statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
    if (path === "/blocks/height") height = (JSON.parse(text) as { height: number }).height;
  } catch (error) {
    if (!isOver) throw error;
  } finally {
    pending--;
  }
}

try {
  await delay(IDLE_MS);
  const idle = memory();
  report(
    "resident memory of an idle dev node after half a minute",
    idle.resident,
    "MB",
    { atMost: MAX_IDLE_MB },
    `${idle.own.toFixed(0)} MB without pages of files`,
  );
  const samples: { readonly minute: number; readonly own: number; readonly resident: number }[] = [];
  const start = performance.now();
  let [asked, sent, sampled, nextMinute] = [0, 0, 0, 1];
  for (let now = 0; now < minutes * 60_000; now = performance.now() - start) {
    for (; asked < (now / 1_000) * READS_PER_SECOND; asked++)
      void ask((reads[asked % reads.length] as (height: number) => string)(height));
    for (; sent < (now / 1_000) * BROADCASTS_PER_SECOND; sent++)
      void ask(
        "/transactions/broadcast",
        signedRequest({ ...TRANSFER, recipient, timestamp: Date.now() + sent }, root, CHAIN_ID),
      );
    if (now >= sampled * SAMPLE_INTERVAL_MS) {
      sampled++;
      samples.push({ minute: Math.ceil((now + 1) / 60_000), ...memory() });
    }
    if (now >= nextMinute * 60_000) {
      const last = samples.filter(({ minute }) => minute === nextMinute);
      console.log(
        `minute ${String(nextMinute).padStart(3)}   own ${median(last.map(({ own }) => own)).toFixed(1)} MB   resident ${median(last.map(({ resident }) => resident)).toFixed(1)} MB   height ${height}   ${JSON.stringify(statuses)}`,
      );
      nextMinute++;
    }
    await delay(TICK_MS);
  }
  const of = (wanted: number): number =>
    median(samples.filter(({ minute }) => minute === wanted).map(({ own }) => own));
  const [warm, end] = [of(WARM_MINUTE), of(minutes)];
  report(
    `growth of memory under API load from minute ${WARM_MINUTE} to ${minutes}`,
    100 * (end / warm - 1),
    "%",
    { atMost: MAX_GROWTH_PERCENT },
    `${warm.toFixed(0)} and ${end.toFixed(0)} MB without pages of files`,
  );
} finally {
  isOver = true;
  stop();
}

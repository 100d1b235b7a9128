import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { reasonOf } from "../../bytes/errors.ts";
import type { Settings } from "../../config/settings.ts";
import type { Resources } from "../../control/index.ts";
import { warnLimit } from "../../node/disk-space.ts";
import { budgetHandles, HandleLimitError } from "../../node/handles.ts";
import { MAX_OFFSET_MS, MIN_LOGGED_OFFSET_MS } from "../../runtime/time/network-time.ts";
import type { TimeServer } from "../../runtime/time/sntp-client.ts";
import type { TimeAnswer } from "../../runtime/time/sntp-packet.ts";
import { sizeText } from "../running/plain-text.ts";
import { type Check, ok, problem, warning } from "./check.ts";

/** As in `engines` of package.json. */
const MIN_NODE_MAJOR = 20;

export function nodeVersionCheck(version: string, platform: string): Check {
  const name = "Node.js";
  const text = `v${version} on ${platform}`;
  if (Number.parseInt(version, 10) >= MIN_NODE_MAJOR) return ok(name, text);
  return problem(name, `${text} is too old.`, `Install Node.js ${MIN_NODE_MAJOR} or newer.`);
}

/** A node with all indexes and full caches needs this (docs/performance.md). */
const MIN_MEMORY_BYTES = 512 * 2 ** 20;
const GOOD_MEMORY_BYTES = 2 ** 30;

/**
 * @param total of the machine or its container, bytes
 * @param available to a new process, bytes
 */
export function memoryCheck(total: number, available: number, isRunning: boolean): Check {
  const name = "Memory";
  const text = `${sizeText(available)} of ${sizeText(total)} available`;
  if (total < MIN_MEMORY_BYTES)
    return problem(name, `${text}.`, `The node needs ${sizeText(MIN_MEMORY_BYTES)}: use a larger machine.`);
  if (total < GOOD_MEMORY_BYTES)
    return warning(
      name,
      `${text}.`,
      `Imports and long answers are slow below ${sizeText(GOOD_MEMORY_BYTES)}.`,
    );
  if (!isRunning && available < MIN_MEMORY_BYTES)
    return warning(name, `${text}.`, `The node needs ${sizeText(MIN_MEMORY_BYTES)}: stop other programs.`);
  return ok(name, text);
}

export function handlesCheck(limit: number | undefined, settings: Pick<Settings, "api" | "peers">): Check {
  const name = "File handles";
  const advice = "Raise the limit: `ulimit -n 65536`, or LimitNOFILE=65536 in a systemd unit.";
  try {
    const { connections } = budgetHandles(limit, settings);
    if (limit === undefined) return ok(name, "no limit");
    const text = `at most ${limit}, of which ${connections} are for HTTP connections`;
    return settings.api.enabled && budgetHandles(limit, settings).warning !== undefined
      ? warning(name, `${text}.`, advice)
      : ok(name, text);
  } catch (error) {
    if (!(error instanceof HandleLimitError)) throw error;
    return problem(name, `at most ${limit}: too few for the configured connections.`, advice);
  }
}

export function nearestExisting(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestExisting(dirname(path));
}

export function diskCheck({ diskFree, store = 0 }: Resources, { disk }: Pick<Settings, "disk">): Check {
  const name = "Disk";
  if (diskFree === undefined)
    return warning(name, "The system does not report the free space.", "Check it yourself.");
  const text = `${sizeText(diskFree)} free, chain store ${sizeText(store)}`;
  if (diskFree < disk.pauseBelowBytes)
    return problem(
      name,
      `${text}: the node neither forges nor accepts blocks.`,
      `Free space: it continues at ${sizeText(disk.resumeAboveBytes)} (--disk-pause-free, --disk-resume-free).`,
    );
  const limit = warnLimit(disk, store);
  if (diskFree >= limit) return ok(name, text);
  return warning(
    name,
    `${text}: less than ${sizeText(limit)} (--disk-warn-free).`,
    "Free space or use a larger disk.",
  );
}

export async function clockCheck(
  server: TimeServer | undefined,
  ask: (server: TimeServer) => Promise<TimeAnswer>,
): Promise<Check> {
  const name = "Clock";
  if (server === undefined) return ok(name, "not checked: no time server is configured (--ntp-server)");
  const host = `${server.host}:${server.port}`;
  let answer: TimeAnswer;
  try {
    answer = await ask(server);
  } catch (error) {
    return warning(
      name,
      `No usable answer from the time server ${host}: ${reasonOf(error)}.`,
      "Allow UDP to this server, or name another one with --ntp-server.",
    );
  }
  const offset = Math.round(Math.abs(answer.offsetMs));
  const text = `${offset} ms ${answer.offsetMs > 0 ? "behind" : "ahead of"} ${host}`;
  if (offset < MIN_LOGGED_OFFSET_MS) return ok(name, text);
  const advice = "Run a time service on this machine, such as chrony.";
  return offset > MAX_OFFSET_MS
    ? problem(name, `${text}: too much for the node to correct.`, advice)
    : warning(name, `${text}: the node corrects it.`, advice);
}

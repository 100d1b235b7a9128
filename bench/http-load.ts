/** Sends requests to nodes in other processes, and measures their processor time (Linux only). */
import { readdirSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import type { Served } from "./support.ts";

const CLOSING_BRACE = "}".charCodeAt(0);

/** Processor time of each thread of a process so far according to the scheduler, µs. */
export function threadTimes({ process: { pid } }: Served): ReadonlyMap<string, number> {
  const folder = `/proc/${pid}/task`;
  return new Map(
    readdirSync(folder).map((thread) => [
      thread,
      Number(readFileSync(join(folder, thread, "schedstat"), "utf8").split(" ")[0]) / 1_000,
    ]),
  );
}

export interface Turn {
  /** µs. */
  readonly cost: number;
  /** Part of the busier of the two busiest threads, %. */
  readonly share: number;
  readonly rate: number;
}

export type Kind = "persistent" | "short";

export interface Load {
  /** Path of the requests. Default: the height. */
  readonly path?: string;
  readonly connections: number;
  readonly amount: number;
  /** Time between two requests of a persistent connection, ms. Default: a connection asks again as soon as it can. */
  readonly intervalMs?: number;
  /** Time before the first interval, ms: nodes that are asked together get their requests at different times. */
  readonly offsetMs?: number;
}

/**
 * Sends requests, and resolves when `amount` answers have arrived. The answer is one segment that ends with a brace.
 * Opens closed connections again.
 */
function drive(
  { url }: Served,
  kind: Kind,
  { connections, amount, path = "/blocks/height", intervalMs, offsetMs = 0 }: Load,
): Promise<void> {
  const { hostname: host, port } = new URL(url);
  const close = kind === "short" ? "Connection: close\r\n" : "";
  const request = Buffer.from(`GET ${path} HTTP/1.1\r\nHost: ${host}:${port}\r\n${close}\r\n`);
  let sent = 0;
  let running = connections;
  let idle: (() => void)[] = [];
  const askAll = (): void => {
    const all = idle;
    idle = [];
    for (const ask of all) ask();
  };
  let timer: NodeJS.Timeout | undefined;
  const begin = (): void => {
    timer = setInterval(askAll, intervalMs);
  };
  const beginning = intervalMs === undefined ? undefined : setTimeout(begin, offsetMs);
  const driven = new Promise<void>((resolve, reject) => {
    const open = (): void => {
      const socket = connect({ host, port: Number(port), noDelay: true });
      const ask = (): void => {
        if (sent++ < amount) socket.write(request);
        else socket.destroy();
      };
      socket.on("connect", ask);
      socket.on("data", (chunk) => {
        if (chunk[9] !== 0x32 || chunk.at(-1) !== CLOSING_BRACE) reject(new Error(`Not an answer: ${chunk}`));
        else if (kind === "persistent" && !chunk.includes("\r\nconnection: close")) {
          if (intervalMs === undefined) ask();
          else idle.push(ask);
        }
      });
      socket.on("error", reject);
      socket.on("close", () => {
        if (sent < amount) open();
        else if (--running === 0) resolve();
      });
    };
    for (let i = 0; i < connections; i++) open();
  });
  return driven.finally(() => {
    clearTimeout(beginning);
    clearInterval(timer);
  });
}

/** @param kind persistent connections, or one connection for each request */
export async function measure(node: Served, kind: Kind, load: Load): Promise<Turn> {
  const before = threadTimes(node);
  const start = performance.now();
  await drive(node, kind, load);
  const seconds = (performance.now() - start) / 1_000;
  const times = [...threadTimes(node)].map(([thread, time]) => time - (before.get(thread) ?? 0));
  const [first = 0, second = 0] = times.sort((a, b) => b - a);
  return {
    cost: times.reduce((sum, time) => sum + time, 0) / load.amount,
    share: (100 * first) / (first + second),
    rate: load.amount / seconds,
  };
}

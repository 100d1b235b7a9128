/** Shared by the attackers: arguments, requests, raw connections, and counters. */
import { Agent, request } from "node:http";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { SeededRandom } from "../src/testing/seeded-random.ts";

const [kindName = "", base = "", seconds = "0", seed = "1", peerPort = "0"] = process.argv.slice(2);

/** The kind of attack. */
export const kind = kindName;
export const url = new URL(base);
if (url.hostname !== "127.0.0.1") throw new Error("The target must be 127.0.0.1");
/** The node's P2P port. */
export const p2pPort = Number(peerPort);
export const random = new SeededRandom(Number(seed));

const end = performance.now() + Number(seconds) * 1_000;
export const isOver = (): boolean => performance.now() >= end;
/** Waits until the attack ends, or for the given number of seconds. */
export const rest = (most: number): Promise<void> =>
  delay(Math.max(0, Math.min(most * 1_000, end - performance.now())));

const counts: Record<string, number> = {};
export function count(what: string | number, times = 1): void {
  counts[what] = (counts[what] ?? 0) + times;
}
/** Keeps the maximum of several figures. */
export function highest(what: string, figure: number): void {
  counts[what] = Math.max(counts[what] ?? 0, Math.round(figure));
}
export const tellCounts = (): void => console.log(JSON.stringify(counts));

export const agent = new Agent({ keepAlive: true, maxSockets: 200 });

/** An answer; status 0 if there was none within half a minute. */
export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Sends a request. By default the result omits the text of the answer. */
export function ask(
  method: "GET" | "POST",
  path: string,
  {
    body,
    headers = {},
    isRead = false,
  }: { body?: string; headers?: Record<string, string>; isRead?: boolean } = {},
): Promise<Answer> {
  return new Promise((resolve) => {
    const asked = request(url + path.slice(1), { method, agent, headers }, (answer) => {
      const parts: Buffer[] = [];
      answer.on("data", (part: Buffer) => {
        if (isRead) parts.push(part);
      });
      answer.on("close", () =>
        resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(parts).toString() }),
      );
      // A truncated answer counts by its status.
      answer.on("error", () => {});
    });
    asked.setTimeout(30_000, () => asked.destroy());
    asked.on("error", () => resolve({ status: 0, text: "" }));
    if (body !== undefined) asked.setHeader("content-type", "application/json");
    asked.end(body);
  });
}

/** Sends a request, ignores the answer, and counts its status. Waits after a refused connection. */
export async function bother(method: "GET" | "POST", path: string, body?: string): Promise<void> {
  const { status } = await ask(method, path, body === undefined ? {} : { body });
  count(status === 0 ? "cut off" : status);
  if (status === 0) await delay(100);
}

/** Returns the answer of a route. @throws Error if the status is not 200 */
export async function read<T>(path: string): Promise<T> {
  const { status, text } = await ask("GET", path, { isRead: true });
  if (status !== 200) throw new Error(`${path}: ${status} ${text.slice(0, 200)}`);
  return JSON.parse(text) as T;
}

/** Runs `size` loops at a time until the attack is over. */
export async function crowd(size: number, one: (number: number) => Promise<void>): Promise<void> {
  const again = async (_: unknown, number: number): Promise<void> => {
    while (!isOver()) await one(number);
  };
  await Promise.all(Array.from({ length: size }, again));
}

/** Opens a raw connection, sends bytes and runs `use`; closes when that ends, or when the node closes it. */
export async function onSocket(
  sent: string | Buffer,
  use: (socket: Socket) => Promise<void>,
  localAddress = "127.0.0.1",
): Promise<void> {
  const to = { port: Number(url.port), host: url.hostname, localAddress };
  const socket = connect(to, () => socket.write(sent));
  socket.pause();
  const closed = new Promise<void>((resolve) => socket.on("close", () => resolve()));
  socket.on("error", () => count("cut off"));
  await Promise.race([use(socket), closed]);
  socket.destroy();
  count("connections");
}

/** Returns another loopback address each time. Changes the /16 range until all ranges were used. */
let serial = random.below(1_000);
export function freshAddress(): string {
  serial++;
  return `127.${1 + (serial % 250)}.${1 + (Math.floor(serial / 250) % 250)}.${1 + random.below(250)}`;
}

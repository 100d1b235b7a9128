/**
 * Requests a second of the HTTP interface against a bare Fastify route that returns a constant, in the same run and in
 * alternating turns. The node is a process of its own, the bare server a thread. The aim is at least 60 %.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import autocannon from "autocannon";
import { compare, print } from "./support.ts";

const CONNECTIONS = 32;
const SECONDS = Number(process.env.HOLDFAST_BENCH_SECONDS ?? 3);
const TURNS = Number(process.env.HOLDFAST_BENCH_TURNS ?? 5);
/** The funded account of the development network. */
const ADDRESS = "3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt";

const home = mkdtempSync(join(tmpdir(), "holdfast-bench-"));
const cli = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));
const node = spawn(process.execPath, [cli, "start", "--data-dir", home, "--api-port", "0", "--no-forge"], {
  stdio: ["ignore", "pipe", "pipe"],
  // The node refuses names that it does not know.
  env: Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("HOLDFAST_"))),
});
const ended = new Promise<void>((resolve) => node.once("exit", () => resolve()));
const nodeUrl = await new Promise<string>((resolve, reject) => {
  let output = "";
  const listen = (chunk: Buffer): void => {
    output += chunk;
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0];
    if (url !== undefined) resolve(url);
  };
  node.stdout.on("data", listen);
  node.stderr.on("data", listen);
  ended.then(() => reject(new Error(`The node ended:\n${output}`)));
});
const bare = new Worker(new URL("./api-worker.js", import.meta.url));
const barePort = await new Promise<number>((resolve) => bare.once("message", resolve));

async function requests(url: string): Promise<number> {
  const result = await autocannon({ url, connections: CONNECTIONS, duration: SECONDS });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${url} fails`);
  return result.requests.average;
}

const contenders = [
  { name: "a bare Fastify route", url: `http://127.0.0.1:${barePort}/` },
  { name: "GET /blocks/height", url: `${nodeUrl}/blocks/height` },
  { name: "GET /addresses/balance/:address", url: `${nodeUrl}/addresses/balance/${ADDRESS}` },
  {
    name: "GET /addresses/balance/details/:address",
    url: `${nodeUrl}/addresses/balance/details/${ADDRESS}`,
  },
  { name: "GET /blocks/last", url: `${nodeUrl}/blocks/last` },
].map(({ name, url }) => ({ name, measure: () => requests(url) }));
// Both get warm first.
for (const { measure } of contenders) await measure();
print(await compare(contenders, TURNS), "requests/s");

node.kill("SIGTERM");
await ended;
await bare.terminate();
rmSync(home, { recursive: true, force: true });

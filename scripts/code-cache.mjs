// `node scripts/code-cache.mjs FOLDER` starts a node from these compiled files, asks it for its height, and stops it. The
// node's threads then write the code that V8 compiled (`src/runtime/threads/load-bundle.ts`), which is valid only for this
// Node.js. A failure is only reported, because a node also starts without this code, but slower.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const TIMEOUT_MS = 60_000;

const cli = join(process.argv[2], "cli.js");
const home = mkdtempSync(join(tmpdir(), "holdfast-code-"));
const settings = [
  "--data-dir",
  home,
  "--api-port",
  "0",
  "--no-p2p",
  "--ntp-server",
  "off",
  "--log-format",
  "json",
];
const node = spawn(process.execPath, [cli, "start", ...settings], {
  env: { PATH: process.env.PATH, HOME: home, RECORD_CODE_CACHE: "1" },
  stdio: ["ignore", "pipe", "inherit"],
  timeout: TIMEOUT_MS,
});
try {
  const ended = once(node, "exit");
  for await (const line of createInterface({ input: node.stdout })) {
    const url = /HTTP interface at (http:[^,]+),/.exec(line)?.[1];
    if (url === undefined) continue;
    await (await fetch(`${url}/blocks/height`)).text();
    node.kill("SIGTERM");
  }
  const [code, signal] = await ended;
  if (code !== 0) throw new Error(`the node ended with ${signal ?? `code ${code}`}`);
} catch (error) {
  console.error(`Starts will be slower, because no code could be cached: ${error.message}`);
} finally {
  node.kill("SIGKILL");
  rmSync(home, { recursive: true, force: true });
}

/** `holdfast network`: real processes, on loopback. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  cleanEnvironment,
  cliPath,
  removeFolder,
  runCli,
  temporaryFolder,
  until,
} from "./support/node-process.ts";

let folder: string;
let network: string;

beforeEach(() => {
  folder = temporaryFolder("local-network");
  network = join(folder, "my net");
});

afterEach(async () => {
  // Stop networks that a failed test left running.
  if (existsSync(join(network, "network.json"))) await runCli(["network", "down", "--dir", network]);
  removeFolder(folder);
});

test("starts with one command, is reused by the next, and stops with one", async () => {
  const args = ["--dir", network, "--nodes", "2", "--api-port", "0", "--p2p-port", "0"];
  // Environment settings of a single node must not apply to every node of the network.
  const environment = {
    HOLDFAST_DATA_DIR: join(folder, "one"),
    LTO_WALLET_SEED: "mine",
    HOLDFAST_API_PORT: "1",
  };
  const made = await runCli(["network", "up", ...args], environment);
  expect(made.code).toBe(0);
  expect(made.stderr).toContain("Created a network of 2 nodes");
  const lines = made.stdout.trim().split("\n");
  expect(lines).toHaveLength(2);
  for (const line of lines) {
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
    expect(await (await fetch(`${url}/node/version`)).json()).toMatchObject({ version: expect.any(String) });
  }
  expect(readFileSync(join(network, "node-2", "log.txt"), "utf8")).toContain(
    "Peers can connect at 127.0.0.1",
  );
  expect(readFileSync(join(network, "node-2", "log.txt"), "utf8")).not.toContain("time server");
  expect(existsSync(join(folder, "one"))).toBe(false);
  for (const secret of ["seeds.txt", "network.json", "node-1/settings.yaml"])
    expect(statSync(join(network, secret)).mode & 0o077).toBe(0);

  const again = await runCli(["network", "up", "--dir", network, "--nodes", "3", "--chain-id", "M"]);
  expect(again.code).toBe(0);
  expect(again.stdout.match(/already running/g)?.length).toBe(2);
  expect(again.stdout).toMatch(/^node-3 .* started$/m);
  expect(again.stderr).toContain("exists, with 2 nodes: --chain-id had no effect\n");
  expect(again.stderr).toContain("Added 1 node to the network");
  expect(again.stderr).toContain(`\`holdfast network down --dir '${network}'\` stops the network.`);
  const fewer = await runCli(["network", "up", "--dir", network, "--nodes", "1"]);
  expect(fewer.stderr).toContain("exists, with 3 nodes: --nodes had no effect\n");
  const status = await runCli(["network", "status", "--dir", network, "--json"]);
  expect(status.code).toBe(0);
  expect(JSON.parse(status.stdout)).toMatchObject(
    [1, 2, 3].map((i) => ({ node: `node-${i}`, running: true })),
  );
  const logs = await runCli(["network", "logs", "node-3", "--dir", network, "--lines", "100"]);
  expect(logs.stdout).toContain("HTTP interface at http://127.0.0.1:");
  const down = await runCli(["network", "down", "--dir", network]);
  expect(down.code).toBe(0);
  expect(down.stdout).toBe("node-1  stopped\nnode-2  stopped\nnode-3  stopped\n");
  expect(readFileSync(join(network, "node-1", "log.txt"), "utf8")).toContain("Stopped");
  expect((await runCli(["network", "down", "--dir", network])).stdout).toBe(
    "node-1  was not running\nnode-2  was not running\nnode-3  was not running\n",
  );
});

test("ends the nodes that it started when it is interrupted", async () => {
  const args = ["network", "up", "--dir", network, "--nodes", "1", "--api-port", "0", "--p2p-port", "0"];
  const command = spawn(process.execPath, [cliPath, ...args], { env: cleanEnvironment() });
  let messages = "";
  command.stderr.on("data", (text) => {
    messages += text;
  });
  const ended = once(command, "close");
  const pid = await until("a process of the node", async () => {
    const path = join(network, "node-1", "pid");
    return (existsSync(path) && Number(readFileSync(path, "utf8"))) || undefined;
  });
  command.kill("SIGINT");
  expect(await ended).toEqual([1, null]);
  expect(messages).toMatch(/SIGINT: stopping at the next safe point\nStopped\. .* stopped again: node-1\. /);
  expect(() => process.kill(pid, 0)).toThrow("ESRCH");
});

test("reports problems with the folder or the requested network", async () => {
  const none = await runCli(["network", "down", "--dir", network]);
  expect(none.code).toBe(2);
  expect(none.stderr).toContain(`${network} has no network: `);
  const public_ = await runCli(["network", "up", "--dir", network, "--chain-id", "L"]);
  expect(public_.code).toBe(2);
  expect(public_.stderr).toContain("belongs to a public network");
  const many = await runCli(["network", "up", "--dir", network, "--nodes", "21"]);
  expect(many.code).toBe(2);
  expect(many.stderr).toContain("from 1 to 20");
  const overlap = await runCli([
    "network",
    "up",
    "--dir",
    network,
    "--api-port",
    "7000",
    "--p2p-port",
    "7002",
  ]);
  expect(overlap.code).toBe(2);
  expect(overlap.stderr).toContain("overlap");
  expect(existsSync(network)).toBe(false);
  mkdirSync(network);
  writeFileSync(join(network, "network.json"), "{}");
  const other = await runCli(["network", "up", "--dir", network]);
  expect(other.code).toBe(1);
  expect(other.stderr).toContain("was not written by `holdfast network up`");
  removeFolder(network);

  mkdirSync(network);
  writeFileSync(join(network, "letter.txt"), "");
  const full = await runCli(["network", "up", "--dir", network]);
  expect(full.code).toBe(1);
  expect(full.stderr).toBe(
    `${network} is not empty and has no network: choose another directory with --dir\n`,
  );
  expect(readdirSync(network)).toEqual(["letter.txt"]);
  const file = await runCli(["network", "up", "--dir", join(network, "letter.txt")]);
  expect(file.code).toBe(1);
  expect(file.stderr).toMatch(/^Cannot use .*letter\.txt: ENOTDIR.*\n$/);
  removeFolder(network);

  const holder = createServer();
  await new Promise<void>((resolve) => holder.listen(0, "127.0.0.1", resolve));
  const { port } = holder.address() as AddressInfo; // a TCP server that listens has one
  const taken = await runCli([
    ...["network", "up", "--dir", network, "--nodes", "1", "--api-port", "0", "--p2p-port", String(port)],
  ]);
  await new Promise((resolve) => holder.close(resolve));
  expect(taken.code).toBe(5);
  expect(taken.stderr).toContain(`Cannot listen on port ${port}`);
  expect(existsSync(network)).toBe(false);
});

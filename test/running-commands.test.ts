/** Commands for running nodes with two real nodes of one network: with keys, a prefix and an admin port. */
import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { ExitCode } from "../src/cli/exit-codes.ts";
import { runCommand } from "../src/cli/testing/fake-node.ts";
import { nodeFixture } from "./support/node-fixture.ts";
import { type NodeProcess, until } from "./support/node-process.ts";

const { folder, start } = nodeFixture("running", "all");
const KEY = "the-key-of-both-nodes";

let first: NodeProcess;
/** It dials `first`, and has key routes on another port. */
let second: NodeProcess;
let keyFile: string;
let openUrl: string;
let adminUrl: string;

beforeAll(async () => {
  keyFile = join(folder(), "key");
  writeFileSync(keyFile, `${KEY}\n`, { mode: 0o600 });
  const env = { HOLDFAST_API_KEY: KEY };
  const common = ["--no-forge", "--p2p-host", "127.0.0.1", "--p2p-port", "0"];
  first = await start({ args: [...common, "--api-prefix", "/one"], env });
  const p2p = await until(
    "P2P port",
    async () => /Peers can connect at (127\.0\.0\.1:\d+)/.exec(first.output())?.[1],
  );
  second = await start({ args: [...common, "--peers", p2p, "--admin-port", "0"], env });
  [adminUrl, openUrl] = await until("both ports", async () => {
    const admin = /API key are at (http:\S+) only/.exec(second.output())?.[1];
    const open = /HTTP interface at (http:\S+),/.exec(second.output())?.[1];
    return admin === undefined || open === undefined ? undefined : [admin, open];
  });
});

/** Runs a command for the first node, with its key. */
const atFirst = (...args: string[]) =>
  runCommand([...args, "--node", `${first.url}/one`], { environment: { HOLDFAST_API_KEY_FILE: keyFile } });

test("status shows peers and resources, and says how to reach a node with a prefix", async () => {
  const { code, out, err } = await until("a peer", async () => {
    const result = await atFirst("status");
    return result.out.includes("Peers    1\n") ? result : undefined;
  });
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toMatch(/^Holdfast v\S+ at http:\S+\/one: \w+\n/);
  expect(out).toMatch(/^Memory {3}\d+ MiB\nDisk .* free, store .*\nRunning {2}for \d+ s\n$/m);
  expect(JSON.parse((await atFirst("status", "--json")).out)).toMatchObject({
    health: { height: 1, peers: 1, keyRoutes: "key" },
    indexes: expect.arrayContaining([{ name: "transactions", state: "ready" }]),
    resources: { memoryBytes: expect.any(Number) },
  });
  expect(await runCommand(["status", "--node", first.url])).toMatchObject({
    code: ExitCode.failed,
    err: expect.stringContaining("Check --node: the URL must contain the path of --api-prefix"),
  });
});

test("peers are listed, banned and unbanned, with key routes on the admin port", async () => {
  expect((await atFirst("peers", "list")).out).toMatch(/^127\.0\.0\.1:\d+ +in .*\n1 peer, own height 1\n$/m);
  const at = (url: string, ...args: string[]) =>
    runCommand(["peers", ...args, "--node", url, "--api-key-file", keyFile]);
  expect(await at(openUrl, "ban", "203.0.113.7")).toMatchObject({
    code: ExitCode.failed,
    err: expect.stringContaining("(404): not found. Check --node"),
  });
  expect((await at(openUrl, "list", "--banned")).out).toBe("No host is banned\n");
  expect((await at(adminUrl, "ban", "2001:db8::7", "--reason", "spam")).out).toBe(
    "Banned 2001:db8::/64 for 15 min\n",
  );
  expect((await at(openUrl, "list", "--banned")).out).toMatch(/^2001:db8::7 +\d s ago +spam\n$/m);
  expect((await at(adminUrl, "unban", "2001:db8::8")).out).toBe("Lifted the ban of 2001:db8::/64\n");
  expect(await at(adminUrl, "unban", "2001:db8::8")).toMatchObject({
    code: ExitCode.usage,
    err: expect.stringContaining('The host "2001:db8::8" is not banned'),
  });
});

test("log levels are shown and changed, and neither a wrong key nor an unknown area changes them", async () => {
  expect((await atFirst("log-level", "warn,peers=debug")).out).toBe(
    "AREA         LEVEL\npeers        debug\nother areas  warn\n",
  );
  expect((await atFirst("log-level", "info,piers=debug")).code).toBe(ExitCode.usage);
  const wrong = ["log-level", "off", "--node", `${first.url}/one`, "--api-key", "wrong"];
  expect(await runCommand(wrong)).toMatchObject({
    code: ExitCode.usage,
    err: expect.stringMatching(/\(403\).*Check the API key\n$/),
  });
  expect(JSON.parse((await atFirst("log-level", "--json")).out)).toEqual({
    level: "warn",
    areas: { peers: "debug" },
  });
  expect((await atFirst("log-level", "info")).out).toBe("AREA       LEVEL\nall areas  info\n");
});

test("compare finds no difference between two nodes of one network", async () => {
  const { code, out } = await atFirst("compare", openUrl);
  expect(code).toBe(0);
  expect(out).toContain("The blocks up to height 1 are the same.\nThe balances of 1 account are the same.\n");
});

test("doctor recognises the ports of the running node, and changes nothing", async () => {
  const port = new URL(first.url).port;
  const settings = [
    "--data-dir",
    first.dataDir,
    "--api-port",
    port,
    "--api-prefix",
    "/one",
    "--p2p-port",
    "0",
  ];
  const chain = join(first.dataDir, "chain");
  const before = readdirSync(chain).map((name) => [name, statSync(join(chain, name)).mtimeMs]);
  const doctor = async (...flags: string[]) => {
    const { code, out } = await runCommand(["doctor", "--json", ...settings, ...flags]);
    const checks: { name: string; state: string; message: string }[] = JSON.parse(out).checks;
    return { code, of: (name: string) => checks.find((one) => one.name === name) };
  };
  const running = await doctor();
  expect(running.code).toBe(0);
  expect(running.of("Node")?.message).toMatch(/ at height 1\b/);
  expect(running.of("Data")?.message).toMatch(/ has a chain, in use by (another )?process/);
  expect(running.of("API port")).toMatchObject({
    state: "ok",
    message: expect.stringContaining("this node"),
  });
  const other = await doctor("--metrics-port", new URL(openUrl).port);
  // Only Linux tells which program uses a port.
  expect(other.of("Metrics port")?.state).toBe(process.platform === "linux" ? "problem" : "ok");
  expect(readdirSync(chain).map((name) => [name, statSync(join(chain, name)).mtimeMs])).toEqual(before);
  const elsewhere = await doctor("--api-port", new URL(openUrl).port);
  if (process.platform === "linux")
    expect([elsewhere.of("API port")?.state, elsewhere.of("Node")?.message]).toEqual([
      "problem",
      "running, but not at the API port of these settings",
    ]);
  expect(await first.stop()).toBe(0);
  const stopped = await doctor();
  expect(stopped.of("Node")?.message).toBe("not running");
  expect(stopped.of("Data")?.message).toMatch(/ has a chain, not in use$/);
  expect(await atFirst("status")).toMatchObject({ code: ExitCode.unreachable });
});

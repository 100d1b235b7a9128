/** The command line from an operator's view: processes, exit codes, messages, files. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { encodeBase58 } from "../src/bytes/base58.ts";
import { runCommand } from "../src/cli/testing/fake-node.ts";
import { removeFolder, runCli, startNodeProcess, temporaryFolder } from "./support/node-process.ts";
import { hasVectors, vectorsPath } from "./vectors.ts";

const root = "3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt";
let folder: string;
let dataDir: string;

beforeEach(() => {
  folder = temporaryFolder("command-line");
  dataDir = join(folder, "data");
});

afterEach(() => removeFolder(folder));

type Run = (
  args: readonly string[],
  environment?: Record<string, string>,
) => Promise<{ code: number | null; stdout: string; stderr: string }>;

/**
 * Runs a command in this process, which saves the start of another one. Commands that apply blocks cannot run here: their
 * checker threads need compiled files.
 */
const runHere: Run = async (args, environment = {}) => {
  const { code, out, err } = await runCommand(args, { environment });
  return { code, stdout: out, stderr: err };
};

const appliesBlocks = ([command]: readonly string[]): boolean => command === "import" || command === "verify";

/** Checks a failure as an operator sees it: its exit code, one message, no stack trace, nothing on standard output. */
const refusedBy =
  (run: Run) =>
  async (code: number, message: RegExp, args: string[], environment: Record<string, string> = {}) => {
    const result = await run(args, environment);
    expect(result.stderr).toMatch(message);
    expect(result).toMatchObject({ code, stdout: "" });
    expect(result.stderr).not.toMatch(/\n\s+at /);
  };
const refused = refusedBy(runCli);
const refusedHere = refusedBy(runHere);

test("a running node locks its wallet and its data directory", async () => {
  const node = await startNodeProcess({ dataDir });
  try {
    await refused(4, /in use by another process \(\d+\)/, ["wallet", "new", "--data-dir", dataDir]);
    await refused(4, /in use by another process/, ["start", "--data-dir", dataDir, "--api-port", "0"]);
    expect((await node.get("/blocks/height")).status).toBe(200);
    const made = (await node.client.call("POST /wallet/addresses")).address;
    const listed = await runCli(["wallet", "addresses", "--data-dir", dataDir]);
    expect(listed.stdout.trim().split("\n").sort()).toEqual([root, made].sort());
  } finally {
    expect(await node.stop()).toBe(0);
  }
  expect(node.output()).toMatch(/Stopping \(SIGTERM\)[\s\S]*Stopped/);
  const after = await runCli(["wallet", "new", "--data-dir", dataDir]);
  expect(after).toMatchObject({ code: 0, stderr: "" });
  expect(after.stdout).toMatch(/^3Q\w{33}\n$/);
});

test("a damaged wallet or a wrong password stops the start and leaves the file unchanged", async () => {
  await runCli(["wallet", "new", "--data-dir", dataDir]);
  const path = join(dataDir, "wallet", "wallet.bin");
  const start = ["start", "--data-dir", dataDir, "--api-port", "0", "--log-level", "off"];
  const good = readFileSync(path);
  await refused(3, /the password is wrong or the file is damaged/, start, { LTO_WALLET_PASSWORD: "wrong" });
  await refused(3, /The given wallet seed is not that of wallet file/, start, { CHAIN_WALLET_SEED: "other" });
  const account = ["--hash-account", "3QV4xdTK9aqMYrK5Tuojq2XXw8nX1NNkhjE"];
  await refused(3, /--hash-account: the wallet does not hold 3QV4xd/, [...start, ...account]);
  expect(readFileSync(path)).toEqual(good);
  const bad = Buffer.from(good);
  bad[80] ^= 1;
  writeFileSync(path, bad);
  await refused(3, /the password in .* is wrong or the file is damaged/, start);
  expect(readFileSync(path)).toEqual(bad);
});

test("a port in use, a data directory of another network and invalid settings have their own exit codes", async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const quiet = ["--data-dir", dataDir, "--log-level", "off"];
  const inUse = new RegExp(`--api-port: cannot listen: EADDRINUSE: .*${port}. Stop the program that uses`);
  await refused(5, inUse, ["start", ...quiet, "--api-port", String(port)]);
  expect(existsSync(dataDir)).toBe(false);
  await runCli(["wallet", "new", "--data-dir", dataDir]);
  rmSync(join(dataDir, "wallet"), { recursive: true });
  await refused(5, inUse, ["start", ...quiet, "--api-port", String(port)]);
  expect(readdirSync(dataDir)).toEqual(["chain"]);
  const metrics = ["--metrics-port", String(port)];
  await refused(5, /^--metrics-port: cannot listen: /m, ["start", ...quiet, "--api-port", "0", ...metrics]);
  await new Promise((resolve) => server.close(resolve));
  await refused(4, /belongs to the network LTO \(chain id Z, genesis block/, [
    "start",
    ...quiet,
    "--network",
    "testnet",
  ]);
  await refused(2, /unknown option '--api-prot'/, ["start", "--api-prot", "1"]);
  await refused(
    2,
    /^HOLDFAST_API_PROT: there is no such setting; did you mean HOLDFAST_API_PORT\?$/m,
    ["start"],
    { HOLDFAST_API_PROT: "1" },
  );
  await refused(2, /api-host.*loopback only/, ["start", ...quiet, "--api-host", "0.0.0.0"]);
});

test("a start that fails at the wallet creates no chain", async () => {
  const walletFile = join(folder, "wallet.bin");
  writeFileSync(walletFile, "this is no wallet");
  const start = ["start", "--data-dir", dataDir, "--wallet-file", walletFile, "--log-level", "off"];
  await refused(3, /^Wallet file .*wallet\.bin/m, [...start, "--api-port", "0"]);
  rmSync(walletFile);
  await refused(3, /^--hash-account: /m, [
    ...[...start, "--api-port", "0"],
    ...["--hash-account", "3QV4xdTK9aqMYrK5Tuojq2XXw8nX1NNkhjE"],
  ]);
  expect(existsSync(walletFile)).toBe(false);
  expect(existsSync(dataDir)).toBe(false);
});

test("an import that fails creates no chain", async () => {
  const bad = join(folder, "bad.bin");
  writeFileSync(bad, "this is no file of blocks");
  await refusedHere(1, /Block 2 of the file is invalid: Not a block file.*Nothing was imported/, [
    "import",
    bad,
    "--data-dir",
    dataDir,
  ]);
  await refusedHere(1, /^Cannot read .*nowhere/, ["import", join(folder, "nowhere"), "--data-dir", dataDir]);
  writeFileSync(bad, "");
  const empty = await runHere(["import", bad, "--data-dir", dataDir]);
  expect(empty).toEqual({ code: 0, stdout: "The file has no blocks: nothing was imported.\n", stderr: "" });
  expect(existsSync(dataDir)).toBe(false);
});

test("verify and rollback reject a data directory without a chain and create none", async () => {
  for (const command of [["verify"], ["rollback", "5"]])
    await refusedHere(4, /has no chain$/m, [...command, "--data-dir", dataDir]);
  expect(existsSync(dataDir)).toBe(false);
  const started = await startNodeProcess({ dataDir });
  expect(await started.stop()).toBe(0);
  expect((await runCli(["verify", "--data-dir", dataDir])).stdout).toMatch(/No faults/);
});

const recorded = "chains/dev-all";

test.skipIf(!hasVectors(`${recorded}/blocks.bin`))(
  "imports, exports, verifies and rolls back a chain, by undoing blocks or by rebuilding",
  async () => {
    const genesis = vectorsPath(`${recorded}/genesis.json`);
    const file = vectorsPath(`${recorded}/blocks.bin`);
    const on = ["--genesis", genesis, "--data-dir", dataDir, "--rollback-depth", "100"];
    /** The output of a successful command. */
    const run = async (...args: string[]): Promise<string> => {
      const { code, stdout, stderr } = await (appliesBlocks(args) ? runCli : runHere)([...args, ...on]);
      expect(`${code} ${stderr}`).toMatch(/^0 /);
      return stdout;
    };
    const imported = await run("import", file);
    const height = Number(/at height ([\d,]+)/.exec(imported)?.[1]?.replaceAll(",", ""));
    expect(height).toBeGreaterThan(100);
    const copy = join(folder, "copy.bin");
    await run("export", copy);
    expect(readFileSync(copy).equals(readFileSync(file))).toBe(true);
    for (const target of [join(folder, "nowhere", "x.bin"), join(file, "x.bin"), folder])
      await refusedHere(1, /^Cannot write /m, ["export", target, "--force", ...on]);
    const idIn = (said: string): string | undefined => /block (\w+)\./.exec(said)?.[1];

    // Within the undo depth: rolled back at once.
    expect(await run("rollback", String(height - 3))).toContain(`at height ${height - 3}`);
    // Below the undo depth: the command states the cost and does nothing without confirmation.
    await refusedHere(
      1,
      /must be rebuilt: 39 blocks with .* transactions, .* Nothing was changed; --yes starts the rebuild/,
      ["rollback", "40", ...on],
    );
    const first = join(folder, "first.bin");
    expect(await run("export", first, "--to", "2")).toBe(`Exported 1 block, up to height 2, to ${first}.\n`);
    expect(await run("export", join(folder, "all.bin"))).toContain(String(height - 3));
    const built = await runCli(["rollback", "40", "--yes", ...on]);
    expect(built).toMatchObject({ code: 0 });
    expect(built.stderr).toMatch(/Rebuilding the chain: 39 blocks/);
    expect(built.stdout).toContain("at height 40");
    expect(existsSync(join(dataDir, "rollback.tmp"))).toBe(false);
    expect(await run("verify")).toMatch(/No faults: 40 blocks/);

    // Importing the removed blocks leads to the same tip.
    const again = await run("import", file);
    expect(idIn(imported)).toHaveLength(88);
    expect(idIn(again)).toBe(idIn(imported));
    expect(await run("verify")).toMatch(new RegExp(`No faults: ${height} blocks`));
    await refusedHere(1, /there is no block/, ["rollback", String(height + 1), ...on]);
  },
);

test.skipIf(!hasVectors(`${recorded}/blocks.bin`))(
  "imports with --assume-valid what a check of the signatures refuses later, and keeps what it accepts",
  async () => {
    const on = ["--genesis", vectorsPath(`${recorded}/genesis.json`), "--data-dir", dataDir];
    const bytes = readFileSync(vectorsPath(`${recorded}/blocks.bin`));
    // A block ends with its signature.
    bytes[bytes.length - 20] ^= 1;
    const file = join(folder, "bad.bin");
    writeFileSync(file, bytes);
    const assumed = { HOLDFAST_ASSUME_VALID: encodeBase58(bytes.subarray(-64)) };

    await refusedHere(2, /HOLDFAST_ASSUME_VALID.*Base58/, ["import", file, ...on], {
      HOLDFAST_ASSUME_VALID: "0l",
    });
    const imported = await runCli(["import", file, ...on], assumed);
    expect(imported).toMatchObject({ code: 0, stdout: expect.stringMatching(/at height 152/) });
    expect(imported.stderr).toMatch(/Not checked, because of --assume-valid: .* of blocks 2 to 152\./m);
    // A running node finds the same, and does not start again with this block.
    const start = ["start", "--no-p2p", "--api-port", "0", "--ntp-server", "none", ...on];
    for (const options of [["--verify-signatures"], []]) {
      const ended = await runCli([...start, ...options]);
      expect(ended).toMatchObject({ code: 9 });
      expect(ended.stderr).toMatch(
        /^Block 152 is invalid, .* because of --assume-valid.*`holdfast rollback 151`/m,
      );
    }
    await refused(1, /Block 152 is invalid: InvalidSignature/, ["verify", "--signatures", ...on]);
    expect(await runHere(["rollback", "151", ...on])).toMatchObject({ code: 0 });
    // Blocks 2 to 151 were found to be right above.
    const good = vectorsPath(`${recorded}/blocks.bin`);
    const id = encodeBase58(readFileSync(good).subarray(-64));
    const again = await runCli(["import", good, "--assume-valid", id, ...on]);
    expect(again.stderr).toMatch(/of blocks 152 to 152\./);
    const checks = [/^All signatures are valid: 1 block, /, /^No unchecked blocks: /];
    for (const said of checks)
      expect(await runCli(["verify", "--signatures", ...on])).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(said),
      });
  },
);

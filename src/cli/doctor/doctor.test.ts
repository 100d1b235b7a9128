/** `holdfast doctor` for a stopped node. test/running-commands.test.ts has a running one. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ExitCode } from "../exit-codes.ts";
import { runCommand } from "../testing/fake-node.ts";
import { checksText, ok, problem, warning } from "./check.ts";
import { clockCheck, diskCheck, handlesCheck, memoryCheck, nodeVersionCheck } from "./machine.ts";
import { portCheck } from "./ports.ts";

const GIB = 2 ** 30;
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-doctor-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Report {
  readonly ok: boolean;
  readonly checks: readonly { name: string; state: string; message: string; advice?: string }[];
}

async function doctor(...flags: string[]) {
  const args = ["doctor", "--json", "--data-dir", join(folder, "data"), "--api-port", "0", ...flags];
  const { code, out, err } = await runCommand(args, { home: folder });
  const report: Report = JSON.parse(out);
  expect(code).toBe(report.ok ? ExitCode.ok : ExitCode.failed);
  const only = (name: string) => report.checks.filter((one) => one.name === name);
  return { code, out, err, report, only };
}

describe("the machine", () => {
  test("needs Node.js 20 or newer", () => {
    expect(nodeVersionCheck("20.0.0", "linux x64")).toEqual(ok("Node.js", "v20.0.0 on linux x64"));
    expect(nodeVersionCheck("18.19.1", "linux x64")).toMatchObject({
      state: "problem",
      advice: "Install Node.js 20 or newer.",
    });
  });

  test.each([
    [4 * GIB, 2 * GIB, false, "ok"],
    [4 * GIB, GIB / 4, true, "ok"],
    [4 * GIB, GIB / 4, false, "warning"],
    [0.75 * GIB, 0.7 * GIB, false, "warning"],
    [0.25 * GIB, 0.2 * GIB, true, "problem"],
  ])("with %d bytes of memory, %d available, running %s: %s", (total, available, isRunning, state) => {
    expect(memoryCheck(total, available, isRunning)).toMatchObject({ name: "Memory", state });
  });

  test.each([
    [undefined, undefined, "warning", /does not report/],
    [20 * GIB, GIB, "ok", /20\.0 GiB free, chain store 1\.0 GiB/],
    [3 * GIB, 40 * GIB, "warning", /less than 4\.0 GiB/],
    [GIB / 4, GIB, "problem", /256 MiB free.*neither forges nor accepts/],
  ])("with %s bytes free and a store of %s bytes: %s", (diskFree, store, state, message) => {
    const disk = { warnBelowBytes: undefined, pauseBelowBytes: GIB / 2, resumeAboveBytes: GIB };
    const check = diskCheck({ memory: 0, store, diskFree, diskTotal: undefined }, { disk });
    expect(check).toMatchObject({ state, message: expect.stringMatching(message) });
  });

  test.each([
    [undefined, "ok"],
    [20_000, "ok"],
    [300, "warning"],
    [100, "problem"],
  ])("with a limit of %s file handles: %s", (limit, state) => {
    // Safe cast: the check reads only these members.
    const api = { enabled: true, threads: 1 } as Parameters<typeof handlesCheck>[1]["api"];
    expect(handlesCheck(limit, { api, peers: undefined })).toMatchObject({ state });
  });

  const server = { host: "127.0.0.1", port: 123 };
  test.each([
    [0, "ok", "0 ms ahead of 127.0.0.1:123"],
    [-2_000, "warning", "2000 ms ahead of 127.0.0.1:123: the node corrects it."],
    [2_000_000, "problem", "2000000 ms behind 127.0.0.1:123: too much for the node to correct."],
  ])("a clock with an offset of %d ms: %s", async (offsetMs, state, message) => {
    const check = await clockCheck(server, async () => ({ offsetMs, delayMs: 1 }));
    expect(check).toMatchObject({ state, message });
  });

  test("a time server that does not answer is a warning, and without one nothing is asked", async () => {
    const silent = () => Promise.reject(new Error("no answer within 5 s"));
    expect(await clockCheck(server, silent)).toMatchObject({
      state: "warning",
      message: "No usable answer from the time server 127.0.0.1:123: no answer within 5 s.",
    });
    expect(await clockCheck(undefined, silent)).toMatchObject({ state: "ok" });
  });
});

describe("a port", () => {
  async function withBusyPort(work: (port: number) => Promise<void>): Promise<void> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      // A TCP server that listens has a port.
      await work((server.address() as AddressInfo).port);
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  }
  const named = (port: number) => ({ name: "API port", host: "127.0.0.1", port, flag: "--api-port" });

  test("in use is a problem unless the running node uses it", () =>
    withBusyPort(async (port) => {
      expect(await portCheck(named(port), false, () => true)).toEqual(
        problem(
          "API port",
          `${port} on 127.0.0.1 is in use by another program.`,
          "Stop that program, or choose another port with --api-port.",
        ),
      );
      expect(await portCheck(named(port), true, () => false)).toMatchObject({ state: "problem" });
      expect(await portCheck(named(port), true, () => true)).toMatchObject({
        state: "ok",
        message: `${port} on 127.0.0.1 is in use by this node`,
      });
      for (const isRunning of [true, undefined])
        expect(await portCheck(named(port), isRunning, () => undefined)).toMatchObject({
          state: "ok",
          message: `${port} on 127.0.0.1 is in use, probably by this node`,
        });
    }));

  test("that is free is fine for a stopped node, and strange for a running one", async () => {
    let free = 0;
    await withBusyPort(async (port) => {
      free = port;
    });
    expect(await portCheck(named(free), false, () => undefined)).toMatchObject({ state: "ok" });
    expect(await portCheck(named(free), true, () => false)).toMatchObject({ state: "warning" });
    expect(await portCheck({ ...named(free), host: "203.0.113.1" }, false, () => false)).toMatchObject({
      state: "problem",
      message: `Cannot listen on port ${free} on 203.0.113.1: EADDRNOTAVAIL.`,
    });
  });

  test("of metrics, peers or the API that another program uses is named with its flag", () =>
    withBusyPort(async (port) => {
      for (const flag of ["--metrics-port", "--p2p-port", "--admin-port"]) {
        const { code, report } = await doctor(flag, String(port));
        expect(code).toBe(ExitCode.failed);
        expect(report.checks.filter(({ state }) => state === "problem")).toEqual([
          expect.objectContaining({ advice: expect.stringContaining(flag) }),
        ]);
      }
    }));
});

describe("files", () => {
  test("of a node that was never started are not created", async () => {
    const { code, err, only } = await doctor();
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(only("Data")[0].message).toMatch(/does not exist yet: the node creates it$/);
    expect(only("Node")[0].message).toBe("not running");
    expect(readdirSync(folder)).toEqual([]);
  });

  test("are refused if the data directory is a file or has other files", async () => {
    writeFileSync(join(folder, "data"), "");
    expect((await doctor()).only("Data")[0]).toMatchObject({
      state: "problem",
      message: expect.stringMatching(/is a file/),
    });
    rmSync(join(folder, "data"));
    mkdirSync(join(folder, "data", "chain"), { recursive: true });
    writeFileSync(join(folder, "data", "chain", "letter.txt"), "");
    const { err, only } = await doctor();
    expect(err).toBe("The checks found problems.\n");
    expect(only("Data")[0]).toMatchObject({
      state: "problem",
      message: expect.stringMatching(/not empty \(letter\.txt\)/),
    });
  });

  test("that other users can read or change cause warnings with the command that corrects them", async () => {
    const wallet = join(folder, "data", "wallet", "wallet.bin");
    mkdirSync(join(folder, "data", "wallet"), { recursive: true });
    chmodSync(join(folder, "data"), 0o777);
    for (const path of [wallet, `${wallet}.password`]) writeFileSync(path, "x", { mode: 0o644 });
    const config = join(folder, "node.yaml");
    writeFileSync(config, "api-key: config-secret\n", { mode: 0o644 });
    const { code, out, only } = await doctor("--config", config, "--wallet-seed", "seed-secret");
    expect(code).toBe(0);
    expect(only("Wallet")[0]).toMatchObject({
      state: "warning",
      advice: `Run \`chmod 600 ${wallet} ${wallet}.password\`.`,
    });
    expect(only("Settings")[0]).toMatchObject({ state: "warning", message: expect.stringContaining(config) });
    expect(out).not.toContain("-secret");
    rmSync(`${wallet}.password`);
    expect((await doctor()).only("Wallet")[0]).toMatchObject({
      state: "problem",
      message: expect.stringMatching(/password/),
    });
    expect((await doctor("--wallet-password", "other-secret")).only("Wallet")[0].state).toBe("warning");
  });
});

test("a data directory whose path is too long to tell does not accuse another program", async () => {
  const data = join(folder, "long".repeat(25));
  const { code, only } = await doctor("--data-dir", data);
  expect(code).toBe(0);
  expect(only("Node")[0].message).toBe("not asked: cannot tell whether the node is running");
});

test("all invalid settings are problems, without their secrets", async () => {
  const { out, report, only } = await doctor("--log-level", "loud", "--wallet-seed-base58", "0-secret");
  expect(only("Settings").map(({ message }) => message)).toEqual([
    expect.stringMatching(/^--log-level: expected one of/),
    expect.stringMatching(/^--wallet-seed-base58: /),
  ]);
  expect(report.ok).toBe(false);
  expect(out).not.toContain("0-secret");
  expect(existsSync(join(folder, "data"))).toBe(false);
});

test("only the configured time server is asked", async () => {
  const { only } = await doctor("--ntp-server", "127.0.0.1:1");
  expect(only("Clock")[0]).toMatchObject({
    state: "warning",
    message: expect.stringMatching(/^No usable answer from the time server 127\.0\.0\.1:1: /),
  });
});

test("the report has aligned lines of at most the given width, and a summary", () => {
  const text = checksText(
    [
      ok("Node.js", "fine"),
      warning("Disk", "low on space: less than two GiB are free.", "Free some."),
      problem("P2P port", "in use.", "Choose another."),
    ],
    48,
  );
  expect(text).toBe(
    `ok       Node.js   fine
warning  Disk      low on space: less than two
                   GiB are free.
                   Free some.
problem  P2P port  in use.
                   Choose another.

1 problem, 1 warning
`,
  );
});

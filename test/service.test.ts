/** The systemd unit: its command and environment start a node that reports its state. */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { cliPath, removeFolder, startNodeProcess, temporaryFolder } from "./support/node-process.ts";

const unit = readFileSync(join(import.meta.dirname, "..", "deploy", "systemd", "holdfast.service"), "utf8");
let folder: string;

beforeEach(() => {
  folder = temporaryFolder("service");
});

afterEach(() => removeFolder(folder));

/** Values of an entry of the unit. */
const valuesOf = (name: string) =>
  [...unit.matchAll(new RegExp(`^${name}=(.*)$`, "gm"))].map(([, value]) => value);

test("the command of the unit reports to systemd that the node is ready and that it stops", async () => {
  const [command] = valuesOf("ExecStart");
  const [program, start, ...args] = command.split(" ");
  expect([program, start]).toEqual(["/usr/bin/holdfast", "start"]);
  const config = join(folder, "holdfast.yaml");
  writeFileSync(config, "network: dev\n", { mode: 0o600 });
  // A stand-in for the program that writes to the socket of systemd.
  const reports = join(folder, "reports");
  const programs = join(folder, "bin");
  mkdirSync(programs);
  const standIn = join(programs, "systemd-notify");
  writeFileSync(standIn, `#!/bin/sh\necho "$NOTIFY_SOCKET $*" >> "${reports}"\n`);
  chmodSync(standIn, 0o755);

  const environment = Object.fromEntries(valuesOf("Environment").map((entry) => entry.split("=")));
  const node = await startNodeProcess({
    cli: cliPath,
    dataDir: join(folder, "data"),
    args: args.map((arg) => (arg === "/etc/holdfast/holdfast.yaml" ? config : arg)),
    env: { ...environment, NOTIFY_SOCKET: "/run/stand-in", PATH: `${programs}:${process.env.PATH}` },
  });
  // The node reports after it has opened its ports, so it may still start the program.
  while (!node.output().includes('"Forged a block"')) await node.get("/blocks/height");
  expect(await node.stop()).toBe(0);
  expect(readFileSync(reports, "utf8").split("\n")).toEqual([
    "/run/stand-in READY=1",
    "/run/stand-in STOPPING=1",
    "",
  ]);
});

test("the unit restarts the node only after failures that a restart can cure", () => {
  const [codes] = valuesOf("RestartPreventExitStatus");
  expect(codes.split(" ").map(Number)).toEqual([2, 3, 4, 8, 9, 38]);
  expect(valuesOf("Restart")).toEqual(["on-failure"]);
});

import { expect, test } from "vitest";
import { silentLog } from "../testing/silent-log.ts";
import { VirtualClock } from "../testing/virtual-clock.ts";
import { serviceManager } from "./service-manager.ts";

const settle = () => new Promise((resolve) => setImmediate(resolve));

function world(environment: NodeJS.ProcessEnv, failure?: string) {
  const clock = new VirtualClock(0);
  const reports: string[] = [];
  const warnings: string[] = [];
  const notify = async (state: string) => {
    reports.push(state);
    return failure;
  };
  const log = { ...silentLog, warn: (message: string) => void warnings.push(message) };
  const service = { pid: 7, notify };
  return { clock, reports, warnings, manager: serviceManager({ environment, clock, service }, log) };
}

test("a node that systemd did not start reports nothing", async () => {
  const clock = new VirtualClock(0);
  const manager = serviceManager({ environment: { WATCHDOG_USEC: "2000000" }, clock }, silentLog);
  manager.ready();
  expect(clock.pending).toBe(0);
});

test("the node reports that it is ready, then twice per watchdog period until it has stopped", async () => {
  const { manager, reports, clock } = world({ WATCHDOG_USEC: "20000000", WATCHDOG_PID: "7" });
  manager.ready();
  await settle();
  for (let i = 0; i < 2; i++) {
    clock.advance(10_000);
    await settle();
  }
  manager.stopping();
  await settle();
  clock.advance(10_000);
  await settle();
  manager.close();
  clock.advance(60_000);
  await settle();
  expect(reports).toEqual(["READY=1", "WATCHDOG=1", "WATCHDOG=1", "STOPPING=1", "WATCHDOG=1"]);
});

test.each([
  ["meant for another process", { WATCHDOG_USEC: "20000000", WATCHDOG_PID: "8" }],
  ["zero", { WATCHDOG_USEC: "0" }],
  ["not a number", { WATCHDOG_USEC: "soon" }],
])("a watchdog period that is %s is ignored", async (_, environment) => {
  const { manager, reports, clock } = world(environment);
  manager.ready();
  clock.advance(60_000);
  await settle();
  expect(reports).toEqual(["READY=1"]);
});

test("reports that wait for a slow one are merged", async () => {
  const clock = new VirtualClock(0);
  const reports: string[] = [];
  let release = (): void => {};
  const notify = (state: string) => {
    reports.push(state);
    return new Promise<undefined>((resolve) => {
      release = () => resolve(undefined);
    });
  };
  const environment = { WATCHDOG_USEC: "2000000" };
  const manager = serviceManager({ environment, clock, service: { pid: 7, notify } }, silentLog);
  manager.ready();
  clock.advance(10_000);
  release();
  await settle();
  release();
  await settle();
  expect(reports).toEqual(["READY=1", "WATCHDOG=1"]);
  manager.close();
});

test("a report that fails is logged once", async () => {
  const { manager, warnings } = world({}, "spawn systemd-notify ENOENT");
  manager.ready();
  await settle();
  manager.stopping();
  await settle();
  expect(warnings).toEqual([
    "Cannot report READY=1 to systemd: spawn systemd-notify ENOENT. Install systemd-notify, or use Type=exec",
  ]);
});

/** Errors in timers and listeners: after a machine fault the node continues, after its own fault it stops. */
import { EventEmitter } from "node:events";
import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { explainError } from "../cli/exit-codes.ts";
import { createNode } from "../node.ts";
import { dev } from "../profiles/index.ts";
import { DiskError } from "../storage/disk/disk-error.ts";
import { memoryStore } from "../storage/memory-store.ts";
import { RecordingLog, rootKeyPair } from "../testing/dev-node.ts";
import { settingsOf } from "../testing/settings.ts";
import { simulatedEnvironment } from "../testing/simulated-environment.ts";
import { VirtualClock } from "../testing/virtual-clock.ts";
import { fixedWallet } from "../wallet/fixed-wallet.ts";
import { machineFaultOf } from "./machine-fault.ts";
import { superviseProcess } from "./supervise-process.ts";
import { BrokenInvariantError, Supervisor } from "./supervisor.ts";
import { every, namedClock } from "./timers.ts";

const coded = (code: string | number): Error => Object.assign(new Error(`it says ${code}`), { code });

/** The error of `os.networkInterfaces` without a free handle. */
const noHandles = Object.assign(
  new Error("A system error occurred: uv_interface_addresses returned EMFILE"),
  {
    code: "ERR_SYSTEM_ERROR",
    info: { code: "EMFILE", syscall: "uv_interface_addresses" },
  },
);

function setUp() {
  const clock = new VirtualClock(0);
  const log = new RecordingLog();
  const supervisor = new Supervisor(log, clock);
  const stopped: Error[] = [];
  supervisor.onBroken((error) => stopped.push(error));
  const errors = () => log.lines.filter(({ level }) => level === "error");
  return { clock, supervisor, stopped, errors, supervised: supervisor.clock(clock) };
}

describe("a fault of the machine", () => {
  test.each<[string, unknown, string]>([
    ["no file handles, at a system call", noHandles, "EMFILE"],
    ["no file handles, at a socket", coded("EMFILE"), "EMFILE"],
    ["no memory", coded("ENOMEM"), "ENOMEM"],
    ["no memory for bytes", new RangeError("Array buffer allocation failed"), "ENOMEM"],
    ["the network", coded("ENETUNREACH"), "ENETUNREACH"],
    ["a full disk, as the database says it", coded(28), "ENOSPC"],
    ["the cause of another error", new DiskError("cannot be written", { cause: coded("ENOSPC") }), "ENOSPC"],
    ["a network of the wrong kind", coded("ENONET"), "ENONET"],
    ["an option that the system lacks", coded("ENOPROTOOPT"), "ENOPROTOOPT"],
    ["an operation that the system lacks", coded("EOPNOTSUPP"), "EOPNOTSUPP"],
    ["a socket that is not fit to accept", coded("EINVAL"), "EINVAL"],
    ["a full database", new DiskError("cannot be written", { cause: coded(-30_792) }), "MDB_MAP_FULL"],
    ["a disk without a code", new DiskError("cannot be written"), "DISK"],
  ])("is %s", (_, error, code) => expect(machineFaultOf(error)).toBe(code));

  test.each<[string, unknown]>([
    ["an error without a code", new TypeError("x is not a function")],
    ["a wrong argument", coded("ERR_INVALID_ARG_TYPE")],
    ["a handle of ours that is closed already", coded("EBADF")],
    ["a code of the database without the disk", coded(-30_792)],
    ["a text", "EMFILE"],
    ["nothing", undefined],
    ["an error that is its own cause", Object.assign(new Error("round"), { cause: undefined })],
  ])("is not %s", (_, error) => expect(machineFaultOf(error)).toBeUndefined());

  test("is searched for in circular causes without an endless loop", () => {
    const one = new Error("one");
    one.cause = new Error("other", { cause: one });
    expect(machineFaultOf(one)).toBeUndefined();
  });
});

test("an error of a listening port is the machine's, whatever its code", () => {
  const { supervisor, stopped, errors } = setUp();
  supervisor.machineFailed("port for peers", coded("EBADF"));
  supervisor.machineFailed("HTTP port", coded("EMFILE"));
  expect(errors().map(({ facts: { fault } }) => fault)).toEqual(["other", "EMFILE"]);
  expect(supervisor.failures).toEqual({ machine: 2, broken: 0 });
  expect(stopped).toEqual([]);
});

describe("a supervised timer", () => {
  test("that meets a fault of the machine is logged by its name, counted, and the node goes on", () => {
    const { clock, supervisor, supervised, stopped, errors } = setUp();
    namedClock(supervised, "dialler").after(10, () => {
      throw noHandles;
    });
    clock.advance(10);
    expect(errors()).toMatchObject([
      {
        message: 'The machine failed in "dialler": the node continues',
        facts: { fault: "EMFILE", count: 1 },
      },
    ]);
    expect({ failures: supervisor.failures, stopped }).toEqual({
      failures: { machine: 1, broken: 0 },
      stopped: [],
    });
  });

  test("that breaks an invariant stops the node, once, with an exit code of its own", () => {
    const { clock, supervisor, supervised, stopped, errors } = setUp();
    for (const name of ["first", "second"])
      supervised.after(
        10,
        () => {
          throw new TypeError("x is not a function");
        },
        name,
      );
    clock.advance(10);
    expect(errors().map(({ message }) => message)).toEqual([
      'Fault of the node in "first": the node stops',
      'Fault of the node in "second": the node stops',
    ]);
    expect(supervisor.failures).toEqual({ machine: 0, broken: 2 });
    expect(stopped).toEqual([expect.any(BrokenInvariantError)]);
    const { code, text } = explainError(stopped[0]);
    expect({ code, lines: text.split("\n").length }).toEqual({ code: 7, lines: 1 });
    expect(text).toContain('"first": x is not a function');
  });

  test("continues to repeat, whatever one call throws", () => {
    const { clock, supervised, supervisor } = setUp();
    let calls = 0;
    const cancel = every(
      supervised,
      5_000,
      "dialler",
      () => {
        if (++calls === 2) throw noHandles;
      },
      1_000,
    );
    clock.advance(11_000);
    expect({ calls, machineFaults: supervisor.failures.machine }).toEqual({ calls: 3, machineFaults: 1 });
    cancel();
    expect(clock.pending).toBe(0);
  });

  test("that fails repeatedly is logged every ten seconds, with the number of omitted lines", () => {
    const { clock, supervised, errors } = setUp();
    every(supervised, 1_000, "dialler", () => {
      throw noHandles;
    });
    clock.advance(11_000);
    expect(errors().map(({ facts: { count, omitted } }) => [count, omitted])).toEqual([
      [1, undefined],
      [11, 9],
    ]);
  });

  test("of a simulated environment is not supervised: it fails the test", () => {
    const clock = new VirtualClock(0);
    const environment = simulatedEnvironment({
      clock,
      store: memoryStore(),
      wallet: fixedWallet([], dev.chainId),
    });
    environment.clock.after(1, () => {
      throw noHandles;
    });
    expect(() => clock.advance(1)).toThrow(noHandles);
  });
});

describe("a listener", () => {
  test("that throws or rejects does not fail its caller", async () => {
    const { supervisor, stopped } = setUp();
    const emitter = new EventEmitter();
    const heard: unknown[] = [];
    emitter.on("message", (message: unknown) =>
      supervisor.run("messages", () => {
        heard.push(message);
        throw coded("EMFILE");
      }),
    );
    emitter.on("message", () =>
      supervisor.run("messages", async () => {
        throw new Error("broken");
      }),
    );
    emitter.emit("message", 1);
    await turn();
    expect({ heard, failures: supervisor.failures, stopped: stopped.length }).toEqual({
      heard: [1],
      failures: { machine: 1, broken: 1 },
      stopped: 1,
    });
  });

  test("of the chain that breaks an invariant stops the node", async () => {
    const clock = new VirtualClock(Number(dev.genesis.blockTimestamp) + 60_000);
    const wallet = fixedWallet([rootKeyPair], dev.chainId);
    const environment = simulatedEnvironment({ clock, store: memoryStore(), wallet });
    const node = createNode(environment, settingsOf(dev, {}));
    node.chain.onChange(() => {
      throw new Error("broken");
    });
    await node.start();
    const ended = expect(node.finished).rejects.toThrow(BrokenInvariantError);
    while (node.chain.tip.height === 1) clock.step();
    await ended;
    expect(clock.pending).toBe(0);
  });
});

test("uncaught errors reach the supervisor once the process is supervised", () => {
  const before = process.listenerCount("uncaughtException");
  const { supervisor, stopped } = setUp();
  const broken: Error[] = [];
  const forget = superviseProcess(supervisor, (error) => broken.push(error));
  const [onError] = process.listeners("uncaughtException").slice(-1);
  const [onRejection] = process.listeners("unhandledRejection").slice(-1);
  onError(noHandles, "uncaughtException");
  onRejection(noHandles, Promise.resolve());
  expect({ machineFaults: supervisor.failures.machine, stopped, broken }).toEqual({
    machineFaults: 2,
    stopped: [],
    broken: [],
  });
  onError(new Error("broken"), "uncaughtException");
  expect({ stopped: stopped.length, broken: broken.length }).toEqual({ stopped: 1, broken: 1 });
  forget();
  expect(process.listenerCount("uncaughtException")).toBe(before);
  const isolated = setUp();
  const end = superviseProcess(
    isolated.supervisor,
    () => {},
    () => true,
  );
  process.listeners("unhandledRejection").slice(-1)[0](new Error("isolated"), Promise.resolve());
  end();
  expect(isolated.supervisor.failures).toEqual({ machine: 0, broken: 0 });
});

import { execFileSync } from "node:child_process";
import { closeSync, constants, existsSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Secret } from "./config/kinds/secret.ts";
import type { LogLevel } from "./control/index.ts";
import { createLog, type LogOptions } from "./log.ts";
import { LogLevels } from "./runtime/logging/log-levels.ts";

function logged({ level = "info", ...options }: Partial<LogOptions> & { level?: LogLevel }) {
  const lines: string[] = [];
  const log = createLog({
    levels: LogLevels.of({ level, areas: {} }),
    format: "json",
    terminal: false,
    write: (line) => lines.push(line),
    ...options,
  });
  return { log, lines };
}

test("JSON: one object a line, with time, level, message and facts", () => {
  const { log, lines } = logged({});
  log.info("Block appended", { height: 7, fee: 2n ** 62n, id: new Uint8Array([0, 1]), note: "a\nb" });
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^\{"level":"info","time":"\d{4}-.*Z",.*"msg":"Block appended"\}\n$/);
  expect(lines[0]).toContain('"height":7,"fee":4611686018427387904,"id":"12","note":"a\\nb"');
});

test("the level decides what is held", () => {
  const { log, lines } = logged({ level: "warn" });
  log.debug("d");
  log.info("i");
  log.warn("w");
  log.error("e");
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual(["w", "e"]);
  const off = logged({ level: "off" });
  off.log.error("e");
  expect(off.lines).toEqual([]);
  const all = logged({ level: "trace" });
  all.log.debug("d");
  expect(all.lines).toHaveLength(1);
});

test("secrets are hidden by name, also one level down", () => {
  for (const format of ["json", "text"] as const) {
    const { log, lines } = logged({ format });
    log.info("x", {
      seed: "s3cret",
      apiKey: "s3cret",
      headers: { authorization: "s3cret", "x-api-key": "s3cret", host: "seen" },
      wallet: { password: "s3cret", privateKey: new Uint8Array(3) },
      settings: { walletSeed: new Secret("s3cret") },
    });
    expect(lines.join("")).toContain("(hidden)");
    expect(lines.join("")).toContain("seen");
    expect(lines.join("")).not.toContain("s3cret");
  }
});

test("text: a line for people that cannot be forged", () => {
  const { log, lines } = logged({ format: "text" });
  log.warn("Peer said\n2026 INFO  fine\x1b[2J", { name: "two words", height: 3, odd: "\x1b]0;title\x07" });
  expect(lines[0]).toMatch(
    /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}Z WARN {2}Peer said\\n2026 INFO {2}fine\\u001b\[2J name="two words" height=3 odd=\\u001b\]0;title\\u0007\n$/,
  );
});

test("what a peer calls itself stays in its line and its place, with quotes around it or not", () => {
  const text = logged({ format: "text" });
  text.log.info("Connected", { name: "a \x9b2J\u202egnp\u2028b", other: "\x85\u202e\u{e0001}" });
  expect(text.lines[0]).toContain(
    String.raw`name="a \u009b2J\u202egnp\u2028b" other=\u0085\u202e\udb40\udc01`,
  );
});

test("text on a terminal has colours, elsewhere none; auto follows the terminal", () => {
  const terminal = logged({ format: "auto", terminal: true });
  terminal.log.error("x");
  expect(terminal.lines[0]).toContain(process.env.NO_COLOR === undefined ? "\x1b[31mERROR" : "ERROR");
  const piped = logged({ format: "auto" });
  piped.log.error("x");
  expect(JSON.parse(piped.lines[0]).level).toBe("error");
});

test("errors are logged with name, message and where they came from", () => {
  const error = new TypeError("of no use");
  const json = logged({});
  json.log.error("It failed", { error });
  expect(JSON.parse(json.lines[0]).error).toMatchObject({ name: "TypeError", message: "of no use" });
  const text = logged({ format: "text" });
  text.log.error("It failed", { error });
  expect(text.lines[0]).toMatch(
    /It failed error=\{"name":"TypeError","message":"of no use"\}\nTypeError: of no use\n +at /,
  );
});

test("an area can have its own level, which can change while the log is used", () => {
  const levels = LogLevels.of({ level: "warn", areas: { peers: "debug" } });
  const lines: string[] = [];
  const log = createLog({ levels, format: "json", terminal: false, write: (line) => lines.push(line) });
  const take = () => lines.splice(0).map((line) => `${JSON.parse(line).area} ${JSON.parse(line).msg}`);
  const say = () => {
    log.info("a");
    log.area?.("peers").debug("b", { height: 1 });
    log.area?.("chain").info("c");
  };
  say();
  expect(take()).toEqual(["peers b"]);
  // Another thread changes the levels through the shared memory.
  new LogLevels(levels.shared).set("info", "chain");
  say();
  expect(take()).toEqual(["peers b", "chain c"]);
  levels.set("info");
  expect(levels.plan).toEqual({ level: "info", areas: {} });
  say();
  expect(take()).toEqual(["undefined a", "chain c"]);
});

// Linux fails every write to this device, as on a full disk.
test.runIf(existsSync("/dev/full"))("a full disk behind standard output never ends a call", () => {
  const full = openSync("/dev/full", "w");
  const { log } = logged({ write: undefined, fd: full });
  for (let i = 0; i < 3_000; i++) log.error("Disk write failed", { i, text: "x".repeat(1_000) });
  closeSync(full);
});

test("a reader of standard output that has ended never ends a call", () => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-log-"));
  const fifo = join(folder, "fifo");
  execFileSync("mkfifo", [fifo]);
  const reader = openSync(fifo, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = openSync(fifo, constants.O_WRONLY);
  closeSync(reader);
  const { log } = logged({ write: undefined, fd: writer });
  for (let i = 0; i < 3; i++) log.info("Nobody reads this");
  closeSync(writer);
  rmSync(folder, { recursive: true });
});

import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { LogFile, type LogFileOptions } from "./log-file.ts";

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-log-file-"));
  path = join(folder, "deep", "node.log");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function logFile(options: Partial<LogFileOptions> = {}) {
  const fallen: string[] = [];
  const disk = { left: Number.POSITIVE_INFINITY };
  // The age of a file comes from the file system, so the clock starts at the present.
  const clock = new VirtualClock(Date.now());
  const file = new LogFile(
    { path, maxBytes: 0, maxAgeMs: 0, keep: 3, ...options },
    {
      clock,
      fallback: (line) => fallen.push(line),
      write: (fd, bytes, offset) => {
        if (disk.left === 0) throw new Error("ENOSPC: no space left on device, write");
        const written = writeSync(fd, bytes.subarray(offset, offset + disk.left));
        disk.left -= written;
        return written;
      },
    },
  );
  return { file, fallen, disk, clock };
}

const contents = () =>
  Object.fromEntries(
    readdirSync(dirname(path))
      .sort()
      .map((name) => [name, readFileSync(join(dirname(path), name), "utf8")]),
  );

test("creates the directory and the file, readable by owner and group, and appends", () => {
  logFile().file.write("one\n");
  logFile().file.write("two\n");
  expect(contents()).toEqual({ "node.log": "one\ntwo\n" });
  expect(statSync(path).mode & 0o777 & ~0o640).toBe(0);
  expect(statSync(dirname(path)).mode & 0o777 & ~0o750).toBe(0);
});

test("a new file begins before a line would exceed the maximum size; old ones are renamed and removed", () => {
  const { file, fallen } = logFile({ maxBytes: 10, keep: 2 });
  mkdirSync(dirname(path));
  for (const name of ["node.log.7", "node.log.02", "node.log.gz", "node.logs"])
    writeFileSync(join(dirname(path), name), name);
  for (const line of ["1111\n", "2222\n", "3333\n", "a line of its own\n", "5\n", "6\n"]) file.write(line);
  expect(contents()).toEqual({
    "node.log": "5\n6\n",
    "node.log.1": "a line of its own\n",
    "node.log.2": "3333\n",
    "node.log.02": "node.log.02",
    "node.log.gz": "node.log.gz",
    "node.logs": "node.logs",
  });
  expect(fallen).toEqual([]);
});

test("a new file begins at the maximum age, also after a restart", () => {
  const day = 86_400_000;
  const first = logFile({ maxAgeMs: day });
  first.file.write("1\n");
  first.clock.advance(day - 60_000);
  first.file.write("2\n");
  const second = logFile({ maxAgeMs: day });
  second.clock.advance(day + 60_000);
  second.file.write("3\n");
  expect(contents()).toEqual({ "node.log": "3\n", "node.log.1": "1\n2\n" });
});

test("a file that another program renamed or removed gets no more lines", () => {
  const { file, fallen } = logFile();
  file.write("1\n");
  renameSync(path, `${path}.old`);
  file.write("2\n");
  expect(contents()).toEqual({ "node.log": "2\n", "node.log.old": "1\n" });
  rmSync(dirname(path), { recursive: true });
  file.write("3\n");
  expect(contents()).toEqual({ "node.log": "3\n" });
  expect(fallen).toEqual([]);
});

test("a link to a file remains when the file is rotated", () => {
  const { file } = logFile({ maxBytes: 4 });
  mkdirSync(dirname(path));
  mkdirSync(join(folder, "disk"));
  symlinkSync(join(folder, "disk", "target.log"), path);
  for (const line of ["1\n", "22\n", "33\n"]) file.write(line);
  expect(readdirSync(dirname(path))).toEqual(["node.log"]);
  expect(readFileSync(path, "utf8")).toBe("33\n");
  expect(readdirSync(join(folder, "disk")).sort()).toEqual(["target.log", "target.log.1", "target.log.2"]);
});

test("two threads write the same file, which one of them rotates", () => {
  const owner = logFile({ maxBytes: 10 });
  const other = logFile();
  other.file.write("1111\n");
  owner.file.write("2222\n");
  other.file.write("3333\n");
  owner.file.write("4\n");
  other.file.write("5\n");
  expect(contents()).toEqual({ "node.log": "4\n5\n", "node.log.1": "1111\n2222\n3333\n" });
});

test("a file that only another thread writes is rotated too", () => {
  const owner = logFile({ maxBytes: 10 });
  const other = logFile();
  other.file.write("1111\n");
  owner.file.rotateIfDue();
  other.file.write("2222222\n");
  owner.file.rotateIfDue();
  other.file.write("3\n");
  expect(contents()).toEqual({ "node.log": "3\n", "node.log.1": "1111\n2222222\n" });
  rmSync(dirname(path), { recursive: true });
  writeFileSync(dirname(path), "");
  owner.file.rotateIfDue();
  expect(owner.fallen).toEqual([]);
});

test("a full disk sends the lines elsewhere, says so once, and never cuts a line that follows", () => {
  const { file, fallen, disk } = logFile();
  file.write("1\n");
  disk.left = 2;
  file.write("2222\n");
  file.write("3\n");
  expect(fallen).toEqual([
    `Cannot write the log file ${path} (ENOSPC: no space left on device, write): log lines go here instead\n`,
    "2222\n",
    "3\n",
  ]);
  disk.left = Number.POSITIVE_INFINITY;
  file.write("4\n");
  file.write("5\n");
  expect(fallen.slice(3)).toEqual([`The log continues in ${path}\n`]);
  expect(contents()).toEqual({ "node.log": "1\n22\n4\n5\n" });
});

test("a file in place of the directory sends the lines elsewhere until it is gone", () => {
  const { file, fallen } = logFile();
  file.write("1\n");
  rmSync(dirname(path), { recursive: true });
  writeFileSync(dirname(path), "");
  file.write("2\n");
  expect(fallen[0]).toContain(`Cannot write the log file ${path} (`);
  expect(fallen[1]).toBe("2\n");
  rmSync(dirname(path));
  file.write("3\n");
  expect(contents()).toEqual({ "node.log": "3\n" });
});

test("a file that cannot be renamed grows further, and the rotation is repeated after a minute", () => {
  const { file, fallen, clock } = logFile({ maxBytes: 4, keep: 1 });
  mkdirSync(join(dirname(path), "node.log.1"), { recursive: true });
  for (const line of ["1\n", "22\n", "33\n"]) file.write(line);
  expect(readFileSync(path, "utf8")).toBe("1\n22\n33\n");
  expect(fallen).toEqual([expect.stringContaining(`Cannot rotate the log file ${path} (`)]);
  rmSync(join(dirname(path), "node.log.1"), { recursive: true });
  clock.advance(60_000);
  file.write("44\n");
  expect(contents()).toEqual({ "node.log": "44\n", "node.log.1": "1\n22\n33\n" });
});

test.runIf(existsSync("/dev/null"))(
  "a device, a directory and a closed directory are refused at the start",
  () => {
    expect(() => logFile({ path: "/dev/null" }).file.open()).toThrow("it is not a regular file");
    expect(() => logFile({ path: folder }).file.open()).toThrow("it is not a regular file");
    writeFileSync(join(folder, "file"), "");
    chmodSync(join(folder, "file"), 0o600);
    expect(() => logFile({ path: join(folder, "file", "node.log") }).file.open()).toThrow(/ENOTDIR|EEXIST/);
  },
);

/** Tests that need other processes and threads. They run the compiled code: `npm test` builds it first. */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { SeededRandom } from "../testing/seeded-random.ts";
import { invertedIndexes } from "./postings/all.ts";
import { postingsAscending } from "./postings/inverted-index.ts";
import { openStore, type Store } from "./store.ts";
import { lsmTrees, tables } from "./tables.ts";
import { accountPointValue } from "./values/ledger.ts";

const script = (name: string) => fileURLToPath(new URL(`./testing/${name}`, import.meta.url));

let home = "";
const children: ChildProcessByStdio<null, Readable, Readable>[] = [];

beforeAll(() => {
  const compiled = fileURLToPath(new URL("../../dist/storage/store.js", import.meta.url));
  if (!existsSync(compiled)) throw new Error("Build first: npm run build");
});
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "holdfast-processes-"));
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  rmSync(home, { recursive: true, force: true });
});

/** Starts the writer. Resolves with its first line of output. */
async function startWriter(directory: string) {
  const child = spawn(process.execPath, [script("unit-writer.mjs"), directory], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.push(child);
  const lines = { last: 0, count: 0, errors: "" };
  let rest = "";
  child.stderr.on("data", (data: Buffer) => {
    lines.errors += data.toString();
  });
  const exited = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)));
  const next = (count: number) =>
    new Promise<void>((resolve, reject) => {
      const check = () => lines.count >= count && resolve();
      child.stdout.on("data", check);
      void exited.then(() => reject(new Error(`The writer ended: ${lines.errors}`)));
      check();
    });
  child.stdout.on("data", (data: Buffer) => {
    const parts = (rest + data.toString()).split("\n");
    rest = parts.pop() ?? "";
    for (const part of parts) {
      lines.last = Number(part);
      lines.count++;
    }
  });
  return { child, lines, exited, next };
}

/** Checks that a store ends with a whole unit: all rows of the newest one, none of a later one. */
function checkWhole(store: Store): number {
  return store.read((reader) => {
    const height = reader.get(tables.heights, undefined)?.height ?? 0;
    const accounts = [...reader.range(tables.accounts)];
    expect(accounts.map(([, { balance, changedAt }]) => [balance, changedAt])).toEqual(
      Array.from({ length: 20 }, () => [BigInt(height), height]),
    );
    const address = new Uint8Array(26).fill(3);
    const history = [...postingsAscending(reader, invertedIndexes.accountHistory, address)];
    expect(
      history.map(({ unit, value }) => [unit.height, Number(accountPointValue.decode(value).balance)]),
    ).toEqual(Array.from({ length: height }, (_, i) => [i + 1, i + 1]));
    expect([...reader.range(tables.score)].map(([at]) => at)).toEqual(
      Array.from({ length: height }, (_, i) => i + 1),
    );
    const journal = [...reader.range(tables.journal)].map(([key]) => key.height);
    const depth = Math.min(height, journal.length);
    expect(journal).toEqual(Array.from({ length: depth }, (_, i) => height - depth + 1 + i));
    for (let at = 1; at <= height; at += 7) {
      const id = new Uint8Array(32);
      new DataView(id.buffer).setUint32(0, Math.imul(at, 2_654_435_761));
      expect([...reader.findEntries(lsmTrees.transactionIds, id)]).toEqual([{ height: at, position: 0 }]);
    }
    return height;
  });
}

describe("another process", () => {
  it("finds the store intact and complete after each of ten kills", async () => {
    const directory = join(home, "store");
    const random = new SeededRandom(77);
    let before = 0;
    for (let round = 0; round < 10; round++) {
      const writer = await startWriter(directory);
      await writer.next(1 + random.below(60));
      // At a random moment.
      await new Promise((resolve) => setTimeout(resolve, random.below(30)));
      writer.child.kill("SIGKILL");
      await writer.exited;
      const store = await openStore(directory, { network: "kill", rollbackDepth: 50 });
      const height = checkWhole(store);
      // After its last report the writer undoes at most two units per commit.
      expect(height).toBeGreaterThanOrEqual(writer.lines.last - 2);
      expect(height).toBeGreaterThanOrEqual(before - 2);
      before = height;
      store.write((batch) => batch.undoUnit({ height, sequence: 0 }));
      expect(checkWhole(store)).toBe(height - 1);
      await store.close();
      expect(readdirSync(directory).filter((name) => name.endsWith(".sock"))).toEqual([]);
    }
  });

  it("is refused while this one has the store, and vice versa", async () => {
    const directory = join(home, "store");
    const store = await openStore(directory, { network: "kill" });
    const refused = await startWriter(directory);
    expect(await refused.exited).not.toBe(0);
    expect(refused.lines.errors).toContain(
      `StoreInUseError: The data directory ${directory} is in use by another process (${process.pid}); stop it first`,
    );
    await store.close();
    const writer = await startWriter(directory);
    await writer.next(3);
    await expect(openStore(directory, { network: "kill" })).rejects.toMatchObject({
      name: "StoreInUseError",
    });
    await writer.next(writer.lines.count + 3);
    writer.child.kill("SIGKILL");
    await writer.exited;
    await (await openStore(directory, { network: "kill" })).close();
  });
});

describe("a worker thread", () => {
  it("reads consistent snapshots while this thread writes, and frees space for reuse", async () => {
    const directory = join(home, "store");
    const network = "kill";
    const store = await openStore(directory, { network });
    const worker = new Worker(script("snapshot-reader.mjs"), { workerData: { directory, network } });
    const messages: unknown[] = [];
    let wake: () => void = () => undefined;
    worker.on("message", (message) => {
      messages.push(message);
      wake();
    });
    worker.on("error", (error) => {
      messages.push(error);
      wake();
    });
    const message = async (): Promise<unknown> => {
      while (messages.length === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      const first = messages.shift();
      if (first instanceof Error) throw first;
      return first;
    };
    expect(await message()).toBe("ready");
    const write = (height: number) =>
      store.write((batch) => {
        batch.beginUnit({ height, sequence: 0 });
        batch.put(tables.heights, undefined, { height, persisted: height });
        for (let n = 0; n < 20; n++) {
          const account = {
            balance: BigInt(height),
            leaseIn: 0n,
            leaseOut: 0n,
            unbonding: 0n,
            changedAt: height,
          };
          batch.put(tables.accounts, new Uint8Array(26).fill(n), account);
        }
        // Fill a page, so that unreclaimed space shows.
        batch.put(tables.checkpoint, undefined, new Uint8Array(3_000).fill(height));
        batch.endUnit();
        batch.pruneJournal(height - 5);
      });
    let height = 0;
    let report = { reads: 0, torn: 0, backwards: 0, newest: 0 };
    for (let round = 0; round < 30; round++) {
      worker.postMessage("look");
      for (let i = 0; i < 20; i++) write(++height);
      report = (await message()) as typeof report;
      expect(report.newest).toBeLessThanOrEqual(height);
    }
    worker.postMessage("look");
    report = (await message()) as typeof report;
    expect(report).toEqual({ reads: 1_550, torn: 0, backwards: 0, newest: height });
    // Half a megabyte; with an open snapshot it would be seventeen.
    expect(statSync(join(directory, "data.mdb")).size).toBeLessThan(4_000_000);
    worker.postMessage("close");
    expect(await message()).toBe("closed");
    await worker.terminate();
    write(++height);
    await store.close();
  });
});

it("a refused write fails alone: later ones and closing still work, and a log in the same file has whole lines", async () => {
  const limited = 'trap "" XFSZ; ulimit -f 2048; exec "$@" 2>&1';
  const args = ["-c", limited, "sh", process.execPath, script("async-writer.mjs"), join(home, "store")];
  const child = spawn("sh", args, { stdio: ["ignore", "pipe", "pipe"] });
  children.push(child);
  let said = "";
  child.stdout.on("data", (data: Buffer) => {
    said += data.toString();
  });
  const code = await new Promise((resolve) => child.once("close", resolve));
  const failed = (name: number) => `${name} failed: DiskError`;
  // LMDB writes its own texts to standard error, one of them without a line break.
  expect(said).toContain("Write error: File too large");
  expect(said.split("\n").filter((line) => /^(. (is|failed)|closed)/.test(line))).toEqual([
    "1 is there",
    failed(2),
    failed(3),
    "2 is not seen",
    "4 is there",
    failed(5),
    failed(6),
    failed(7),
    "closed",
  ]);
  expect(code).toBe(0);
});

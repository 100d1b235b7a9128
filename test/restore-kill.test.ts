/** Processes that are killed while they restore a snapshot. */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { networkIdentity } from "../src/node/composition.ts";
import { dev } from "../src/profiles/index.ts";
import { createSnapshot } from "../src/storage/copies/create-snapshot.ts";
import { isUnwritten } from "../src/storage/disk/directory.ts";
import { openStore } from "../src/storage/store.ts";
import { tables } from "../src/storage/tables.ts";
import { SeededRandom } from "../src/testing/seeded-random.ts";
import { nextWrite } from "./support/next-write.ts";
import { cleanEnvironment, cliPath, removeFolder, runCli, temporaryFolder } from "./support/node-process.ts";

/** `npm run soak:restore -- --times 100` sets the number of kills, and a random seed. */
const times = Number(process.env.SOAK_TIMES ?? 2);
const seed = Number(process.env.SOAK_SEED ?? 1);
/** A restore causes about this many events in its directory. */
const MAX_WRITES = 12;
/** Values of 1 MiB: two chunks, and three in a soak. */
const VALUES = process.env.SOAK_TIMES === undefined ? 18 : 34;
/** Percentage of killed restores that are killed again on their way. */
const AGAIN_PERCENTAGE = 40;
/** Time of the command until it is known. */
const FIRST_DURATION_MS = 1_000;
const REFUSED =
  "cannot be used: a snapshot was not restored completely: repeat `holdfast snapshot restore` to continue, or delete the directory";
const network = networkIdentity(dev);
const folder = temporaryFolder("restore-kill");
const snapshot = join(folder, "snapshot");
const dataDir = join(folder, "restored");
const directory = join(dataDir, "chain");
const restoreArgs = ["snapshot", "restore", snapshot, "--trust-source", "--data-dir", dataDir];

afterAll(() => removeFolder(folder));

/** Writes the snapshot of a store with large rows. @returns the digest of its rows */
async function makeSnapshot(): Promise<string> {
  const random = new SeededRandom(5);
  const source = join(folder, "source");
  const store = await openStore(source, { network });
  store.write((batch) => {
    batch.beginUnit({ height: 1, sequence: 0 });
    batch.put(tables.headers, 1, {
      version: 3,
      timestamp: 1n,
      reference: new Uint8Array(64),
      baseTarget: 1n,
      generationSignature: new Uint8Array(32),
      features: [],
      feeVote: 0,
      generator: new Uint8Array(32),
      signature: new Uint8Array(64).fill(1),
      baseSignature: new Uint8Array(64).fill(1),
      size: 1,
      transactionCount: 0,
    });
    batch.endUnit();
    for (let i = 0; i < VALUES; i++) {
      const value = new Uint8Array(2 ** 20);
      value.set(random.bytes(1_000));
      batch.put(tables.journal, { height: 100 + i, sequence: 0 }, value);
    }
  });
  await store.close();
  await createSnapshot({ target: snapshot, directory: source, network, reserveBytes: 0, now: 0 });
  return rowsOf(source);
}

async function rowsOf(path: string): Promise<string> {
  const store = await openStore(path, { network, readOnly: true });
  const hash = createHash("sha256");
  store.read((reader) => {
    for (const [{ height }, value] of reader.range(tables.journal)) hash.update(`${height} `).update(value);
    for (const [height, { signature }] of reader.range(tables.headers))
      hash.update(`${height} `).update(signature);
  });
  await store.close();
  return hash.digest("hex");
}

/** Restores in another process, which is killed at this moment. @returns true if it was still running */
async function killedAt(moment: (over: AbortSignal) => Promise<unknown>): Promise<boolean> {
  const child = spawn(process.execPath, [cliPath, ...restoreArgs], {
    stdio: "ignore",
    env: cleanEnvironment(),
  });
  const over = new AbortController();
  const ended = new Promise<NodeJS.Signals | null>((resolve) =>
    child.on("close", (_, signal) => resolve(signal)),
  );
  void ended.then(() => over.abort());
  await Promise.race([moment(over.signal), ended]);
  child.kill("SIGKILL");
  return (await ended) === "SIGKILL";
}

/** Completes the restore. @returns its time, ms */
async function complete(): Promise<number> {
  const begun = performance.now();
  const { code, stdout, stderr } = await runCli(restoreArgs);
  expect(`${code} ${stdout} ${stderr}`).toMatch(/^0 Restored the chain up to height 1,/);
  return performance.now() - begun;
}

/** Returns the state of the directory: not begun, incomplete or complete. */
async function state(): Promise<"unwritten" | "incomplete" | "complete"> {
  try {
    return isUnwritten(directory, network) ? "unwritten" : "complete";
  } catch (error) {
    expect(String(error)).toContain(REFUSED);
    await expect(openStore(directory, { network })).rejects.toThrow(REFUSED);
    return "incomplete";
  }
}

test(
  `a restore killed ${times} times is refused by name, resumes, and ends like an uninterrupted one`,
  async () => {
    const expected = await makeSnapshot();
    let duration = FIRST_DURATION_MS;
    const random = new SeededRandom(seed);
    const found = { unwritten: 0, incomplete: 0, complete: 0 };
    let kills = 0;
    let refusedStarts = 0;
    // More kills follow until one was in the middle.
    for (let round = 0; kills < times || (refusedStarts === 0 && round < 10 * times); round++) {
      mkdirSync(directory, { recursive: true });
      const wasKilled =
        round % 2 === 0
          ? await killedAt((over) => nextWrite(directory, 1 + random.below(MAX_WRITES), over))
          : await killedAt(() => delay(duration * (0.2 + random.below(800) / 1_000)));
      if (wasKilled) kills++;
      const now = await state();
      if (wasKilled) found[now]++;
      if (now === "incomplete" && (refusedStarts === 0 || random.chance(20))) {
        const { code, stderr } = await runCli(["start", "--data-dir", dataDir, "--api-port", "0"]);
        expect(`${code} ${stderr}`).toContain(`4 The directory ${directory} ${REFUSED}`);
        refusedStarts++;
      }
      if (now === "incomplete" && random.chance(AGAIN_PERCENTAGE)) continue;
      if (now !== "complete") duration = await complete();
      expect(await rowsOf(directory)).toBe(expected);
      removeFolder(dataDir);
    }
    expect(refusedStarts).toBeGreaterThan(0);
    if (process.env.SOAK_TIMES === undefined) return;
    console.log(
      `${kills} kills: ${found.unwritten} before the first write, ${found.incomplete} in the middle, ${found.complete} after the end; ` +
        `${refusedStarts} refused starts`,
    );
  },
  120_000 + times * 20_000,
);

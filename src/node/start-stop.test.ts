/** Stopping a real environment while it starts: at each step, on a new and on an existing data directory. */
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Settings } from "../config/settings.ts";
import { type Node, startNode } from "../node.ts";
import { dev } from "../profiles/index.ts";
import { LogLevels } from "../runtime/logging/log-levels.ts";
import { abortingAt } from "../testing/counted-signal.ts";
import { settingsOf } from "../testing/settings.ts";
import { silentLog } from "../testing/silent-log.ts";
import { loadWallet } from "../wallet/open.ts";
import { openNodeStore } from "./composition.ts";
import { createSystemEnvironment } from "./system-environment.ts";

const stopped = new Error("stopped");

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-start-stop-"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function settingsIn(name: string): Settings {
  const dataDir = join(folder, name);
  return settingsOf(dev, {
    dataDir,
    wallet: { file: join(dataDir, "wallet", "wallet.bin") },
    api: { enabled: false },
    forging: { feeVoteFile: join(dataDir, "fee-vote") },
  });
}

async function start(settings: Settings, signal: AbortSignal): Promise<Node> {
  const log = { log: silentLog, levels: LogLevels.of({ level: "off", areas: {} }) };
  const environment = await createSystemEnvironment(
    settings,
    log,
    { connections: 10, warning: undefined },
    signal,
  );
  return startNode(environment, settings, signal);
}

/** Returns what a stopped start left: nothing, or a chain that no process holds and a wallet. */
async function remains(settings: Settings): Promise<"nothing" | "chain and wallet"> {
  if (!existsSync(settings.dataDir)) return "nothing";
  const store = await openNodeStore(settings);
  await store.close();
  const wallet = await loadWallet(settings);
  expect(wallet?.accounts()).toHaveLength(1);
  await wallet?.close();
  expect(readdirSync(settings.dataDir).sort()).toEqual(["chain", "wallet"]);
  return "chain and wallet";
}

test("a start that is stopped at any step closes everything, and leaves no half-made files", async () => {
  const found: string[] = [];
  for (let at = 0; ; at++) {
    const { signal } = abortingAt(at, stopped);
    const settings = settingsIn(`new-${at}`);
    const node = await start(settings, signal).catch((error: unknown) => {
      expect(error).toBe(stopped);
      return undefined;
    });
    if (node !== undefined) {
      await node.stop();
      break;
    }
    found.push(await remains(settings));
    expect(at).toBeLessThan(20);
  }
  expect(found.indexOf("chain and wallet")).toBeGreaterThan(1);
  expect(found.lastIndexOf("nothing")).toBe(found.indexOf("chain and wallet") - 1);
  expect(found.length).toBeGreaterThan(4);
});

test("a node starts in a directory in which earlier starts were stopped", async () => {
  const settings = settingsIn("same");
  let stops = 0;
  for (let node: Node | undefined; node === undefined; stops++) {
    const { signal } = abortingAt(stops, stopped);
    node = await start(settings, signal).catch(() => undefined);
    expect(node?.chain.tip.height ?? 1).toBe(1);
    await node?.stop();
    expect(stops).toBeLessThan(20);
  }
  expect(stops).toBeGreaterThan(4);
});

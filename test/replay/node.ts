/** A whole node in this process on a virtual clock, with a recorded chain, against which recordings are replayed. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { type JsonOut, printJson } from "../../src/bytes/json.ts";
import { loadSettings } from "../../src/config/load.ts";
import type { Settings } from "../../src/config/settings.ts";
import { DELAYED_ANSWERS_TIMER } from "../../src/http/access/key-guesses.ts";
import type { Clock, Hosts, Log } from "../../src/interfaces.ts";
import { openNodeStore } from "../../src/node/composition.ts";
import { startApiInline } from "../../src/node/testing/api-inline.ts";
import { type Node, startNode } from "../../src/node.ts";
import { simulatedEnvironment } from "../../src/testing/simulated-environment.ts";
import { VirtualClock } from "../../src/testing/virtual-clock.ts";
import { openWallet } from "../../src/wallet/open.ts";
import type { ReplayTarget } from "./replay.ts";

/** Settings of the reference that a recording changes, in its notation: `lto.miner.enable = no`. */
function environmentOf(config: readonly string[]): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const line of config) {
    const [, path, value] = /^lto\.([\w.-]+) = (.*)$/.exec(line) ?? [];
    if (path === undefined || value === undefined) throw new Error(`unknown setting: ${line}`);
    const name = path
      .split(".")
      .map((part) => part.toUpperCase().replaceAll("-", "_"))
      .join("__");
    // Lists and quoted strings become plain ones.
    const text = value.replace(/^\[|\]$/g, "").replaceAll('"', "");
    // A null or an invalid hash removes a value.
    if (text !== "null" && text !== "-") variables[`CHAIN__${name}`] = text;
  }
  return variables;
}

export interface ReplayedNode extends ReplayTarget {
  readonly node: Node;
  readonly settings: Settings;
  readonly clock: Clock;
  stop(): Promise<void>;
}

/** Tests resolve no names. */
const hosts: Hosts = {
  async resolve(name) {
    if (name === "localhost") return ["127.0.0.1"];
    throw new Error(`${name} cannot be resolved in tests`);
  },
  own: () => [],
};

const silent: Log = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: (text, facts) => console.error(text, facts),
};

/**
 * The node's clock. Recordings send dozens of wrong keys, and the delay of their answers must not wait for time to
 * pass.
 */
function replayClock(clock: VirtualClock): Clock {
  return {
    now: () => clock.now(),
    system: () => clock.system(),
    monotonic: () => clock.monotonic(),
    after: (delayMs, task, name) => {
      if (name !== DELAYED_ANSWERS_TIMER) return clock.after(delayMs, task);
      const timer = setImmediate(task);
      return () => clearImmediate(timer);
    },
  };
}

/**
 * Starts a node.
 * @param custom parameters of the chain
 * @param config changed settings in the notation of recordings
 * @param now initial time of the node's clock, ms
 */
export async function startReplayedNode(options: {
  readonly custom: JsonOut;
  readonly config: readonly string[];
  readonly environment: Record<string, string>;
  readonly now: number;
}): Promise<ReplayedNode> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-replay-"));
  const genesis = join(folder, "genesis.json");
  writeFileSync(genesis, printJson(options.custom));
  const { settings } = loadSettings({
    flags: new Map(),
    environment: {
      HOLDFAST_GENESIS: genesis,
      HOLDFAST_DATA_DIR: join(folder, "data"),
      HOLDFAST_API_PORT: "0",
      CHAIN__INDEX_ALL_TRANSACTIONS: "yes",
      CHAIN__MAX_ROLLBACK_DEPTH: "1000000",
      ...options.environment,
      ...environmentOf(options.config),
    },
  });
  const clock = new VirtualClock(options.now);
  let node: Node;
  try {
    const store = await openNodeStore(settings);
    const wallet = await openWallet(settings);
    const http = settings.api ? startApiInline() : undefined;
    const close = async () => {
      await wallet.close();
      await store.close();
    };
    node = await startNode(
      {
        ...simulatedEnvironment({ clock: replayClock(clock), store, wallet, hosts, log: silent, http }),
        close,
      },
      settings,
    );
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  return {
    node,
    settings,
    clock: replayClock(clock),
    url: String(node.url),
    pass: async (ms) => {
      clock.advance(ms);
      await turn();
    },
    stop: async () => {
      await node.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

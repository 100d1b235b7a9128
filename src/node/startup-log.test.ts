import { expect, test } from "vitest";
import { encodeBase58 } from "../bytes/base58.ts";
import { removeUnchecked, writeUnchecked } from "../chain/reading/unchecked.ts";
import { loadSettings } from "../config/load.ts";
import { createNode } from "../node.ts";
import { memoryStore } from "../storage/memory-store.ts";
import { keyPairOf } from "../testing/dev-node.ts";
import { silentLog } from "../testing/silent-log.ts";
import { simulatedEnvironment } from "../testing/simulated-environment.ts";
import { VirtualClock } from "../testing/virtual-clock.ts";
import { fixedWallet } from "../wallet/fixed-wallet.ts";
import { logStartup } from "./startup-log.ts";

/** Returns the log of a start with these settings. */
function said(settings: Record<string, string | boolean>, store = memoryStore()): string[] {
  const { settings: loaded } = loadSettings({
    flags: new Map(Object.entries(settings)),
    environment: {},
    home: "/home",
  });
  const lines: string[] = [];
  const say = (line: string) => lines.push(line);
  const log = { ...silentLog, info: say, warn: say };
  const wallet = fixedWallet([keyPairOf("nobody")], loaded.profile.chainId);
  const node = createNode(simulatedEnvironment({ clock: new VirtualClock(0), wallet, store, log }), loaded);
  lines.length = 0;
  logStartup(node);
  return lines;
}

const aboutPeers = (settings: Record<string, string | boolean>) =>
  said(settings).filter((line) => /node|peer|P2P/.test(line));

test("logs the nodes to connect to", () => {
  expect(aboutPeers({ network: "mainnet" })).toEqual([
    expect.stringMatching(
      /^Connecting to \d+ known nodes: \S+:6868, \S+:6868, \S+:6868 and \d+ more; nodes of \/home\/.holdfast\/mainnet\/peers.dat are tried too$/,
    ),
  ]);
  expect(aboutPeers({ network: "testnet", peers: "10.0.0.1:1", "peers-file": "none" })).toEqual([
    "Connecting to 1 known node: 10.0.0.1:1",
  ]);
  expect(aboutPeers({ network: "testnet", peers: "", "peers-file": "none" })).toEqual([
    "No other nodes are configured: add some with --peers",
  ]);
  expect(aboutPeers({ network: "testnet", p2p: false })).toEqual(["P2P is disabled (--no-p2p)"]);
  expect(aboutPeers({})).toEqual([]);
});

test("warns that signatures before the block of assume-valid are not checked", () => {
  const assumptions = (settings: Record<string, string>) =>
    said(settings).filter((line) => /assume-valid/.test(line));
  expect(assumptions({})).toEqual([]);
  const id = encodeBase58(new Uint8Array(64).fill(1));
  expect(assumptions({ "assume-valid": id })).toEqual([
    `Signatures of transactions before block ${id} are not checked if a peer's chain leads to it (--assume-valid)`,
  ]);
});

test("warns of blocks whose signatures were not checked, until they are", () => {
  const store = memoryStore();
  const warnings = () => said({}, store).filter((line) => /Signatures/.test(line));
  expect(warnings()).toEqual([]);
  store.write((batch) => writeUnchecked(batch, { from: 1, to: 1 }));
  expect(warnings()).toEqual([
    "Signatures of blocks 1 to 1 were not checked (--assume-valid): `holdfast verify --signatures` checks them",
  ]);
  store.write(removeUnchecked);
  expect(warnings()).toEqual([]);
});

test("logs the balance in tokens", () => {
  expect(said({})).toContainEqual(expect.stringMatching(/^Wallet account \w{35}, balance 0 tokens$/));
});

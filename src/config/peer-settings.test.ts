/** Settings of other nodes. Page 04 §3, §4.1, §23.1, §23.2. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { formatPeerAddress } from "../peers/peer-address.ts";
import { devSettings } from "../profiles/index.ts";
import { SettingsError } from "./errors.ts";
import { loadSettings } from "./load.ts";
import { settingsYaml } from "./show.ts";

const MINUTE = 60_000;
const DAY = 86_400_000;

let folder: string;
let genesis: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-peer-settings-"));
  genesis = join(folder, "genesis.json");
  writeFileSync(genesis, devSettings);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Flags = Record<string, string | boolean>;

function load(flags: Flags = {}, environment: Record<string, string> = {}, config?: string) {
  return loadSettings({ flags: new Map(Object.entries(flags)), environment, home: "/home/someone", config });
}

const peers = (flags: Flags = {}, environment: Record<string, string> = {}) =>
  load(flags, environment).settings.peers;
const connections = (flags: Flags = {}, environment: Record<string, string> = {}) =>
  peers(flags, environment)?.connections;

function problems(flags: Flags, environment: Record<string, string> = {}): readonly string[] {
  try {
    load(flags, environment);
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
  throw new Error("These settings were accepted");
}

describe("defaults", () => {
  test("disable P2P on dev", () => {
    expect(peers()).toBeUndefined();
  });

  test("are those of the protocol on a custom network", () => {
    expect(peers({ genesis })).toEqual({
      connections: {
        listen: undefined,
        declaredAddress: undefined,
        nodeName: undefined,
        nonce: undefined,
        knownPeers: [],
        peersFile: "/home/someone/.holdfast/custom/peers.dat",
        knownPeerMs: DAY,
        blacklistMs: 15 * MINUTE,
        suspensionMs: MINUTE,
        idleTimeoutMs: 5 * MINUTE,
        dialTimeoutMs: 30_000,
        handshakeTimeoutMs: 30_000,
        peerRequestIntervalMs: 2 * MINUTE,
        rememberTransactionsMs: 3 * MINUTE,
        maxInbound: 30,
        maxOutbound: 30,
        maxInboundOfHost: 3,
        maxUnverified: 100,
        exchange: true,
        blacklisting: true,
        quietWhenSent: [23, 25],
        quietWhenReceived: [25],
      },
      sync: {
        maxRollback: 100,
        maxChainLength: 101,
        timeoutMs: MINUTE,
        invalidBlocksMs: DAY,
        microBlockCache: 50,
        blockCache: 20,
      },
      gossip: { rememberedTransactions: 1_000_000, rememberMs: 10_000, batchSize: 500, batchMs: 100 },
      microBlocks: { responseTimeoutMs: 2_000, processedMs: 3 * MINUTE, announcementMs: 45_000 },
    });
  });

  test("include the bootstrap nodes of the public networks", () => {
    const known = (network: string) => connections({ network })?.knownPeers.map(formatPeerAddress);
    expect(known("mainnet")).toEqual([
      "bs1.lto.network:6868",
      "bs2.lto.network:6868",
      "bs3.lto.network:6868",
      "node.ltoblockchainnode.com:6868",
      "node.ltonod.es:6868",
      "zolnode.basta.pro:6868",
    ]);
    expect(known("testnet")).toEqual([
      "bs1.testnet.lto.network:6863",
      "bs2.testnet.lto.network:6863",
      "bs3.testnet.lto.network:6863",
    ]);
    expect(connections({ network: "mainnet" })?.blacklistMs).toBe(15 * MINUTE);
    expect(connections({ network: "testnet" })?.blacklistMs).toBe(30 * MINUTE);
  });
});

describe("P2P", () => {
  test.each<[string, Flags, Record<string, string>]>([
    ["a peer", { peers: "127.0.0.1:6863" }, {}],
    ["a declared address", { "declared-address": "127.0.0.1:6863" }, {}],
    ["a port", { "p2p-port": "0" }, {}],
    ["a host", {}, { HOLDFAST_P2P_HOST: "127.0.0.1" }],
    ["the switch", { p2p: true }, {}],
    ["the reference's name", {}, { LTO__NETWORK__KNOWN_PEERS: "127.0.0.1:6863" }],
  ])("on dev is asked by %s", (_, flags, environment) => {
    expect(peers(flags, environment)).toBeDefined();
  });

  test("is disabled on request, whatever else is set", () => {
    expect(peers({ p2p: false, peers: "127.0.0.1:6863" })).toBeUndefined();
    expect(peers({ network: "mainnet" }, { HOLDFAST_NO_P2P: "yes" })).toBeUndefined();
  });
});

describe("the P2P address", () => {
  const listen = (flags: Flags) => connections(flags)?.listen;

  test("is absent unless an address is declared", () => {
    expect(listen({ network: "mainnet" })).toBeUndefined();
    expect(listen({ network: "mainnet", "declared-address": "203.0.113.7:7000" })).toEqual({
      host: "0.0.0.0",
      port: 6868,
    });
    expect(listen({ network: "testnet", "declared-address": "example.org:6863" })).toEqual({
      host: "0.0.0.0",
      port: 6863,
    });
    expect(listen({ genesis, "declared-address": "203.0.113.7:7000" })).toEqual({
      host: "0.0.0.0",
      port: 6863,
    });
    expect(connections({}, { LTO_DECLARED_ADDRESS: "203.0.113.7:7000" })?.declaredAddress).toEqual({
      host: "203.0.113.7",
      port: 7000,
    });
  });

  test("is used if a host or port is given", () => {
    expect(listen({ genesis, "p2p-port": "0" })).toEqual({ host: "0.0.0.0", port: 0 });
    expect(listen({ network: "mainnet", "p2p-host": "10.0.0.1" })).toEqual({ host: "10.0.0.1", port: 6868 });
    expect(listen({ genesis, "p2p-host": "::1", "p2p-port": "7", "declared-address": "[::1]:8" })).toEqual({
      host: "::1",
      port: 7,
    });
  });

  test("is loopback on dev by default", () => {
    expect(listen({ "p2p-port": "7000" })).toEqual({ host: "127.0.0.1", port: 7000 });
    expect(listen({ "p2p-host": "0.0.0.0" })).toEqual({ host: "0.0.0.0", port: 6863 });
  });
});

test("known nodes have the default port 6863 on every network", () => {
  const given = { network: "mainnet", peers: "bs9.lto.network, 203.0.113.7:1,[2001:db8::1]" };
  expect(connections(given)?.knownPeers.map(formatPeerAddress)).toEqual([
    "bs9.lto.network:6863",
    "203.0.113.7:1",
    "[2001:db8::1]:6863",
  ]);
  expect(connections({ network: "mainnet", peers: "" })?.knownPeers).toEqual([]);
});

test("the file of known nodes may be disabled", () => {
  expect(connections({ genesis, "peers-file": "none" })?.peersFile).toBeUndefined();
  expect(connections({ genesis }, { LTO__NETWORK__FILE: "null" })?.peersFile).toBeUndefined();
  expect(connections({ genesis, "peers-file": "/tmp/peers" })?.peersFile).toBe("/tmp/peers");
});

test("the nonce has 64 bits; a large one is quoted in a file", () => {
  expect(connections({ genesis, nonce: "-9223372036854775808" })?.nonce).toBe(-(2n ** 63n));
  const config = join(folder, "nonce.yaml");
  writeFileSync(config, `nonce: "9223372036854775807"\n`);
  expect(load({ genesis }, {}, config).settings.peers?.connections.nonce).toBe(2n ** 63n - 1n);
  writeFileSync(config, `nonce: 9223372036854775807\n`);
  expect(() => load({ genesis }, {}, config)).toThrow(/64-bit/);
});

test("every name of the reference reaches its setting", () => {
  const names: Record<string, string> = {
    BIND_ADDRESS: "127.0.0.1",
    PORT: "1",
    NODE_NAME: "n",
    NONCE: "2",
    BLACK_LIST_RESIDENCE_TIME: "4s",
    SUSPENSION_RESIDENCE_TIME: "5s",
    MAX_INBOUND_CONNECTIONS: "11",
    MAX_OUTBOUND_CONNECTIONS: "0",
    MAX_SINGLE_HOST_CONNECTIONS: "13",
    ENABLE_PEERS_EXCHANGE: "no",
    ENABLE_BLACKLISTING: "off",
  };
  const sync: Record<string, string> = {
    MAX_ROLLBACK: "14",
  };
  const environment = Object.fromEntries([
    ...Object.entries(names).map(([name, value]) => [`LTO__NETWORK__${name}`, value]),
    ...Object.entries(sync).map(([name, value]) => [`LTO__SYNCHRONIZATION__${name}`, value]),
  ]);
  const { settings } = load({ genesis }, environment);
  expect(settings.warnings).toEqual([]);
  expect(settings.peers).toMatchObject({
    connections: {
      listen: { host: "127.0.0.1", port: 1 },
      nodeName: "n",
      nonce: 2n,
      blacklistMs: 4_000,
      suspensionMs: 5_000,
      maxInbound: 11,
      maxOutbound: 0,
      maxInboundOfHost: 13,
      exchange: false,
      blacklisting: false,
    },
    sync: { maxRollback: 14 },
  });
});

test("warns about settings that are constants here, under all their names", () => {
  const paths = [
    "network.peers-data-residence-time",
    "network.peers-broadcast-interval",
    "network.received-txs-cache-timeout",
    "network.max-unverified-peers",
    "network.break-idle-connections-timeout",
    "network.connection-timeout",
    "network.handshake-timeout",
    "network.traffic-logger.ignore-tx-messages",
    "network.traffic-logger.ignore-rx-messages",
    "miner.fee-vote-watch-interval",
    "miner.minimal-block-generation-offset",
    "miner.min-micro-block-age",
    "miner.max-transactions-in-micro-block",
    "synchronization.synchronization-timeout",
    "synchronization.max-chain-length",
    "synchronization.invalid-blocks-storage.timeout",
    "synchronization.history-replier.max-micro-block-cache-size",
    "synchronization.history-replier.max-block-cache-size",
    "synchronization.utx-synchronizer.network-tx-cache-size",
    "synchronization.utx-synchronizer.network-tx-cache-time",
    "synchronization.utx-synchronizer.max-buffer-size",
    "synchronization.utx-synchronizer.max-buffer-time",
    "synchronization.micro-block-synchronizer.wait-response-timeout",
    "synchronization.micro-block-synchronizer.processed-micro-blocks-cache-timeout",
    "synchronization.micro-block-synchronizer.inv-cache-timeout",
  ];
  const config = join(folder, "constants.conf");
  writeFileSync(
    config,
    [...paths.map((path) => `lto.${path} = 1`), "holdfast.tx-buffer-size = 1"].join("\n"),
  );
  const { settings } = load({ genesis }, {}, config);
  expect(settings.peers).toEqual(peers({ genesis }));
  expect(settings.warnings).toHaveLength(paths.length + 1);
  for (const path of paths)
    expect(settings.warnings.join("\n")).toMatch(
      new RegExp(`^lto\\.${path} in .* has no effect: it is always`, "m"),
    );
  expect(settings.warnings.join("\n")).toMatch(
    /^lto\.synchronization\.utx-synchronizer\.max-buffer-size in .*constants\.conf:21 has no effect: it is always 500$/m,
  );
  const yaml = join(folder, "constants.yaml");
  writeFileSync(yaml, "inv-cache-timeout: 1s\n");
  const { warnings } = load({ genesis }, { HOLDFAST_TX_BUFFER_TIME: "1s" }, yaml).settings;
  expect(warnings).toEqual([
    "HOLDFAST_TX_BUFFER_TIME has no effect: it is always 100ms",
    `inv-cache-timeout in ${yaml}:1 has no effect: it is always 45s`,
  ]);
});

test("warns about settings of features that this node does not have", () => {
  const { warnings } = load(
    { genesis },
    {
      LTO__NETWORK__UPNP__ENABLE: "yes",
      LTO__SYNCHRONIZATION__SCORE_TTL: "90s",
      LTO__SYNCHRONIZATION__INVALID_BLOCKS_STORAGE__MAX_SIZE: "1",
    },
  ).settings;
  expect(warnings.join("\n")).toMatch(/UPNP__ENABLE has no effect: .*forward the P2P port/);
  expect(warnings.join("\n")).toMatch(/SCORE_TTL has no effect/);
  expect(warnings.join("\n")).toMatch(/MAX_SIZE has no effect/);
  expect(warnings).toHaveLength(3);
});

describe("refuses with the name used", () => {
  test.each<[string, Flags, string | RegExp]>([
    [
      "a name of 128 bytes",
      { "node-name": `${"ю".repeat(63)}ab` },
      "--node-name: requirement failed: Node name should have length less than 127 bytes",
    ],
    [
      "a declared address without a port",
      { "declared-address": "203.0.113.7" },
      /^--declared-address: Missing port in /,
    ],
    [
      "a peer that is no address",
      { peers: "one two" },
      /^--peers: Invalid host in "one two": use a host name or an IP address/,
    ],
    [
      "an impossible port",
      { peers: "a:1,b:65536" },
      /^--peers: Invalid port in "b:65536": use a number from 1 to 65535/,
    ],
    ["a port", { "p2p-port": "65536" }, /^--p2p-port: expected a port/],
    ["more ids than others take", { "sync-max-rollback": "201" }, /^--sync-max-rollback: .*1 to 200/],
    ["a nonce beyond 64 bits", { nonce: "9223372036854775808" }, /^--nonce: .*64-bit/],
    [
      "to replace more blocks than are kept",
      { network: "mainnet", "rollback-depth": "100", "sync-max-rollback": "150" },
      /^--sync-max-rollback: must be at most 100,/,
    ],
  ])("%s", (_, flags, message) => {
    const [problem, ...rest] = problems(flags);
    expect(rest).toEqual([]);
    if (typeof message === "string") expect(problem).toBe(message);
    else expect(problem).toMatch(message);
  });

  test("accepts a name of 127 bytes", () => {
    expect(load({ "node-name": `${"ю".repeat(63)}a` }).settings.nodeName).toHaveLength(64);
  });
});

test("round-trip through a settings file", () => {
  const first = load({
    genesis,
    peers: "a.example.org:1,[::1]:2",
    nonce: "9223372036854775807",
    "declared-address": "203.0.113.7:6868",
  });
  const config = join(folder, "again.yaml");
  writeFileSync(config, settingsYaml(first));
  expect(load({}, {}, config).settings.peers).toEqual(first.settings.peers);
  // A default alone does not make the node listen.
  writeFileSync(config, settingsYaml(load({ genesis })));
  expect(load({}, {}, config).settings.peers?.connections.listen).toBeUndefined();
});

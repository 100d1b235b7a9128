// biome-ignore-all lint/suspicious/noTemplateCurlyInString: substitutions of HOCON are written so.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { decodeBase58, encodeBase58 } from "../../bytes/base58.ts";
import { addressText } from "../../crypto/addresses.ts";
import { devSettings } from "../../profiles/index.ts";
import { SettingsError } from "../errors.ts";
import { loadSettings } from "../load.ts";
import { settingsYaml } from "../show.ts";

const blockId = encodeBase58(new Uint8Array(64).fill(1));
const sender = "3N3pCgpW1cB1Ns56yjPFmXfBSUjNZ1cYroE";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-reference-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

function load(text: string, environment: NodeJS.ProcessEnv = {}, flags: Record<string, string> = {}) {
  return loadSettings({
    config: file("lto-test.conf", text),
    environment,
    flags: new Map(Object.entries(flags)),
    home: "/home/someone",
  });
}

function settings(text: string, environment: NodeJS.ProcessEnv = {}, flags: Record<string, string> = {}) {
  return load(text, environment, flags).settings;
}

function problems(text: string): string {
  try {
    load(text);
  } catch (error) {
    if (error instanceof SettingsError) return error.problems.join("\n").replaceAll(`${folder}/`, "");
    throw error;
  }
  throw new Error("This file was accepted");
}

/** A file of a public node, with every form of the shipped files. */
const operators = `# Settings of a node
lto {
  directory = "/srv/lto"
  // Limits
  max-rollback-depth = 3000
  max-cache-size = 100000

  network {
    known-peers = [
      "192.0.2.1:6863"
      "192.0.2.2",
      "node.example.org:6863",
    ]
    bind-address = "0.0.0.0"
    port = 6899
    node-name = my-node
    nonce = 12
    declared-address = "192.0.2.3:6863"
    black-list-residence-time = 30 minutes
    connection-timeout = 5s
    file = null
    upnp { enable = yes, gateway-timeout = 7s }
    traffic-logger.ignore-tx-messages = [23, 25] # blocks
  }
  wallet { password = "correct horse", seed = "3csAg9" }
  blockchain.type = TESTNET
  matcher { enable = no, port = 6886 }
  rest-api {
    enable = on
    bind-address = "127.0.0.1"
    port : 7000
    api-key-hash = "-"
    cors = no
  }
  checkpoints { blocks = [ { height = 5, signature = "${blockId}" } ] }
  features { supported = [14, 15], auto-shutdown-on-unsupported-feature = no }
  miner { enable = false, quorum = 2, fee-vote-file = \${lto.directory}"/votes" }
  utx.blacklist-sender-addresses += "${sender}"
}
kamon.influxdb.hostname = "127.0.0.1"

include "local.conf"
`;

test("a file of the reference sets the same values", () => {
  const loaded = settings(operators);
  expect(loaded).toMatchObject({
    network: "testnet",
    dataDir: "/srv/lto",
    chain: {
      rollbackDepth: 3_000,
      stopOnUnsupportedFeature: false,
      checkpoints: [{ height: 5, id: new Uint8Array(64).fill(1) }],
    },
    nodeName: "my-node",
    api: {
      enabled: true,
      port: 7_000,
      apiKeyHash: undefined,
      cors: false,
    },
    forging: {
      enabled: false,
      quorum: 2,
      features: [14, 15],
      feeVoteFile: "/srv/lto/votes",
    },
    wallet: {
      file: "/srv/lto/wallet/wallet.bin",
    },
  });
  expect(loaded.wallet.seed?.reveal()).toEqual(decodeBase58("3csAg9", 100));
  expect(loaded.pool.blacklist.map(addressText)).toEqual([sender]);
  expect(loaded.shown).toMatchObject({
    peers: ["192.0.2.1:6863", "192.0.2.2:6863", "node.example.org:6863"],
    "p2p-port": 6_899,
    nonce: 12,
    "peers-file": "none",
    "black-list-residence-time": "30m",
  });
  expect(loaded.warnings.map((text) => text.replaceAll(`${folder}/`, ""))).toEqual([
    "lto.max-cache-size in lto-test.conf:6 has no effect: cache sizes are fixed",
    "lto.network.connection-timeout in lto-test.conf:20 has no effect: it is always 30s",
    expect.stringMatching(/^lto\.network\.upnp in lto-test\.conf:\d+ has no effect: this node has no UPnP/),
    expect.stringMatching(
      /^lto\.network\.traffic-logger\.ignore-tx-messages in lto-test\.conf:\d+ has no effect: it is/,
    ),
    expect.stringMatching(
      /^lto\.matcher in lto-test\.conf:\d+ has no effect: the protocol no longer has an exchange/,
    ),
    expect.stringMatching(/^kamon in lto-test\.conf:\d+ has no effect: this node sends no metrics/),
  ]);
});

test("settings are shown with their lines, secrets are hidden", () => {
  const shown = settingsYaml(load(operators));
  expect(shown).toMatch(/^api-port: 7000 {2}# lto\.rest-api\.port in .*lto-test\.conf:\d+$/m);
  expect(shown).not.toMatch(/correct horse|3csAg9/);
});

test("an included file wins; flags and variables beat both", () => {
  file("local.conf", 'lto.rest-api.port = 7001\nlto.wallet.password = "another"\n');
  expect(settings(operators).api.port).toBe(7_001);
  expect(settings(operators).wallet.password?.reveal()).toBe("another");
  expect(settings(operators, { LTO__REST_API__PORT: "7002" }).api.port).toBe(7_002);
  expect(settings(operators, {}, { "api-port": "7003" }).api.port).toBe(7_003);
  rmSync(join(folder, "local.conf"));
});

test("our own settings are below holdfast", () => {
  const text = `my.port = 7100
holdfast {
  log-format = text
  api-port = \${my.port}
  pool-max-bytes = 64 MiB
  trust-network { root { issues = [{ type = 100, role = university }] }, university { sponsored = true } }
}`;
  const loaded = settings(text);
  expect(loaded).toMatchObject({
    logFormat: "text",
    api: { port: 7_100 },
    pool: { maxBytes: 2 ** 26 },
    warnings: [],
  });
  expect([...loaded.index.trustNetwork.keys()]).toEqual(["root", "university"]);
});

test("a custom network is described in the file itself", () => {
  const custom = (type: string) => `lto { blockchain { type = ${type}, custom = ${devSettings} } }`;
  const { profile, shown } = settings(custom("CUSTOM"));
  expect(profile).toMatchObject({ name: "custom", networkName: "LTO" });
  expect(shown.genesis).toBe("(described in the settings file)");
  const { network, warnings } = settings(custom("TESTNET"));
  expect(network).toBe("testnet");
  expect(warnings.join("\n")).toMatch(/^lto\.blockchain\.custom in .*:1 has no effect: .*is not CUSTOM$/m);
  expect(problems("lto.blockchain { type = CUSTOM, custom { genesis {} } }")).toMatch(
    /^lto\.blockchain\.custom in lto-test\.conf:1: address-scheme-character is missing$/,
  );
});

test("substitutions know the properties of the reference's program", () => {
  expect(settings('lto.miner.fee-vote-file = ${user.home}"/a"').forging.feeVoteFile).toBe(
    join(homedir(), "a"),
  );
  expect(settings("lto.miner.fee-vote-file = ${lto.directory}/b").forging.feeVoteFile).toBe(
    join(homedir(), "lto/b"),
  );
  expect(settings("lto.rest-api.port = ${?PORT_OF_TEST}", { PORT_OF_TEST: "7200" }).api.port).toBe(7_200);
  expect(settings("lto.rest-api.port = ${?PORT_OF_TEST}").api.port).toBe(6_869);
});

describe("refused", () => {
  test.each([
    [
      "an unknown setting, with the nearest",
      "lto {\n rest-api.prot = 1\n}",
      "lto.rest-api.prot in lto-test.conf:2: there is no such setting; did you mean lto.rest-api.port?",
    ],
    ["one that is near to none", "lto.a.b.c = 1", "lto.a.b.c in lto-test.conf:1: there is no such setting"],
    [
      "an unknown one of ours",
      "holdfast.api-prot = 1",
      "holdfast.api-prot in lto-test.conf:1: there is no such setting; did you mean api-port?",
    ],
    [
      "an impossible value",
      "lto.rest-api.port = high",
      'lto.rest-api.port in lto-test.conf:1: expected a port from 0 to 65535, got "high"',
    ],
    [
      "a secret, unseen",
      "lto.wallet.seed = 0OIl",
      "lto.wallet.seed in lto-test.conf:1: expected Base58 text (the value given is not shown)",
    ],
    [
      "a section as a value",
      "lto.rest-api.port { a = 1 }",
      'lto.rest-api.port in lto-test.conf:1: expected a port from 0 to 65535, got {"a":1}',
    ],
    ["what cannot be read", "lto {", "lto-test.conf:1: unclosed brace"],
  ])("%s", (_, text, message) => expect(problems(text)).toBe(message));

  test("a file that is not there", () => {
    const missing = () =>
      loadSettings({ flags: new Map(), environment: {}, config: "/nowhere.conf", home: "/h" });
    expect(missing).toThrow(/^\/nowhere\.conf: cannot read the settings file: ENOENT/);
  });
});

test("accepts keys that substitutions use, and warns about other unknown sections", () => {
  expect(settings("lto { base = 70, rest-api.port = ${lto.base}05 }").api.port).toBe(7_005);
  expect(settings("ltoo.rest-api.port = 1").warnings.join()).toMatch(
    /ltoo in .*lto-test\.conf:1 has no effect: there is no such section; did you mean lto\?/,
  );
});

describe("the container's variables", () => {
  const plain = (environment: NodeJS.ProcessEnv) =>
    loadSettings({ flags: new Map(), environment, home: "/h" }).settings;

  test("name the file", () => {
    const path = file("lto-config.conf", "lto.rest-api.port = 7300");
    expect(plain({ LTO_CONFIG_FILE: path })).toMatchObject({ api: { port: 7_300 }, warnings: [] });
    expect(plain({ CHAIN_CONFIG_FILE: path }).api.port).toBe(7_300);
    expect(plain({ CHAIN_CONFIG_FILE: "/nowhere.conf", HOLDFAST_CONFIG: path }).api.port).toBe(7_300);
  });

  test("give lists item by item", () => {
    const { shown } = plain({
      LTO__NETWORK__KNOWN_PEERS__1: "192.0.2.2:1",
      LTO__NETWORK__KNOWN_PEERS__0: "192.0.2.1:1",
      LTO__BLOCKCHAIN__TYPE: "TESTNET",
    });
    expect(shown).toMatchObject({ network: "testnet", peers: ["192.0.2.1:1", "192.0.2.2:1"] });
  });

  test("without effect cause a warning with the nearest name", () => {
    const { warnings } = plain({
      COINMARKETCAP_API_KEY: "k",
      LTO_ENABLE_REST_APPI: "yes",
      LTO__REST_API__PROT: "1",
    });
    expect(warnings).toEqual([
      expect.stringMatching(/^COINMARKETCAP_API_KEY has no effect: this node does not fetch prices/),
      "LTO_ENABLE_REST_APPI has no effect: there is no such setting; did you mean LTO_ENABLE_REST_API?",
      "LTO__REST_API__PROT has no effect: this node has no setting rest-api.prot; did you mean rest-api.port?",
    ]);
  });
});

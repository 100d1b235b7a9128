import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { decodeBase58, encodeBase58 } from "../bytes/base58.ts";
import { printJson } from "../bytes/json.ts";
import { encodeUtf8 } from "../bytes/utf8.ts";
import { addressText } from "../crypto/addresses.ts";
import { secureHash } from "../crypto/hashes.ts";
import { devSettings } from "../profiles/index.ts";
import { SettingsError } from "./errors.ts";
import { loadSettings } from "./load.ts";
import { settingsYaml } from "./show.ts";
import { allSettings, holdfastName, isSwitch } from "./sources/settings-by-name.ts";

const blockId = encodeBase58(new Uint8Array(64).fill(1));

let folder: string;
let genesis: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-config-"));
  genesis = file("genesis.json", devSettings.replace('"name": "LTO"', '"name": "My Net"'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

interface Given {
  flags?: Record<string, string | boolean>;
  env?: Record<string, string>;
  yaml?: string;
}

let files = 0;

function load({ flags = {}, env = {}, yaml }: Given = {}) {
  const config = yaml === undefined ? undefined : file(`settings-${files++}.yaml`, yaml);
  return loadSettings({
    flags: new Map(Object.entries(flags)),
    environment: env,
    home: "/home/someone",
    ...(config === undefined ? {} : { config }),
  });
}

function settings(given: Given = {}) {
  return load(given).settings;
}

function problems(given: Given): readonly string[] {
  try {
    load(given);
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
  throw new Error("These settings were accepted");
}

describe("defaults", () => {
  test("are the dev network with the interface on loopback, and forging", () => {
    const { profile, ...rest } = settings();
    expect(profile.name).toBe("dev");
    expect(rest).toMatchObject({
      network: "dev",
      dataDir: "/home/someone/.holdfast/dev",
      wallet: {
        file: "/home/someone/.holdfast/dev/wallet/wallet.bin",
        seed: undefined,
      },
      forging: {
        feeVoteFile: "/home/someone/.holdfast/dev/fee-vote",
        enabled: true,
        microBlockIntervalMs: 100,
        intervalAfterLastBlockMs: undefined,
      },
      api: {
        enabled: true,
        host: "127.0.0.1",
        port: 6869,
        apiKeyHash: undefined,
      },
      chain: {
        rollbackDepth: 1_000_000,
      },
      pool: {
        maxTransactions: 100_000,
        maxAgeMs: 5_400_000,
      },
      index: {
        indexAll: true,
      },
      warnings: [],
    });
  });

  test("depend on the network", () => {
    expect(settings({ flags: { network: "mainnet" } })).toMatchObject({
      dataDir: "/home/someone/.holdfast/mainnet",
      api: {
        enabled: false,
      },
      forging: {
        microBlockIntervalMs: 5_000,
        intervalAfterLastBlockMs: 30 * 86_400_000,
      },
      chain: {
        rollbackDepth: 2_000,
      },
      index: {
        indexAll: false,
      },
    });
    expect(settings({ flags: { network: "TESTNET" } })).toMatchObject({
      network: "testnet",
      api: {
        enabled: true,
      },
      chain: {
        checkpointKey: undefined,
      },
    });
    const { checkpointKey } = settings({ flags: { network: "mainnet" } }).chain;
    expect(checkpointKey && encodeBase58(checkpointKey)).toBe("4S3nfAPBRJcqHs41gb88fDfFUwbPR4NmYuCch1V8wY7d");
    const custom = settings({ flags: { genesis } });
    expect(custom).toMatchObject({ network: "custom", api: { enabled: true, host: "127.0.0.1" } });
    expect(custom.profile.networkName).toBe("My Net");
  });
});

describe("precedence", () => {
  const all: Given = {
    flags: { "node-name": "flag" },
    env: { HOLDFAST_NODE_NAME: "holdfast", LTO_NODE_NAME: "lto", CHAIN_NODE_NAME: "chain" },
    yaml: "node-name: file\n",
  };

  test("flags beat HOLDFAST_, then the network's prefix, CHAIN_, the file", () => {
    const env: Record<string, string> = { ...all.env };
    expect(settings(all).nodeName).toBe("flag");
    expect(settings({ ...all, flags: {}, env }).nodeName).toBe("holdfast");
    delete env.HOLDFAST_NODE_NAME;
    expect(settings({ ...all, flags: {}, env }).nodeName).toBe("lto");
    delete env.LTO_NODE_NAME;
    expect(settings({ ...all, flags: {}, env }).nodeName).toBe("chain");
    delete env.CHAIN_NODE_NAME;
    expect(settings({ ...all, flags: {}, env }).nodeName).toBe("file");
    expect(settings().nodeName).toBeUndefined();
  });

  test("CHAIN_ beats the indexer's variables, which beat the file", () => {
    const yaml = "auth-token: file\n";
    const token = (env: Record<string, string>) => settings({ env, yaml }).api.authToken?.reveal();
    expect(token({ AUTH_TOKEN: "plain", CHAIN_AUTH_TOKEN: "chain" })).toBe("chain");
    expect(token({ AUTH_TOKEN: "plain" })).toBe("plain");
    expect(settings({ env: { PORT: "7100" } }).api.port).toBe(7100);
    expect(token({})).toBe("file");
  });

  test("the newer name of a variable beats the older one", () => {
    const identities = (env: Record<string, string>) => settings({ env }).index.identities;
    expect(identities({})).toBe(true);
    expect(identities({ IDENTITY_INDEXING: "false" })).toBe(false);
    expect(identities({ IDENTITY_INDEXING: "false", DID_INDEXING: "true" })).toBe(true);
    expect(identities({ IDENTITY_INDEXING: "false", DID_INDEXING: "" })).toBe(false);
  });

  test("an empty variable counts as absent", () => {
    expect(
      settings({ env: { HOLDFAST_NODE_NAME: "", LTO_API_KEY: "", CHAIN_NODE_NAME: "x" } }),
    ).toMatchObject({
      nodeName: "x",
      api: {
        apiKeyHash: undefined,
      },
    });
  });

  test("a weaker value must be valid too", () => {
    expect(problems({ flags: { "api-port": "1" }, yaml: "api-port: high\n" })[0]).toMatch(
      /^api-port in .*\.yaml:1: expected a port from 0 to 65535, got "high"$/,
    );
  });

  test("a custom network has its own prefix", () => {
    const env = { MY_NET_NODE_NAME: "own", LTO_NODE_NAME: "other", CHAIN_NODE_NAME: "chain" };
    expect(settings({ env, flags: { genesis } }).nodeName).toBe("own");
    expect(settings({ env: { MY_NET_NETWORK: "custom" }, flags: { genesis } }).network).toBe("custom");
    expect(problems({ env: { MY_NET_NETWORK: "testnet" }, flags: { genesis } })).toEqual([
      "MY_NET_NETWORK: names another network than the chosen one, custom",
    ]);
  });
});

test("a value for none beats the default and weaker values", () => {
  expect(settings({ flags: { genesis } }).ntpServer).toEqual({ host: "pool.ntp.org", port: 123 });
  const givens: Given[] = [
    { flags: { genesis, "ntp-server": "off" } },
    { flags: { genesis }, env: { HOLDFAST_NTP_SERVER: "OFF" } },
    { flags: { genesis }, yaml: "ntp-server: off" },
    { flags: { genesis }, yaml: 'ntp-server: "off"' },
    { flags: { genesis, "ntp-server": "off" }, yaml: "ntp-server: time.example.org" },
  ];
  for (const given of givens) expect(settings(given).ntpServer).toBeUndefined();
});

describe("refuses with the name used", () => {
  test.each<[string, Given, RegExp]>([
    [
      "an unknown HOLDFAST_ name",
      { env: { HOLDFAST_API_PROT: "1" } },
      /^HOLDFAST_API_PROT: there is no such setting; did you mean HOLDFAST_API_PORT\?$/,
    ],
    ["an empty unknown one too", { env: { HOLDFAST_NONSENSE: "" } }, /^HOLDFAST_NONSENSE: /],
    [
      "an unknown file key",
      { yaml: "# Ours\napi-prot: 1\n" },
      /^api-prot in .*settings-\d+\.yaml:2: there is no such setting; did you mean api-port\?$/,
    ],
    ["a file that is no YAML", { yaml: "a: [1\n" }, /invalid YAML/],
    ["a file with a name twice", { yaml: "cors: no\ncors: yes\n" }, /invalid YAML: Map keys must be unique/],
    [
      "the key of a YAML error",
      { yaml: "cors: no\napi-host: a: b\n" },
      /^api-host in .*\.yaml:2: invalid YAML: Nested mappings/,
    ],
    [
      "the key of a YAML error in its list",
      { yaml: "peers:\n  - a\n  - [b\napi-port: 1\n" },
      /^(peers|api-port) in .*\.yaml:[34]: invalid YAML: /,
    ],
    ["the key of a repeated line", { yaml: "cors: no\ncors: yes\n" }, /^cors in .*\.yaml:2: invalid YAML/],
    [
      "the key of an unknown alias",
      { yaml: "cors: no\napi-key: *secret\n" },
      /^api-key in .*\.yaml: cannot resolve its aliases: Unresolved alias[^:]*$/,
    ],
    ["a file of something else", { yaml: "- 1\n" }, /expected `name: value` lines/],
    ["a port out of range", { flags: { "api-port": "65536" } }, /^--api-port: .*0 to 65535/],
    ["a negative port", { flags: { "api-port": "-1" } }, /^--api-port: /],
    ["a port with a fraction", { yaml: "api-port: 80.5\n" }, /^api-port in /],
    ["a switch that is neither", { env: { LTO_ENABLE_MINING: "maybe" } }, /^LTO_ENABLE_MINING: .*yes or no/],
    ["a switch that is a map", { yaml: "forge:\n  not: yes\n" }, /^forge in .*yes or no/],
    ["both of a switch", { env: { HOLDFAST_FORGE: "yes", HOLDFAST_NO_FORGE: "yes" } }, /contradicts/],
    ["an unknown network", { env: { CHAIN_NETWORK: "moonnet" } }, /^CHAIN_NETWORK: .*dev, mainnet/],
    ["custom without genesis", { flags: { network: "custom" } }, /^--network: .*--genesis/],
    ["genesis that is not there", { flags: { genesis: "/nowhere" } }, /^--genesis: cannot read \/nowhere/],
    [
      "genesis elsewhere",
      { flags: { genesis: "/x", network: "testnet" } },
      /^--genesis: only the network custom/,
    ],
    ["dev beyond loopback", { flags: { "api-host": "0.0.0.0" } }, /^--api-host: .*loopback only/],
    [
      "a gateway of dev beyond loopback",
      { flags: { "api-host": "0.0.0.0", from: "postgres://gateway@db/chain", network: "dev" } },
      /^--api-host: .*loopback only/,
    ],
    ["dev on IPv6 beyond loopback", { env: { HOLDFAST_API_HOST: "::" } }, /^HOLDFAST_API_HOST: .*loopback/],
    ["dev by a name", { yaml: "api-host: localhost.example.org\n" }, /^api-host in .*loopback/],
    ["a host that is none", { flags: { "api-host": "a b" } }, /^--api-host: expected an IP/],
    ["an API key hash", { env: { CHAIN_API_KEY_HASH: "x" } }, /^CHAIN_API_KEY_HASH: .*Base58.* 32 bytes/],
    ["a short API key hash", { flags: { "api-key-hash": "abc" } }, /^--api-key-hash: /],
    ["a feature id", { env: { LTO_FEATURES: "3, x" } }, /^LTO_FEATURES: .*feature id/],
    [
      "a checkpoint key",
      { env: { CHAIN__CHECKPOINTS__PUBLIC_KEY: "abc" } },
      /PUBLIC_KEY: .*Base58.* 32 bytes/,
    ],
    ["a checkpoint", { flags: { checkpoints: "1:abc" } }, /^--checkpoints: .*HEIGHT:ID/],
    ["a checkpoint at height 0", { flags: { checkpoints: `0:${blockId}` } }, /^--checkpoints: .*HEIGHT:ID/],
    ["a duration", { flags: { "pool-max-age": "soon" } }, /^--pool-max-age: .*90m/],
    ["a duration out of bounds", { flags: { "pool-max-age": "1ms" } }, /^--pool-max-age: /],
    ["a size", { flags: { "pool-max-bytes": "1KiB" } }, /^--pool-max-bytes: /],
    [
      "an address of another network",
      { flags: { "hash-account": "3JmCa4jLVv7Yn2XkCnBUGsa7WNFVEMxAfWe" } },
      /^--hash-account: .*other network/,
    ],
    ["an address in a list", { yaml: "pool-blacklist: [nonsense]\n" }, /^pool-blacklist in .*"nonsense"/],
    ["a number as a text", { yaml: "wallet-password: 0123\n" }, /^wallet-password in .*text/],
    ["an unknown role member", { env: { TRUST_NETWORK: '{"root":{"x":1}}' } }, /^TRUST_NETWORK: .*'x'/],
    ["a trust file", { flags: { "trust-network": "/nowhere.json" } }, /^--trust-network: cannot read/],
    [
      "two seeds",
      { flags: { "wallet-seed": "a", "wallet-account-seed": "b" } },
      /^--wallet-account-seed: give only one seed/,
    ],
    [
      "one port for two",
      { flags: { "admin-port": "6869" } },
      /^--admin-port: 6869 is already the port of --api-port/,
    ],
    [
      "key and another's hash",
      { flags: { "api-key": "a", "api-key-hash": encodeBase58(secureHash(encodeUtf8("b"))) } },
      /^--api-key-hash: is not the hash of --api-key/,
    ],
  ])("%s", (_, given, message) => {
    expect(problems(given).join("\n")).toMatch(message);
  });

  test("but not a gateway that does not know its network yet", () => {
    const { settings } = load({ flags: { "api-host": "0.0.0.0", from: "postgres://gateway@db/chain" } });
    expect(settings.api.host).toBe("0.0.0.0");
  });

  test("all problems at once", () => {
    expect(
      problems({
        flags: { "api-port": "x" },
        env: { HOLDFAST_X: "1", LTO_ENABLE_MINING: "?" },
        yaml: "y: 1\n",
      }),
    ).toHaveLength(4);
  });

  test("a missing or huge settings file, with its path", () => {
    const missing = () =>
      loadSettings({ flags: new Map(), environment: { HOLDFAST_CONFIG: "/nowhere.yaml" }, home: "/h" });
    expect(missing).toThrow(/^\/nowhere\.yaml: cannot read/);
    expect(() => loadSettings({ flags: new Map(), environment: {}, config: "" })).toThrow(/^--config: /);
    expect(problems({ yaml: `# ${"x".repeat(2 ** 20)}\n` })[0]).toMatch(/exceeds 1 MiB/);
  });

  test.each([
    [{ HOLDFAST_CONFIG: "/dev/zero" }],
    [{ HOLDFAST_GENESIS: "/dev/zero" }],
    [{ HOLDFAST_TRUST_NETWORK: "/dev/zero" }],
  ])("and what has no end: %j", (environment) => {
    expect(() => loadSettings({ flags: new Map(), environment, home: "/h" })).toThrow(/exceeds 1 MiB/);
  });

  test("accepts variables that Kubernetes sets for a service called holdfast", () => {
    const env = {
      HOLDFAST_SERVICE_HOST: "10.0.0.7",
      HOLDFAST_SERVICE_PORT_REST: "6869",
      HOLDFAST_PORT: "tcp://10.0.0.7:6869",
      HOLDFAST_PORT_6869_TCP: "tcp://10.0.0.7:6869",
      HOLDFAST_PORT_6869_TCP_ADDR: "10.0.0.7",
      // Set for a service called holdfast-api.
      HOLDFAST_API_PORT: "tcp://10.0.0.8:80",
    };
    const { api, warnings } = settings({ env });
    expect(api.port).toBe(6869);
    expect(warnings).toHaveLength(6);
    expect(warnings[0]).toBe(
      "HOLDFAST_SERVICE_HOST has no effect: Kubernetes set it for a service of this name",
    );
    expect(problems({ env: { HOLDFAST_PORT: "6869" } })[0]).toMatch(/^HOLDFAST_PORT: there is no such/);
  });

  test("without repeating a secret", () => {
    const given = {
      flags: { "wallet-seed-base58": "not base58 0OIl", "wallet-account-seed": "O0secret" },
      env: { LTO_WALLET_SEED_BASE58: "0secret" },
    };
    const text = problems(given).join("\n");
    expect(text).toMatch(/^--wallet-seed-base58: expected Base58 text \(the value given is not shown\)/m);
    expect(text).not.toMatch(/0OIl|secret/);
    // The key instead of its hash.
    expect(problems({ env: { LTO_API_KEY_HASH: "0secret" } })).toEqual([
      "LTO_API_KEY_HASH: expected Base58 text of 32 bytes (the value given is not shown)",
    ]);
  });
});

describe("warns about", () => {
  test("unknown variables of the container", () => {
    const { warnings } = settings({
      env: { CHAIN_HEAP_SIZE: "2g", LTO_NONSENSE: "1", CHAIN__MINER__NONSENSE: "1", OTHER_THING: "1" },
    });
    expect(warnings).toHaveLength(3);
    expect(warnings.join("\n")).toMatch(/CHAIN_HEAP_SIZE has no effect: this node manages its memory/);
    expect(warnings.join("\n")).toMatch(/LTO_NONSENSE has no effect: there is no such setting/);
    expect(warnings.join("\n")).toMatch(/CHAIN__MINER__NONSENSE has no effect: .*miner\.nonsense/);
  });

  test("an open interface whose POST /hash needs no token", () => {
    const open: Given = { flags: { network: "testnet", "api-host": "0.0.0.0" } };
    expect(settings(open).warnings.join("\n")).toMatch(/POST \/hash/);
    expect(settings({ ...open, env: { AUTH_TOKEN: "t" } }).warnings).toEqual([]);
  });

  test("problems of a custom network", () => {
    const slow = file("fast.json", devSettings.replace('"5s"', '"1s"'));
    expect(settings({ flags: { genesis: slow } }).warnings.join("\n")).toMatch(/block delay/);
  });

  test("nothing for HOLDFAST_VECTORS", () => {
    expect(settings({ env: { HOLDFAST_VECTORS: "/x" } }).warnings).toEqual([]);
  });
});

describe("the container's variables", () => {
  test("enable the interface, on all addresses where that is allowed", () => {
    const api = (env: Record<string, string>, flags: Record<string, string> = {}) => {
      const { enabled, host } = settings({ env, flags }).api;
      return enabled ? host : "off";
    };
    expect(api({ CHAIN_ENABLE_REST_API: "no" })).toBe("off");
    expect(api({ CHAIN_ENABLE_REST_API: "yes" })).toBe("127.0.0.1");
    expect(api({ LTO_ENABLE_REST_API: "TRUE", LTO_NETWORK: "MAINNET" })).toBe("0.0.0.0");
    expect(api({ LTO_ENABLE_REST_API: "on", CHAIN_ENABLE_REST_API: "off", LTO_NETWORK: "MAINNET" })).toBe(
      "0.0.0.0",
    );
    expect(api({ CHAIN_ENABLE_REST_API: "1", CHAIN_NETWORK: "testnet" }, { "api-host": "10.0.0.1" })).toBe(
      "10.0.0.1",
    );
    expect(api({ CHAIN_NETWORK: "mainnet" })).toBe("off");
    expect(api({ CHAIN_NETWORK: "mainnet", HOLDFAST_API: "yes" })).toBe("127.0.0.1");
  });

  test("set the API key", () => {
    const hash = secureHash(encodeUtf8("lto"));
    expect(settings({ env: { CHAIN_API_KEY: "lto" } }).api.apiKeyHash).toEqual(hash);
    expect(settings({ env: { LTO_API_KEY_HASH: encodeBase58(hash) } }).api.apiKeyHash).toEqual(hash);
    expect(settings({ env: { CHAIN_API_KEY: "lto", LTO_API_KEY: "named" } }).api.apiKeyHash).toEqual(
      secureHash(encodeUtf8("named")),
    );
    expect(
      settings({ env: { LTO_API_KEY_HASH: encodeBase58(hash) }, flags: { "api-key": "k" } }).api.apiKeyHash,
    ).toEqual(secureHash(encodeUtf8("k")));
    expect(
      settings({ env: { LTO_API_KEY: "x" }, flags: { "api-key-hash": encodeBase58(hash) } }).api.apiKeyHash,
    ).toEqual(hash);
    expect(
      settings({ flags: { "api-key": "lto", "api-key-hash": encodeBase58(hash) } }).api.apiKeyHash,
    ).toEqual(hash);
  });

  test("set the seed, Base58 before text", () => {
    const seed = (env: Record<string, string>) => settings({ env }).wallet.seed?.reveal();
    expect(seed({ LTO_WALLET_SEED: "root" })).toEqual(encodeUtf8("root"));
    expect(seed({ LTO_WALLET_SEED: "root", LTO_WALLET_SEED_BASE58: "3csAg9" })).toEqual(
      decodeBase58("3csAg9", 1_000),
    );
    expect(seed({ LTO_WALLET_SEED: "root", CHAIN_WALLET_SEED_BASE58: "3csAg9" })).toEqual(encodeUtf8("root"));
    const account = settings({ env: { HOLDFAST_WALLET_ACCOUNT_SEED: "3csAg9", LTO_WALLET_SEED: "root" } });
    expect(account.wallet.seed).toBeUndefined();
    expect(account.wallet.accountSeed?.reveal()).toEqual(decodeBase58("3csAg9", 1_000));
  });

  test("set paths of the reference, weaker than names", () => {
    const env = { LTO__REST_API__PORT: "7000", LTO__WALLET__SEED_PHRASE: "path", LTO_WALLET_SEED: "name" };
    const loaded = settings({ env });
    expect(loaded.api.port).toBe(7000);
    expect(loaded.wallet.seed?.reveal()).toEqual(encodeUtf8("name"));
    const checkpointKey = new Uint8Array(32).fill(7);
    expect(settings({ env: { CHAIN__CHECKPOINTS__PUBLIC_KEY: encodeBase58(checkpointKey) } })).toMatchObject({
      chain: {
        checkpointKey,
      },
    });
    expect(settings({ env: { CHAIN__UTX__MAX_TRANSACTION_AGE: "1h" } }).pool.maxAgeMs).toBe(3_600_000);
  });

  test("set the other values", () => {
    expect(
      settings({
        env: {
          LTO_LOG_LEVEL: "DEBUG",
          LTO_ENABLE_MINING: "no",
          LTO_NODE_NAME: "n",
          LTO_FEATURES: "14, 15,14",
          LTO_WALLET_PASSWORD: "p",
        },
      }),
    ).toMatchObject({
      logLevel: { level: "debug" },
      forging: { enabled: false, features: [14, 15] },
      nodeName: "n",
    });
  });
});

describe("a settings file", () => {
  test("holds every kind of value", () => {
    const loaded = settings({
      yaml: `
network: testnet
api: yes
cors: false
api-port: 7000
features: [3, 4]
pool-max-age: 2h
pool-max-bytes: 64MiB
pool-blacklist:
  - 3N3pCgpW1cB1Ns56yjPFmXfBSUjNZ1cYroE
fee-vote: increase
checkpoints: [ "5:${blockId}" ]
api-key:
wallet-seed: 'a text'
trust-network:
  root: { description: The root, issues: [{ type: 100, role: university }] }
  university: { sponsored: true }
`,
    });
    expect(loaded).toMatchObject({
      network: "testnet",
      api: {
        enabled: true,
        cors: false,
        port: 7000,
        apiKeyHash: undefined,
      },
      forging: {
        features: [3, 4],
        feeVote: "increase",
      },
      pool: {
        maxAgeMs: 7_200_000,
        maxBytes: 64 * 2 ** 20,
      },
      chain: {
        checkpoints: [{ height: 5, id: new Uint8Array(64).fill(1) }],
      },
    });
    expect(loaded.pool.blacklist.map(addressText)).toEqual(["3N3pCgpW1cB1Ns56yjPFmXfBSUjNZ1cYroE"]);
    expect([...loaded.index.trustNetwork.keys()]).toEqual(["root", "university"]);
  });

  test("may be empty", () => {
    expect(settings({ yaml: "" }).network).toBe("dev");
    expect(settings({ yaml: "# nothing\n" }).network).toBe("dev");
  });

  test("round-trips shown settings", () => {
    const first = load({
      flags: { "api-port": "7001", features: "14,15", "pool-max-bytes": "3MiB", forge: false },
      env: { TRUST_NETWORK: '{"root":{"issues":[{"type":1,"role":"a"}]},"a":{"authorization":["u"]}}' },
    });
    const text = settingsYaml(first);
    expect(text).toMatch(/^api-port: 7001 {2}# --api-port$/m);
    expect(text).toMatch(/^forge: false {2}# --no-forge$/m);
    const again = load({ yaml: text });
    expect(settingsYaml(again).replace(/ {2}#.*$/gm, "")).toBe(text.replace(/ {2}#.*$/gm, ""));
    expect(again.settings.shown).toEqual(first.settings.shown);
  });
});

test("secrets are hidden wherever settings are shown", () => {
  const loaded = load({
    env: {
      LTO_WALLET_SEED: "my-secret-1",
      LTO_WALLET_SEED_BASE58: encodeBase58(encodeUtf8("my-secret-2")),
      LTO_WALLET_PASSWORD: "my-secret-3",
      AUTH_TOKEN: "my-secret-4",
      LTO_API_KEY: "my-secret-5",
    },
  });
  const texts = [
    settingsYaml(loaded),
    printJson(loaded.settings.shown),
    JSON.stringify(loaded.settings, (_, value) => (typeof value === "bigint" ? String(value) : value)),
    inspect(loaded, { depth: 9 }),
    String(loaded.settings.wallet.seed),
  ];
  for (const text of texts) {
    expect(text).toContain("(hidden)");
    expect(text).not.toMatch(/my-secret/);
    expect(text).not.toContain(encodeBase58(encodeUtf8("my-secret-2")));
  }
  expect(loaded.settings.wallet.seed?.reveal()).toEqual(encodeUtf8("my-secret-2"));
});

describe("every setting", () => {
  test("has names of its own", () => {
    for (const names of [
      allSettings.map(([, setting]) => setting.name),
      allSettings.flatMap(([, { container }]) => container ?? []),
      allSettings.flatMap(([, { reference }]) => reference ?? []),
      allSettings.flatMap(([, { plain }]) => plain ?? []),
      allSettings.flatMap(([, setting]) =>
        isSwitch(setting)
          ? [holdfastName(setting), holdfastName({ name: `no-${setting.name}` })]
          : [holdfastName(setting)],
      ),
    ])
      expect(new Set(names).size).toBe(names.length);
  });

  test.each(allSettings)("%s: its standard value, written down, is read again", (_, setting) => {
    const { settings: loaded } = load();
    const value = setting.defaultFor(loaded.profile, loaded.dataDir);
    if (value === undefined) expect(setting.kind.expects.length).toBeGreaterThan(0);
    else expect(setting.kind.read(setting.kind.write(value), loaded.profile)).toEqual(value);
    expect(setting.about).not.toMatch(/\.$/);
  });
});

test("a disk that resumes below the size at which it pauses is refused by name", () => {
  expect(problems({ env: { HOLDFAST_DISK_RESUME_FREE: "511MiB" } })).toEqual([
    "HOLDFAST_DISK_RESUME_FREE: must be at least disk-pause-free",
  ]);
  expect(problems({ flags: { "disk-pause-free": "2GiB" } })).toEqual([
    "disk-resume-free: must be at least disk-pause-free",
  ]);
  const { disk } = settings({ flags: { "disk-pause-free": "1GiB" } });
  expect(disk).toMatchObject({ pauseBelowBytes: 2 ** 30, resumeAboveBytes: 2 ** 30 });
});

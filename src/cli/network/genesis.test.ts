/** `holdfast genesis`: its output is a network, here and on the reference's nodes. Page 03 §4. */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { loadVectors } from "../../../test/vectors.ts";
import { genesisBlock } from "../../blocks/genesis.ts";
import { decodeBase58, encodeBase58 } from "../../bytes/base58.ts";
import { parseAddress } from "../../crypto/addresses.ts";
import { customProfile, implementedFeatures, readNetworkSettings } from "../../profiles/index.ts";
import { ExitCode } from "../exit-codes.ts";
import { runCommand } from "../testing/fake-node.ts";
import { planNetwork } from "./genesis-plan.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-genesis-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const holdfast = (...args: string[]) => runCommand(args, { home: folder });

interface GeneratorVector {
  readonly input: {
    readonly networkType: string;
    readonly averageBlockDelayMs: number;
    readonly timestamp: string;
    readonly distributions: readonly { seedText: string; nonce: number; amount: string; miner: boolean }[];
  };
  readonly accounts: readonly {
    publicKeyBase58: string;
    address: string;
    amount: string;
    seedText: string;
  }[];
  /** Absent if the base target was given. */
  readonly initialBaseTargetSearch?: readonly unknown[] | null;
  readonly initialBaseTarget: string;
  readonly genesis: { readonly signatureBase58: string };
}

const { genesisGenerator } = loadVectors<{ genesisGenerator: readonly GeneratorVector[] }>("blocks.json");
/** Delays below five seconds exist, but must not be created. */
const possible = genesisGenerator.filter(({ input }) => input.averageBlockDelayMs >= 5_000);

describe("genesis new", () => {
  test.each(possible.map((vector, i) => [i, vector] as const))(
    "makes what the protocol's generator makes: vector %i",
    (_, { input, accounts, initialBaseTargetSearch, initialBaseTarget, genesis }) => {
      const forges = (seedText: string) =>
        input.distributions.find((one) => one.seedText === seedText)?.miner !== false;
      const chainId = input.networkType.slice(0, 1);
      // The command refuses some of them, whose forgers would tie.
      const { genesisText: text, firstBlockMs } = planNetwork({
        name: "LTO",
        chainId,
        averageBlockDelayMs: input.averageBlockDelayMs,
        timestamp: BigInt(input.timestamp),
        features: new Map(Array.from(implementedFeatures, (id) => [id, 0])),
        founders: accounts.map(({ publicKeyBase58, address, amount, seedText }) => ({
          address: parseAddress(address, chainId.charCodeAt(0)),
          publicKey: forges(seedText) ? decodeBase58(publicKeyBase58, 64) : undefined,
          amount: BigInt(amount),
        })),
        baseTarget: initialBaseTargetSearch?.length ? undefined : BigInt(initialBaseTarget),
      });
      expect(firstBlockMs).toBeGreaterThan(0);
      const settings = readNetworkSettings(text);
      expect(settings.genesis.initialBaseTarget).toBe(BigInt(initialBaseTarget));
      expect(encodeBase58(settings.genesis.signature ?? new Uint8Array(0))).toBe(genesis.signatureBase58);
    },
  );

  test("there are vectors to compare with", () => expect(possible.length).toBeGreaterThan(0));

  test("creates seeds that only their owner can read, and reads them again", async () => {
    const seeds = join(folder, "seeds.txt");
    const file = join(folder, "demo.json");
    const made = await holdfast(
      ...["genesis", "new", "--chain-id", "D", "--name", "DEMO", "--delay", "15s", "--new-accounts", "3"],
      ...["--balance", "200000000000000", "--seeds-out", seeds, "--out", file],
    );
    expect(made.code).toBe(ExitCode.ok);
    expect(made.out).toBe("");
    expect(statSync(seeds).mode & 0o777).toBe(0o600);
    const lines = readFileSync(seeds, "utf8").trimEnd().split("\n");
    expect(lines).toHaveLength(3);
    for (const line of lines) {
      expect(line).toMatch(/^200000000000000 \S{43,44}$/);
      expect(made.err).not.toContain(line.split(" ")[1]);
    }
    const profile = customProfile(readFileSync(file, "utf8"));
    expect(profile.networkName).toBe("DEMO");
    expect(profile.chainId).toBe(0x44);
    expect(profile.warnings).toEqual([]);
    const again = await holdfast(
      ...["genesis", "new", "--chain-id", "D", "--name", "DEMO", "--delay", "15s", "--seeds", seeds],
      ...["--timestamp", String(profile.genesis.timestamp)],
    );
    expect(again.out).toBe(readFileSync(file, "utf8"));
    // Nothing is overwritten.
    const second = await holdfast("genesis", "new", "--chain-id", "D", "--seeds", seeds, "--out", file);
    expect(second.code).toBe(ExitCode.failed);
    expect(second.err).toBe(`${file} already exists: choose another name\n`);
  });

  test("activates the given features", async () => {
    const { out } = await holdfast(
      ...["genesis", "new", "--chain-id", "D", "--features", "1, 4:20,10", "--base-target", "77"],
      ...["--account", "HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ=100000000000"],
    );
    const { functionality, genesis } = customProfile(out);
    expect([...functionality.preActivatedFeatures]).toEqual([
      [1, 0],
      [4, 20],
      [10, 0],
    ]);
    expect(genesis.initialBaseTarget).toBe(77n);
  });

  const key = "HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ";
  test.each([
    [["--chain-id", "L", "--account", `${key}=100000000000`], "belongs to a public network"],
    [["--chain-id", "DD", "--account", `${key}=100000000000`], "one visible ASCII character"],
    [["--chain-id", "D"], "No account has tokens"],
    [
      ["--chain-id", "D", "--account", `${key}=1000`],
      "No account could forge: an account needs at least 100000000000",
    ],
    [
      ["--chain-id", "D", "--features", "none", "--account", `${key}=100000000000`],
      "at least 1000000000000 ",
    ],
    [
      ["--chain-id", "D", "--account", `${key}=9223372036854775807`, "--account", `${key}=1`],
      "is given twice",
    ],
    [["--chain-id", "D", "--delay", "4s", "--account", `${key}=100000000000`], "from 5 seconds"],
    [["--chain-id", "D", "--delay", "5500ms", "--account", `${key}=100000000000`], "whole seconds"],
    [["--chain-id", "D", "--delay", "soon", "--account", `${key}=100000000000`], "Invalid duration 'soon'"],
    [["--chain-id", "D", "--features", "9", "--account", `${key}=100000000000`], "Unknown feature 9"],
    [
      ["--chain-id", "D", "--features", "x", "--account", `${key}=100000000000`],
      "expected an id or id:height",
    ],
    [["--chain-id", "D", "--account", "abc=5"], "neither an address of this network nor a public key"],
    [["--chain-id", "D", "--account", "5"], "expected an address or public key"],
    [
      ["--chain-id", "Z", "--account", "3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt=100000000000"],
      "or --base-target",
    ],
    [["--chain-id", "D", "--new-accounts", "2"], "--seeds-out"],
    [["--chain-id", "D", "--new-accounts", "128", "--seeds-out", "x"], "from 1 to 127"],
  ])("refuses %j", async (args, text) => {
    const { code, out, err } = await holdfast("genesis", "new", ...args);
    expect(err).toContain(text);
    expect(code).toBe(ExitCode.usage);
    expect(out).toBe("");
  });

  test("writes both files or none", async () => {
    const seeds = join(folder, "new-seeds.txt");
    const out = join(folder, "there.json");
    writeFileSync(out, "mine");
    const make = ["genesis", "new", "--chain-id", "D", "--new-accounts", "1", "--seeds-out", seeds];
    for (const target of [out, join(folder, "nowhere", "x.json"), seeds]) {
      const { code, err } = await holdfast(...make, "--out", target);
      expect(code).toBe(ExitCode.failed);
      expect(err).toContain(target);
      expect(existsSync(seeds)).toBe(false);
    }
    expect(readFileSync(out, "utf8")).toBe("mine");
  });

  const other = "DptF5xtqwsPVLuSdEgMrVmQ2pYPjmCuwudYE5e23vGTT";
  const two = ["--account", `${key}=100000000000000`, "--account", `${other}=100000000000000`];

  test("says how far apart several forgers are, and which quorum they need", async () => {
    const { code, out, err } = await holdfast("genesis", "new", "--chain-id", "D", "--delay", "13s", ...two);
    expect(code).toBe(ExitCode.ok);
    expect(err).toContain(
      "2 forgers make a block every 11.7 s on average; the two earliest forgers of a block are 9.9 s apart\n",
    );
    expect(err).toContain("start them with --forge-quorum 1: ");
    expect(readNetworkSettings(out).genesis.averageBlockDelaySeconds).toBe(13);
    const one = await holdfast("genesis", "new", "--chain-id", "D", "--delay", "5s", ...two.slice(0, 2));
    expect(one.code).toBe(ExitCode.ok);
    expect(one.err).not.toContain("quorum");
  });

  test("starts many forgers with a base target that keeps them apart", async () => {
    const seeds = join(folder, "seeds.txt");
    const many = ["--new-accounts", "20", "--seeds-out", seeds, "--delay", "13s"];
    const { code, out } = await holdfast("genesis", "new", "--chain-id", "D", ...many);
    expect(code).toBe(ExitCode.ok);
    // The generator's, which fits the slowest of them, is several times as high.
    expect(readNetworkSettings(out).genesis.initialBaseTarget).toBe(2_854n);
  });

  test.each([
    [
      ["--delay", "6s"],
      /^A block delay of 6 s is too short for 2 forgers: .* is \d\.\d s at first and 0\.0 s/,
    ],
    [["--delay", "12s"], /Use at least 13 s\n$/],
    [
      ["--base-target", "153722867"],
      /^The base target 153722867 is too high for 2 forgers: .* 0\.0 s at first/,
    ],
  ])("refuses %j for two forgers, shows the numbers, and writes nothing", async (args, text) => {
    const file = join(folder, "demo.json");
    const { code, out, err } = await holdfast(
      "genesis",
      "new",
      "--chain-id",
      "D",
      "--out",
      file,
      ...two,
      ...args,
    );
    expect(err).toMatch(text);
    expect(code).toBe(ExitCode.usage);
    expect(out).toBe("");
    expect(existsSync(file)).toBe(false);
  });

  test("does not quote an invalid line of seeds", async () => {
    const seeds = join(folder, "seeds.txt");
    writeFileSync(seeds, "100 fine\nonly a secret\n");
    const { code, err } = await holdfast("genesis", "new", "--chain-id", "D", "--seeds", seeds);
    expect(code).toBe(ExitCode.usage);
    expect(err).toBe(`${seeds}, line 2: expected units, a blank and a seed\n`);
  });
});

test("genesis reference prints the network as the reference's configuration", async () => {
  const file = join(folder, "demo.json");
  await holdfast(
    ...["genesis", "new", "--chain-id", "D", "--name", "DEMO", "--delay", "15s", "--out", file],
    ...["--account", "HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ=100000000000000"],
  );
  const { code, out } = await holdfast("genesis", "reference", file);
  expect(code).toBe(ExitCode.ok);
  const custom = /blockchain\.custom = (\{[\s\S]*?\n {2}\})\n/.exec(out)?.[1] ?? "";
  expect(genesisBlock(customProfile(custom)).signature).toEqual(
    genesisBlock(customProfile(readFileSync(file, "utf8"))).signature,
  );
  expect(out).not.toContain("DEMO");
  expect(out).not.toContain("payment");
  expect(out).toContain("micro-block-interval = 1500ms");
  writeFileSync(file, readFileSync(file, "utf8").replace('"payment": false', '"payment": true'));
  const refused = await holdfast("genesis", "reference", file);
  expect(refused.code).toBe(ExitCode.usage);
  expect(refused.err).toEqual(expect.stringContaining("type 2"));
});

import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { hasVectors, loadVectors } from "../../test/vectors.ts";
import { GenesisError } from "../blocks/errors.ts";
import type { Settings } from "../config/settings.ts";
import { settingsMarkdown } from "../config/show.ts";
import { allSettings, isSwitch, splitKey } from "../config/sources/settings-by-name.ts";
import type { Log } from "../interfaces.ts";
import { packageVersion } from "../node/version.ts";
import { testnet } from "../profiles/index.ts";
import { ForeignDirectoryError } from "../storage/disk/directory.ts";
import { StoreInUseError } from "../storage/disk/lock.ts";
import { VirtualClock } from "../testing/virtual-clock.ts";
import { WalletFileError } from "../wallet/errors.ts";
import { type KeyCost, moderateCost } from "../wallet/file.ts";
import { ExitCode, explainError } from "./exit-codes.ts";
import type { Io, RunningNode } from "./io.ts";
import { createProgram, run } from "./program.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-cli-"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function world(
  options: {
    env?: Record<string, string>;
    outTerminal?: Io["outTerminal"];
    inUse?: boolean;
    startNode?: (settings: Settings, log: Log, signal: AbortSignal) => Promise<RunningNode>;
  } = {},
) {
  let out = "";
  let err = "";
  const exits: number[] = [];
  const listeners = new Set<(signal: string) => void>();
  const orphaned = new Set<() => void>();
  const hangups = new Set<() => void>();
  const clock = new VirtualClock(0);
  const locks: string[] = [];
  let begin: () => void = () => {};
  const began = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const io: Io = {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    environment: options.env ?? {},
    outTerminal: options.outTerminal,
    home: folder,
    onSignal: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    onHangup: (listener) => {
      hangups.add(listener);
      return () => hangups.delete(listener);
    },
    onOrphaned: (listener) => {
      orphaned.add(listener);
      return () => orphaned.delete(listener);
    },
    clock,
    isRunning: () => false,
    spawn: () => {
      throw new Error("nothing is started here");
    },
    exit: (code) => exits.push(code),
    startNode: (settings, log, _levels, signal) => {
      begin();
      return options.startNode?.(settings, log, signal) ?? Promise.reject(new Error("no node here"));
    },
    lockDataDir: async ({ dataDir }) => {
      if (options.inUse) throw new StoreInUseError(dataDir, { pid: 4711, socket: "" });
      locks.push(`lock ${dataDir}`);
      return {
        release: async () => {
          locks.push("release");
        },
      };
    },
  };
  return {
    exits,
    io,
    locks,
    listeners,
    clock,
    npmEnds: () => {
      for (const listener of [...orphaned]) listener();
    },
    hangUp: () => {
      for (const listener of [...hangups]) listener();
    },
    /** Resolves after the start of the node and one turn of the event loop. */
    running: async () => {
      await began;
      await new Promise((resolve) => setImmediate(resolve));
    },
    signal: (name: string) => {
      for (const listener of [...listeners]) listener(name);
    },
    run: async (...args: string[]) => {
      out = "";
      err = "";
      const code = await run(args, io);
      return { code, out, err };
    },
  };
}

describe("unknown names", () => {
  test.each([
    [["start", "--nonsense"], /unknown option '--nonsense'/],
    [["start", "--api-prot", "1"], /unknown option '--api-prot'[\s\S]*--api-port/],
    [["nonsense"], /unknown command 'nonsense'/],
    [["wallet", "nonsense"], /unknown command/],
    [["start", "what"], /too many arguments/],
    [["start", "--trust-source"], /^--trust-source has no effect without --snapshot/],
    [["start", "--block", `2:${"1".repeat(88)}`], /^--block has no effect without --snapshot/],
    [["start", "--api-port"], /argument missing/],
    [["start", "--api-port", "x"], /^--api-port: expected a port/],
    [["wallet", "addresses", "--api-port", "1"], /unknown option '--api-port'/],
    [["config", "check", "--network", "custom"], /^--network: /],
    [["wallet", "convert"], /missing required argument/],
    [
      ["wallet", "convert", "x", "--file-password", "a", "--file-password-file", "b"],
      /give only one of them/,
    ],
  ])("%j ends with 2 and is named", async (args, message) => {
    const result = await world().run(...args);
    expect(result).toMatchObject({ code: ExitCode.usage, out: "" });
    expect(result.err).toMatch(message);
    expect(result.err).not.toMatch(/\n {4}at /);
  });

  test("a data directory that is a file is reported with its exit code", async () => {
    const file = join(folder, "file");
    writeFileSync(file, "");
    const commands = ["start", "verify", "rollback 1", `import ${file}`, "export x", "wallet new"];
    for (const command of [...commands, "wallet addresses", "wallet seed", `wallet convert ${file}`]) {
      const result = await world().run(...command.split(" "), "--data-dir", file);
      expect(result, String(command)).toEqual({
        code: ExitCode.dataDirectory,
        out: "",
        err: `The data directory ${file} is a file, not a directory\n`,
      });
    }
  });

  test("in variables and files are reported too", async () => {
    const yaml = join(folder, "s.yaml");
    writeFileSync(yaml, "nonsense: 1\n");
    const result = await world({ env: { HOLDFAST_NONSENSE: "1" } }).run("start", "--config", yaml);
    expect(result.code).toBe(ExitCode.usage);
    expect(result.err).toMatch(
      /^HOLDFAST_NONSENSE: there is no such setting\nnonsense in .*s\.yaml:1: there is/,
    );
  });
});

describe("flags that npm kept", () => {
  const npm = { npm_lifecycle_event: "start", npm_package_name: "holdfast" };
  const through = (event: string) => ({ ...npm, npm_lifecycle_event: event });

  test.each([
    [npm, ["start"], { forge: "" }, "--no-forge", "npm start -- --no-forge"],
    [
      npm,
      ["start"],
      { cors: "true", data_dir: "/a b" },
      "--data-dir, --cors",
      "npm start -- --data-dir '/a b' --cors",
    ],
    [npm, ["start", "7000"], { api_port: "true" }, "--api-port", "npm start -- --api-port 7000"],
    [npm, ["start", "x"], { api_key: "true" }, "--api-key", "npm start -- --api-key <KEY>"],
    [npm, ["start"], { wallet_seed: "x" }, "--wallet-seed", "npm start -- --wallet-seed <TEXT>"],
    [
      through("holdfast"),
      ["import", "f"],
      { network: "testnet" },
      "--network",
      "npm run holdfast -- import f --network testnet",
    ],
    [
      through("holdfast"),
      ["wallet", "new"],
      { network: "testnet" },
      "--network",
      "npm run holdfast -- wallet new --network testnet",
    ],
    [through("npx"), ["start"], { forge: "" }, "--no-forge", "npx holdfast start --no-forge"],
  ])("%j %j with %j are named", async (event, args, kept, names, line) => {
    const variables = Object.entries(kept).map(([name, value]) => [`npm_config_${name}`, value]);
    const env = { ...event, ...Object.fromEntries(variables) };
    expect(await world({ env }).run(...args)).toEqual({
      code: ExitCode.usage,
      out: "",
      err: `npm did not pass on ${names}, so nothing was done. Type:\n  ${line}\n`,
    });
  });

  test("exclude those that npm's configuration sets, and those also typed after `--`", async () => {
    writeFileSync(join(folder, "user"), "; mine\nregistry=x\n network = testnet\nfeatures[]=1\nno\n");
    writeFileSync(join(folder, ".npmrc"), "api-host=::\r\nlog-level\n");
    const kept = {
      npm_config_network: "testnet",
      npm_config_features: "1",
      npm_config_api_host: "::",
      npm_config_log_level: "true",
    };
    const files = { npm_config_userconfig: join(folder, "user"), npm_config_local_prefix: folder };
    const env = { ...npm, ...kept, ...files };
    expect(await world({ env }).run("config", "check")).toMatchObject({ code: 0, err: "" });
    const missing = await world({ env: { ...env, npm_config_userconfig: folder } }).run("config", "check");
    expect(missing.err).toMatch(/^npm did not pass on --network, --features/);
    const typed = { ...npm, npm_config_network: "testnet", npm_config_api_port: "1" };
    const again = ["config", "check", "--network", "dev", "--api-port=2"];
    expect((await world({ env: typed }).run(...again)).code).toBe(0);
  });

  test("exclude npm's own flags, and those of other packages' scripts", async () => {
    const config = { npm_config_yes: "true", npm_config_forge: "", npm_config_audit: "" };
    for (const event of [{}, { ...npm, npm_package_name: "other" }, through("test")]) {
      const result = await world({ env: { ...config, ...event } }).run("config", "check");
      expect(result.code).toBe(0);
    }
    const own = { npm_config_yes: "true", npm_config_force: "true", npm_config_cache: "x" };
    for (const command of [["rollback", "x"], ["export"]])
      expect((await world({ env: { ...own, ...npm } }).run(...command)).err).not.toMatch(/npm/);
  });
});

test("every command has its own name, under which a program without the other commands has it", () => {
  const { io } = world();
  const names = (program: Command): string[] => program.commands.map((command) => command.name());
  const all = names(createProgram(io));
  expect(all.map((name) => names(createProgram(io, name)))).toEqual(all.map((name) => [name]));
  expect(names(createProgram(io, "constructor"))).toEqual(all);
});

describe("help", () => {
  test("exits with 2 without a command, and with 0 on request", async () => {
    const bare = await world().run();
    expect(bare.code).toBe(ExitCode.usage);
    expect(bare.err).toMatch(/Usage: holdfast/);
    const asked = await world().run("--help");
    expect(asked).toMatchObject({ code: ExitCode.ok, err: "" });
    for (const command of ["start", "wallet", "config", "version"]) expect(asked.out).toContain(command);
    expect(asked.out).toMatch(/Exit codes: 0 success/);
  });

  /** The help of all commands, in a terminal of so many columns. */
  async function allHelp(columns?: number) {
    const found: { words: string; out: string }[] = [];
    const visit = async (words: readonly string[]): Promise<void> => {
      const outTerminal = columns === undefined ? undefined : { columns, rows: 24 };
      const { code, out, err } = await world({ outTerminal }).run(...words, "--help");
      expect({ code, err }, String(words)).toEqual({ code: ExitCode.ok, err: "" });
      found.push({ words: words.join(" "), out });
      const commands = /^Commands:\n((?: .*\n)+)/m.exec(out)?.[1] ?? "";
      for (const [, name] of commands.matchAll(/^ {2}([a-z]\S*)/gm))
        if (name !== "help") await visit([...words, name]);
    };
    await visit([]);
    return found;
  }

  test("is shown for every command and subcommand", async () => {
    const seen = (await allHelp()).map(({ words }) => words);
    expect(seen).toContain("genesis new");
    expect(seen).toContain("network down");
  });

  test("fits into the columns of the terminal, at most 100, and into 80 without one", async () => {
    for (const [columns, width] of [
      [undefined, 80],
      [80, 80],
      [250, 100],
    ] as const)
      for (const { words, out } of await allHelp(columns))
        for (const line of out.split("\n"))
          expect(line.length, `${words}: ${line}`).toBeLessThanOrEqual(width);
    const narrow = (await world({ outTerminal: { columns: 60, rows: 24 } }).run("status", "--help")).out;
    expect(narrow).toContain("refreshed until Ctrl-C.\nOtherwise,");
  });

  test.each([
    [["help", "strat"], "unknown command 'strat'\n(Did you mean start?)"],
    [["strat", "--help"], "unknown command 'strat'\n(Did you mean start?)"],
    [["help", "wallet", "nwe"], "unknown command 'nwe'\n(Did you mean new?)"],
    [["wallet", "help", "nwe"], "unknown command 'nwe'\n(Did you mean new?)"],
  ])("%j ends with 2 and names the unknown command and a similar one", async (args, message) => {
    const result = await world().run(...args);
    expect(result).toMatchObject({ code: ExitCode.usage, out: "" });
    expect(result.err).toContain(message);
  });

  test("is the same with `help` before or after the command's name as with --help", async () => {
    const expected = await world().run("wallet", "new", "--help");
    for (const args of ["help wallet new", "wallet help new", "wallet new -h"])
      expect(await world().run(...args.split(" ")), args).toEqual(expected);
  });

  test("of all commands shows each setting of each command", async () => {
    const { code, out, err } = await world().run("--help-all");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    for (const args of [
      ["--help"],
      ["start", "--help-all"],
      ["wallet", "new", "--help-all"],
      ["peers", "ban", "--help"],
    ])
      expect(out, args.join(" ")).toContain((await world().run(...args)).out);
  });

  test("of start shows basic settings, and with --help-all every setting once", async () => {
    const basic = (await world().run("start", "--help")).out;
    const all = await world().run("start", "--help-all");
    expect(all.code).toBe(0);
    const out = all.out.replace(/\n {20,}/g, " ");
    // A gateway has its own command.
    const startSettings = allSettings.filter(([key]) => splitKey(key)[0] !== "gateway");
    for (const [, { name, basic: isBasic }] of startSettings)
      expect(new RegExp(`^ {2}--(no-)?${name}( |$)`, "m").test(basic), name).toBe(isBasic === true);
    expect(startSettings.filter(([, { basic: isBasic }]) => isBasic).length).toBeLessThanOrEqual(20);
    expect(basic).toMatch(/^ +--help-all /m);
    expect((await world().run("import", "--help-all")).out).toMatch(/^ +--index-anchors /m);
    for (const [, { name }] of startSettings)
      expect(out.match(new RegExp(`^ {2}--(no-)?${name}( |$)`, "gm")), name).toHaveLength(1);
    expect(out).toContain("--config <FILE>");
    expect(out).toMatch(/--no-forge +Do not forge$/m);
    for (const [, setting] of startSettings) {
      // A switch that is on describes its negation.
      const isOn = isSwitch(setting) && setting.defaultFor(testnet, "/") === true;
      expect(setting.negated !== undefined, setting.name).toBe(isOn);
    }
    expect(out).toMatch(/--api-port <N> .*\(default: 6869\)$/m);
    expect(out).toMatch(/--log-level <LEVELS> .*trace, debug, info, warn, error, or off/);
    expect(out).not.toMatch(/standard/);
    expect(out).toMatch(/\$ holdfast start --network testnet/);
  });

  test("version", async () => {
    expect((await world().run("version")).out).toMatch(/^Holdfast v\d+\.\d+\.\d+\nNode\.js v/);
    expect((await world().run("--version")).out).toBe(`Holdfast v${packageVersion()}\n`);
  });
});

describe("config", () => {
  test("print shows values and their sources, without secrets", async () => {
    const { code, out, err } = await world({ env: { LTO_API_KEY: "key-secret", LTO_NONSENSE: "1" } }).run(
      "config",
      "print",
      "--api-port",
      "7000",
      "--no-forge",
      "--cors",
      "--wallet-seed",
      "seed-secret",
    );
    expect(code).toBe(0);
    expect(out).toMatch(/^api-port: 7000 {2}# --api-port$/m);
    expect(out).toMatch(/^forge: false {2}# --no-forge$/m);
    expect(out).toMatch(/^cors: true {2}# --cors$/m);
    expect(out).toMatch(/^# wallet-seed: \(hidden\) {2}# --wallet-seed$/m);
    expect(out).toMatch(/^# api-key: \(hidden\) {2}# LTO_API_KEY$/m);
    expect(out + err).not.toMatch(/-secret/);
    expect(err).toMatch(/^Warning: LTO_NONSENSE/);
  });

  test("check reports valid settings", async () => {
    const result = await world().run("config", "check", "--network", "testnet", "--data-dir", "/data");
    expect(result).toEqual({
      code: 0,
      out: "The settings are valid. Network testnet, data in /data.\n",
      err: "",
    });
  });

  test("table prints the Markdown of the settings", async () => {
    expect((await world().run("config", "table")).out).toBe(settingsMarkdown());
  });
});

describe("wallet", () => {
  const root = "3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt";

  test("new creates the wallet, then adds accounts; addresses lists them; seed shows their seed", async () => {
    const here = world();
    expect(await here.run("wallet", "new")).toEqual({ code: 0, out: `${root}\n`, err: "" });
    const second = (await here.run("wallet", "new")).out.trim();
    expect(here.locks).toEqual(
      Array(2)
        .fill([`lock ${folder}/.holdfast/dev`, "release"])
        .flat(),
    );
    const listed = await here.run("wallet", "addresses");
    expect(listed.out.trim().split("\n").sort()).toEqual([root, second].sort());
    const seed = await here.run("wallet", "seed");
    expect(seed).toMatchObject({ code: 0, out: "base58: 3vf24b\ntext: root\n" });
    expect(seed.err).toMatch(/^Warning: anyone with this seed/);
    expect(here.locks).toHaveLength(4);
  });

  test("a random seed is shown as Base58 only", async () => {
    const here = world();
    await here.run("wallet", "new", "--network", "testnet");
    const { out } = await here.run("wallet", "seed", "--network", "testnet");
    expect(out).toMatch(/^base58: [1-9A-Za-z]{80,90}\n$/);
  });

  test("is not changed while a node is running", async () => {
    const result = await world({ inUse: true }).run("wallet", "new");
    expect(result).toMatchObject({ code: ExitCode.dataDirectory, out: "" });
    expect(result.err).toMatch(/in use by another process \(4711\); stop it first\n$/);
    expect(existsSync(join(folder, ".holdfast"))).toBe(false);
  });

  test("that does not exist is reported, and not created by reading", async () => {
    for (const command of ["addresses", "seed"]) {
      const result = await world().run("wallet", command);
      expect(result).toMatchObject({ code: ExitCode.wallet, out: "" });
      expect(result.err).toMatch(/^There is no wallet at .*wallet\.bin yet\./);
    }
    expect(existsSync(join(folder, ".holdfast"))).toBe(false);
  });

  test("that is damaged or has another seed exits with 3 and is unchanged", async () => {
    const here = world();
    await here.run("wallet", "new");
    const path = join(folder, ".holdfast/dev/wallet/wallet.bin");
    const good = readFileSync(path);
    const expectRefused = async (message: RegExp, ...args: string[]) => {
      const before = readFileSync(path);
      for (const command of [
        ["wallet", "addresses"],
        ["wallet", "new"],
        ["wallet", "seed"],
      ]) {
        const result = await here.run(...command, ...args);
        expect(result).toMatchObject({ code: ExitCode.wallet, out: "" });
        expect(result.err).toMatch(message);
        expect(result.err).not.toMatch(/\n {4}at /);
      }
      expect(readFileSync(path)).toEqual(before);
    };
    await expectRefused(/the password is wrong or the file is damaged/, "--wallet-password", "wrong");
    await expectRefused(/The given wallet seed is not that of/, "--wallet-seed", "other");
    const bad = Buffer.from(good);
    bad[bad.length - 1] ^= 1;
    writeFileSync(path, bad);
    await expectRefused(/the password in \S+\.password is wrong or the file is damaged/);
    writeFileSync(path, good.subarray(0, 40));
    await expectRefused(/it is truncated/);
    writeFileSync(path, good);
    expect((await here.run("wallet", "addresses")).out).toBe(`${root}\n`);
  });

  test("of one fixed account is shown, and refuses others", async () => {
    const fixed = [
      "--wallet-account-seed",
      "67iQGGBjgHhewzoa33smiGuyJHeyKvWEz1JNaDWdzEGK",
      "--network",
      "testnet",
    ];
    const here = world();
    expect((await here.run("wallet", "addresses", ...fixed)).out).toBe(
      "3MvcGCU86aUuo5h1BvNPcvWMfy2UMuYQ6ew\n",
    );
    expect(await here.run("wallet", "new", ...fixed)).toMatchObject({ code: ExitCode.wallet, out: "" });
    expect((await here.run("wallet", "seed", ...fixed)).err).toMatch(/account-based/);
  });

  interface WalletFileVector {
    kind: string;
    password: string;
    file: string;
    plaintext: string;
  }
  const vectors = hasVectors("crypto.json")
    ? loadVectors<WalletFileVector[]>("crypto.json").filter((one) => one.kind === "wallet-file")
    : [];
  const converted = vectors.find((one) => JSON.parse(one.plaintext).accountSeeds.length === 2);

  test.skipIf(converted === undefined)(
    "convert takes over a wallet.dat, once, and leaves it alone",
    async () => {
      if (converted === undefined) return;
      const dat = join(folder, "wallet.dat");
      const password = join(folder, "password");
      writeFileSync(dat, converted.file);
      writeFileSync(password, `${converted.password}\r\n`);
      const here = world();
      const testnet = ["--network", "testnet"];
      const wrong = await here.run("wallet", "convert", dat, "--file-password", "wrong", ...testnet);
      expect(wrong).toMatchObject({ code: ExitCode.wallet, out: "" });
      expect(here.locks).toEqual([]);
      expect(existsSync(join(folder, ".holdfast/testnet/wallet/wallet.bin"))).toBe(false);
      const convert = ["wallet", "convert", dat, "--file-password-file", password, ...testnet];
      const inUse = await world({ inUse: true }).run(...convert);
      expect(inUse).toMatchObject({ code: ExitCode.dataDirectory, out: "" });
      const result = await here.run(...convert);
      expect(result).toMatchObject({
        code: 0,
        out: "3MvcGCU86aUuo5h1BvNPcvWMfy2UMuYQ6ew\n3MryuhLhpfSFkGLFswTxyPd3ruxDCZk6qZ9\n",
      });
      expect(readFileSync(dat, "utf8")).toBe(converted.file);
      const again = await here.run("wallet", "convert", dat, "--file-password-file", password, ...testnet);
      expect(again).toMatchObject({ code: ExitCode.wallet, out: "" });
      expect(again.err).toMatch(/it already exists/);
      const missing = await here.run("wallet", "convert", join(folder, "nowhere"), ...testnet);
      expect(missing).toMatchObject({ code: ExitCode.failed, out: "" });
      expect(missing.err).toMatch(/^Cannot read .*nowhere/);
    },
  );

  test("a chosen password costs more to derive than a random one", async () => {
    await world().run("wallet", "new", "--wallet-password", "p");
    const file = readFileSync(join(folder, ".holdfast/dev/wallet/wallet.bin"));
    const cost: KeyCost = { passes: file.readUInt32BE(12), memory: file.readUInt32BE(16) * 1024 };
    expect(cost).toEqual(moderateCost);
  });
});

describe("start", () => {
  function node() {
    let end: () => void = () => {};
    let giveUp: (error: Error) => void = () => {};
    let stops = 0;
    const finished = new Promise<void>((resolve, reject) => {
      end = resolve;
      giveUp = reject;
    });
    const running: RunningNode = {
      finished,
      stop: async () => {
        stops++;
      },
    };
    return { running, end, giveUp, stops: () => stops };
  }

  /** Runs everything that does not wait for the system. */
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const quiet = ["start", "--log-level", "off"];

  test("passes the settings to the node and exits with 0 when the node has stopped", async () => {
    const one = node();
    let seen: Settings | undefined;
    const here = world({
      startNode: async (settings) => {
        seen = settings;
        return one.running;
      },
    });
    const ended = here.run(...quiet, "--api-port", "7001");
    await here.running();
    expect(seen?.api.port).toBe(7001);
    here.signal("SIGTERM");
    expect(one.stops()).toBe(1);
    one.end();
    expect(await ended).toEqual({ code: 0, out: "", err: "" });
    expect(here.exits).toEqual([]);
    expect(here.listeners.size).toBe(0);
  });

  test("a signal a second later exits at once with 1; an earlier one counts as the same signal", async () => {
    const one = node();
    const here = world({ startNode: async () => one.running });
    const ended = here.run(...quiet);
    await here.running();
    here.signal("SIGINT");
    here.signal("SIGINT");
    here.clock.advance(999);
    here.signal("SIGTERM");
    here.npmEnds();
    expect(here.exits).toEqual([]);
    here.clock.advance(1);
    here.npmEnds();
    expect(here.exits).toEqual([]);
    here.signal("SIGTERM");
    expect(here.exits).toEqual([ExitCode.failed]);
    expect(one.stops()).toBe(1);
    one.end();
    await ended;
  });

  test("stops when the npm that started it has ended", async () => {
    const one = node();
    const here = world({ startNode: async () => one.running });
    const ended = here.run(...quiet);
    await here.running();
    here.npmEnds();
    expect(one.stops()).toBe(1);
    one.end();
    expect((await ended).code).toBe(0);
  });

  test("a signal during the start ends the start, with code 0", async () => {
    const here = world({
      startNode: (_settings, _log, signal) =>
        new Promise((_, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason));
        }),
    });
    const ended = here.run(...quiet);
    await here.running();
    here.signal("SIGINT");
    expect(await ended).toEqual({ code: 0, out: "", err: "" });
    expect(here.exits).toEqual([]);
    expect(here.listeners.size).toBe(0);
  });

  test("a second signal during a start that does not end exits at once", async () => {
    const here = world({ startNode: () => new Promise(() => {}) });
    void here.run(...quiet);
    await here.running();
    here.signal("SIGINT");
    here.clock.advance(1_000);
    expect(here.exits).toEqual([]);
    here.signal("SIGINT");
    expect(here.exits).toEqual([ExitCode.failed]);
  });

  test("a start that fails after a signal is reported with its own code", async () => {
    const here = world({
      startNode: (_settings, _log, signal) =>
        new Promise((_, reject) => {
          signal.addEventListener("abort", () => reject(new WalletFileError("/w", "it is full.")));
        }),
    });
    const ended = here.run(...quiet);
    await here.running();
    here.signal("SIGINT");
    expect(await ended).toMatchObject({ code: ExitCode.wallet });
  });

  test("a signal after the last step of the start stops the node as soon as it runs", async () => {
    const one = node();
    let started: (node: RunningNode) => void = () => {};
    const here = world({
      startNode: () =>
        new Promise((resolve) => {
          started = resolve;
        }),
    });
    const ended = here.run(...quiet);
    await here.running();
    here.signal("SIGTERM");
    started(one.running);
    await settle();
    expect(one.stops()).toBe(1);
    one.end();
    expect((await ended).code).toBe(0);
  });

  test("SIGHUP does not stop a node; with a log file the log continues at its path", async () => {
    const one = node();
    const here = world({ startNode: async () => one.running });
    const path = join(folder, "logs", "node.log");
    const ended = here.run("start", "--log-file", path);
    await here.running();
    renameSync(path, `${path}.old`);
    here.hangUp();
    expect(readFileSync(path, "utf8")).toMatch(
      /^[^\n]*"msg":"SIGHUP: the log continues in this file"[^\n]*\n$/,
    );
    expect(one.stops()).toBe(0);
    one.giveUp(new WalletFileError("/w", "it is full."));
    expect((await ended).code).toBe(ExitCode.wallet);
    expect(readFileSync(path, "utf8")).toContain("Wallet file /w: it is full.");
    here.hangUp();
    expect(readFileSync(path, "utf8").match(/SIGHUP/g)).toHaveLength(1);
  });

  test("SIGHUP without a log file has no effect", async () => {
    const one = node();
    const here = world({ startNode: async () => one.running });
    const ended = here.run(...quiet);
    await here.running();
    here.hangUp();
    expect(one.stops()).toBe(0);
    one.end();
    expect(await ended).toEqual({ code: 0, out: "", err: "" });
  });

  test("a log file that cannot be opened ends the start with 2", async () => {
    writeFileSync(join(folder, "file"), "");
    const path = join(folder, "file", "node.log");
    const result = await world().run(...quiet, "--log-file", path);
    expect(result).toMatchObject({ code: ExitCode.usage, out: "" });
    expect(result.err).toMatch(new RegExp(`^--log-file: cannot open ${path}: .*\n$`));
  });

  test("a node that gives up sets the exit code of its reason", async () => {
    const one = node();
    const here = world({ startNode: async () => one.running });
    const ended = here.run(...quiet);
    await here.running();
    one.giveUp(new WalletFileError("/w", "it is full."));
    expect(await ended).toMatchObject({ code: ExitCode.wallet, err: "Wallet file /w: it is full.\n" });
  });

  test("a node that cannot stop exits", async () => {
    const one = node();
    const here = world({
      startNode: async () => ({
        ...one.running,
        stop: () => Promise.reject(new ForeignDirectoryError("/d", "it is damaged")),
      }),
    });
    const ended = here.run(...quiet);
    await here.running();
    here.signal("SIGTERM");
    await settle();
    expect(here.exits).toEqual([ExitCode.dataDirectory]);
    one.end();
    await ended;
  });

  test("a port in use has its own exit code and no stack", async () => {
    const failing = (code: string, text: string, setting?: string) =>
      Object.assign(new Error(`listen ${code}: ${text}`), { code, syscall: "listen", setting });
    const inUse = failing("EADDRINUSE", "address already in use 127.0.0.1:6869");
    const result = await world({ startNode: () => Promise.reject(inUse) }).run(...quiet);
    expect(result).toEqual({
      code: ExitCode.listen,
      out: "",
      err: "--api-port: cannot listen: EADDRINUSE: address already in use 127.0.0.1:6869. Stop the program that uses the port, or choose another port\n",
    });
    expect(explainError(failing("EADDRNOTAVAIL", "address not available 192.0.2.1:70", "admin")).text).toBe(
      "--admin-host: cannot listen: EADDRNOTAVAIL: address not available 192.0.2.1:70. Choose an address of this machine",
    );
    expect(explainError(failing("EACCES", "permission denied 127.0.0.1:70", "metrics")).text).toBe(
      "--metrics-port: cannot listen: EACCES: permission denied 127.0.0.1:70. Choose a port above 1023",
    );
  });

  test("a genesis file that contradicts itself is wrong usage", () => {
    expect(explainError(new GenesisError("Passed genesis signature is not valid. should be: x "))).toEqual({
      code: ExitCode.usage,
      text: "Invalid genesis file: Passed genesis signature is not valid. should be: x",
    });
  });

  test("an unexpected failure is shown with its stack", () => {
    expect(explainError(new Error("a bug"))).toMatchObject({
      code: 1,
      text: expect.stringMatching(/a bug\n +at /),
    });
    expect(explainError("thrown text")).toEqual({ code: 1, text: "thrown text" });
    expect(explainError(undefined)).toEqual({ code: 1, text: "undefined" });
  });
});

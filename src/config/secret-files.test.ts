/** Secrets in files: `HOLDFAST_WALLET_PASSWORD_FILE`, `wallet-password-file`, and so on for every secret setting. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { encodeBase58 } from "../bytes/base58.ts";
import { encodeUtf8 } from "../bytes/utf8.ts";
import { secureHash } from "../crypto/hashes.ts";
import { SettingsError } from "./errors.ts";
import { Secret } from "./kinds/secret.ts";
import { loadSettings } from "./load.ts";
import { settingsYaml } from "./show.ts";
import { allSettings, holdfastName } from "./sources/settings-by-name.ts";
import { withoutSettings } from "./sources/sources.ts";

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-secrets-"));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;

function file(content: string | Uint8Array, mode = 0o600, ending = ""): string {
  const path = join(folder, `file-${files++}${ending}`);
  writeFileSync(path, content);
  chmodSync(path, mode);
  return path;
}

interface Given {
  readonly flags?: Record<string, string>;
  readonly env?: Record<string, string>;
  readonly config?: string;
}

function load({ flags = {}, env = {}, config }: Given) {
  return loadSettings({
    flags: new Map(Object.entries(flags)),
    environment: env,
    config,
    home: "/home/someone",
  });
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

const password = ({ settings }: ReturnType<typeof load>) => settings.wallet.password?.reveal();
const secrets = allSettings.filter(([, { kind }]) => kind.secret);

describe("a secret in a file", () => {
  test("is accepted for every secret setting, as flag, variable and key of the settings file", () => {
    expect(secrets.map(([, { name }]) => name)).toContain("wallet-password");
    for (const [key, setting] of secrets) {
      const path = file("3QXwv\n");
      const variable = `${holdfastName(setting)}_FILE`;
      const yaml = file(`${setting.name}-file: ${path}\n`);
      for (const [given, where] of [
        [{ flags: { [`${setting.name}-file`]: path } }, `--${setting.name}-file`],
        [{ env: { [variable]: path } }, variable],
        [{ config: yaml }, `${setting.name}-file in ${yaml}:1`],
      ] as const) {
        const { resolved } = load(given);
        const { value, where: found } = resolved.get(key) ?? {};
        if (!(value instanceof Secret)) throw new Error(`${setting.name} is not a secret`);
        const secret: unknown = value.reveal();
        expect(secret instanceof Uint8Array ? secret.length > 0 : secret === "3QXwv").toBe(true);
        expect(found).toBe(where);
      }
    }
  });

  test("has the names of the container and the indexer", () => {
    const path = file("from-a-file\n");
    for (const name of [
      "LTO_WALLET_PASSWORD_FILE",
      "CHAIN_WALLET_PASSWORD_FILE",
      "LTO__WALLET__PASSWORD_FILE",
    ])
      expect(password(load({ env: { [name]: path } })), name).toBe("from-a-file");
    const hash = secureHash(encodeUtf8("from-a-file"));
    for (const name of ["LTO_API_KEY_FILE", "CHAIN_API_KEY_FILE"])
      expect(load({ env: { [name]: path } }).settings.api.apiKeyHash, name).toEqual(hash);
    expect(load({ env: { AUTH_TOKEN_FILE: path } }).settings.api.authToken?.reveal()).toBe("from-a-file");
    const own = file(`holdfast.wallet-password-file = ${path}`, 0o600, ".conf");
    expect(password(load({ config: own }))).toBe("from-a-file");
    const reference = file(`lto.wallet.password-file = ${path}`, 0o600, ".conf");
    expect(password(load({ config: reference }))).toBe("from-a-file");
  });

  test.each([
    ["p\n", "p"],
    ["p\r\n", "p"],
    ["p", "p"],
    [" p \n\n", " p \n"],
  ])("is %j without one newline at its end", (content, expected) => {
    expect(password(load({ flags: { "wallet-password-file": file(content) } }))).toBe(expected);
  });

  test("follows the order of sources: a stronger source wins in either form", () => {
    const path = file("weak");
    const yaml = file(`wallet-password-file: ${path}\n`);
    expect(password(load({ config: yaml, env: { HOLDFAST_WALLET_PASSWORD: "strong" } }))).toBe("strong");
    const strong = file("strong");
    expect(
      password(load({ flags: { "wallet-password-file": strong }, env: { LTO_WALLET_PASSWORD: "w" } })),
    ).toBe("strong");
  });

  test("is refused by name if the same source also gives the secret itself", () => {
    const path = file("secret-1");
    const env = { LTO_API_KEY: "secret-2", LTO_API_KEY_FILE: path };
    expect(problems({ env })).toEqual(["LTO_API_KEY_FILE: LTO_API_KEY is given too: give only one of them"]);
    expect(problems({ flags: { "api-key": "k", "api-key-file": path } })).toEqual([
      "--api-key-file: --api-key is given too: give only one of them",
    ]);
    const yaml = file(`api-key-file: ${path}\napi-key: k\n`);
    expect(problems({ config: yaml })).toEqual([
      `api-key-file in ${yaml}:1: api-key in ${yaml}:2 is given too: give only one of them`,
    ]);
  });

  test("is refused if the file cannot be used, without its content", () => {
    const refused = (path: string) => problems({ env: { HOLDFAST_WALLET_SEED_BASE58_FILE: path } }).join();
    const name = "HOLDFAST_WALLET_SEED_BASE58_FILE: ";
    expect(refused("/nowhere/secret")).toBe(
      `${name}cannot read /nowhere/secret: ENOENT: no such file or directory, open '/nowhere/secret'`,
    );
    expect(refused(folder)).toMatch(`${name}cannot read ${folder}: EISDIR`);
    const large = file("x".repeat(65_537));
    expect(refused(large)).toBe(`${name}${large} exceeds 64 KiB`);
    const empty = file("\n");
    expect(refused(empty)).toBe(`${name}${empty} is empty`);
    const binary = file(Uint8Array.of(0x61, 0xff, 0x61));
    expect(refused(binary)).toBe(`${name}${binary} is not UTF-8 text`);
    expect(refused(file("0OIl"))).toBe(`${name}expected Base58 text (the value given is not shown)`);
    expect(problems({ config: file("wallet-seed-file: 5\n") })[0]).toMatch(/: expected a path, got 5$/);
    expect(problems({ env: { HOLDFAST_API_PORT_FILE: "/x" } })[0]).toMatch(/there is no such setting/);
  });

  test("is hidden where settings are shown, and not passed to nodes that have their own settings", () => {
    const env = { AUTH_TOKEN_FILE: file("my-secret"), HOLDFAST_API_KEY_FILE: file("my-secret") };
    const loaded = load({ env });
    const text = settingsYaml(loaded) + JSON.stringify(loaded.settings.shown);
    expect(text).toContain("# auth-token: (hidden)  # AUTH_TOKEN_FILE");
    expect(text).not.toContain("my-secret");
    expect(withoutSettings({ ...env, PATH: "/bin" }, "LTO")).toEqual({ PATH: "/bin" });
  });
});

describe("secrets that other users can read cause a warning", () => {
  const warning = (path: string) =>
    `Other users of this machine may read or write ${path}: set its mode to 600`;
  const hash = encodeBase58(new Uint8Array(32).fill(1));

  test("if they are settings files with secrets, files of secrets, or the file of API keys", () => {
    const open = file("wallet-password: p\n", 0o644);
    expect(load({ config: open }).settings.warnings).toEqual([warning(open)]);
    const hocon = file("lto.wallet.password = p", 0o640, ".conf");
    expect(load({ config: hocon }).settings.warnings).toEqual([warning(hocon)]);
    const including = file(`include "${hocon.slice(folder.length + 1)}"`, 0o644, ".conf");
    expect(load({ config: including }).settings.warnings).toEqual([warning(hocon)]);
    const secret = file("p", 0o644);
    expect(load({ env: { HOLDFAST_WALLET_PASSWORD_FILE: secret } }).settings.warnings).toEqual([
      warning(secret),
    ]);
    const keys = file(`- {name: a, scopes: read, hash: ${hash}}`, 0o604);
    expect(load({ flags: { "api-keys": keys } }).settings.warnings).toEqual([warning(keys)]);
  });

  test("if a flag contains a secret, which the process list shows", () => {
    const flags = { "from-password": "hunter2", "wallet-password-file": file("p"), "node-name": "x" };
    expect(load({ flags }).settings.warnings).toEqual([
      "--from-password: other users can see flags in the process list: use --from-password-file or a variable",
    ]);
    expect(load({ env: { HOLDFAST_FROM_PASSWORD: "hunter2" } }).settings.warnings).toEqual([]);
  });

  test("unless they have no secret, or only their owner can read them", () => {
    const secret = file("p");
    const yaml = file(`wallet-password-file: ${secret}\nnode-name: x\n`, 0o644);
    expect(load({ config: yaml }).settings.warnings).toEqual([]);
    expect(load({ config: file("wallet-password: p\n") }).settings.warnings).toEqual([]);
  });
});

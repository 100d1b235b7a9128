/** The compose files: their settings are valid, and the private network can be made. */
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { cliPath, removeFolder, runCli, temporaryFolder } from "./support/node-process.ts";

const deploy = join(import.meta.dirname, "..", "deploy");
let folder: string;
let network: string;

interface Compose {
  readonly services: Readonly<
    Record<
      string,
      {
        readonly environment?: Readonly<Record<string, string>>;
        readonly volumes?: readonly string[];
        readonly networks?: { readonly default?: { readonly aliases?: readonly string[] } };
      }
    >
  >;
}

const compose = (name: string) => parse(readFileSync(join(deploy, name), "utf8"), { merge: true }) as Compose;

function makeNetwork(): void {
  execFileSync("sh", [join(deploy, "container", "make-network.sh"), "3", network], {
    stdio: "ignore",
    env: { ...process.env, PATH: `${join(folder, "bin")}:${process.env.PATH}` },
  });
}

beforeAll(() => {
  folder = temporaryFolder("container");
  network = join(folder, "network");
  mkdirSync(network);
  mkdirSync(join(folder, "bin"));
  const command = join(folder, "bin", "holdfast");
  writeFileSync(command, `#!/bin/sh\nexec "${process.execPath}" "${cliPath}" "$@"\n`);
  chmodSync(command, 0o755);
  makeNetwork();
});

afterAll(() => removeFolder(folder));

test("the private network gets a genesis file, and a seed of its own for each node", () => {
  expect(readdirSync(network).sort()).toEqual([
    "auth-token",
    "genesis.json",
    "node-1.seed",
    "node-2.seed",
    "node-3.seed",
  ]);
  const seeds = [1, 2, 3].map((number) => readFileSync(join(network, `node-${number}.seed`), "utf8"));
  expect(new Set(seeds).size).toBe(3);
  expect(seeds.every((seed) => seed.length > 20)).toBe(true);
});

test("the settings of the single node are valid", async () => {
  const { environment = {} } = compose("compose.yaml").services.node;
  const env = { ...environment, HOLDFAST_NETWORK: "testnet", HOLDFAST_AUTH_TOKEN: "a token of a test" };
  const { code, stderr } = await runCli(["config", "check", "--data-dir", join(folder, "single")], env);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
});

const chosen: Readonly<Record<string, string>> = {
  HOLDFAST_NETWORK: "testnet",
  HOLDFAST_AUTH_TOKEN: "a token of a test",
  HOLDFAST_API_KEY: "a key of a test",
  HOLDFAST_CONTROL_TOKEN: "a token of a test for a control port",
  HOLDFAST_DATABASE_PASSWORD: "a password of a test",
};

test.each([
  ...["node", "follower-1", "follower-2", "follower-3"].map((name) => ["compose-follow.yaml", name]),
  ...["node", "mirror", "gateway-1", "gateway-3"].map((name) => ["compose-scale.yaml", name]),
])("the settings in %s of %s are valid", async (file, name) => {
  const { environment = {} } = compose(file).services[name];
  const env = Object.fromEntries(
    Object.entries(environment).map(([key, value]) => [
      key,
      value.replace(/\$\{(\w+):\?[^}]*\}/, (_, variable: string) => chosen[variable] ?? ""),
    ]),
  );
  const { code, stderr } = await runCli(["config", "check", "--data-dir", join(folder, name)], env);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
});

test("the balancer reaches every gateway by a name of its configuration", () => {
  const { services } = compose("compose-scale.yaml");
  const aliases = Object.values(services).flatMap(({ networks }) => networks?.default?.aliases ?? []);
  const named = readFileSync(join(deploy, "nginx/balancer.conf"), "utf8").matchAll(
    /server (follower-\d):6869/g,
  );
  expect(aliases).toEqual([...new Set(Array.from(named, ([, name]) => name))]);
});

test("a second start keeps the private network", () => {
  const before = readFileSync(join(network, "genesis.json"), "utf8");
  makeNetwork();
  expect(readFileSync(join(network, "genesis.json"), "utf8")).toBe(before);
});

test.each(["node-1", "node-2", "node-3"])(
  "the settings of %s in the private network are valid",
  async (name) => {
    const { environment = {} } = compose("compose-network.yaml").services[name];
    const env = Object.fromEntries(
      Object.entries(environment).map(([key, value]) => [key, value.replace("/network/", `${network}/`)]),
    );
    const { code, stderr } = await runCli(["config", "check", "--data-dir", join(folder, name)], env);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  },
);

test.each(["compose.yaml", "compose-network.yaml", "compose-follow.yaml", "compose-scale.yaml"])(
  "the files that %s mounts exist",
  (name) => {
    const mounted = Object.values(compose(name).services)
      .flatMap(({ volumes = [] }) => volumes)
      .filter((volume) => volume.startsWith("./"))
      .map((volume) => volume.split(":")[0]);
    expect(mounted.filter((path) => !existsSync(join(deploy, path)))).toEqual([]);
  },
);

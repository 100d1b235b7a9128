/**
 * Where settings come from, strongest first: flags, `HOLDFAST_*`, variables with the network's name, `CHAIN_*`
 * (page 06 §8.3), the indexer's variables (page 07 §4.2), the file. This file finds who sets what, and
 * what nobody knows; whether a value is possible is decided in load.ts.
 */
import { readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import type { Setting } from "./define-setting.ts";
import { type SettingKey, settingsTable } from "./settings.ts";

/** Strength of a source: lower wins. */
export const Rank = { flag: 0, holdfast: 1, network: 2, chain: 3, plain: 4, file: 5 } as const;
export type Rank = (typeof Rank)[keyof typeof Rank];

/** A value that somebody gave, not looked at yet. */
export interface Given {
  readonly key: SettingKey;
  readonly rank: Rank;
  /** The name that was used: `--api-port`, `LTO_API_KEY`, `api-port in /etc/holdfast.yaml`. */
  readonly where: string;
  readonly value: unknown;
}

/** What one source gives, and what is wrong with it. */
export interface Found {
  readonly given: readonly Given[];
  /** Names that must be refused, with the reason. */
  readonly problems: readonly string[];
  /** Names that have no effect. */
  readonly warnings: readonly string[];
}

const HOLDFAST = "HOLDFAST_";
/** Prefix of the container's variables, whatever the network is called. */
export const CHAIN = "CHAIN_";
/** Variables of ours that are no settings: where the tests read their vectors, where the settings file is. */
const NO_SETTINGS = new Set(["HOLDFAST_VECTORS", "HOLDFAST_CONFIG"]);

/** The reference's container variables that this node has no use for, and why. */
const WITHOUT_EFFECT = new Map([
  ["HEAP_SIZE", "this node manages its memory by itself"],
  ["CONFIG_FILE", "the settings file is named by --config or HOLDFAST_CONFIG"],
  ["FEE_TARGET", "votes are set by --fee-vote or the fee vote file"],
  ["FEE_MAX_PRICE", "votes are set by --fee-vote or the fee vote file"],
]);

const NO_UPNP = "this node has no UPnP: forward the port for other nodes in the router yourself";

/** Paths of the reference's settings that this node has no use for, and why. */
const PATHS_WITHOUT_EFFECT = new Map([
  ["utx.cleanup-interval", "transactions that are in the chain leave the pool with their block"],
  ["miner.max-transactions-in-key-block", "key blocks are built without transactions"],
  ["network.upnp.enable", NO_UPNP],
  ["network.upnp.gateway-timeout", NO_UPNP],
  ["network.upnp.discover-timeout", NO_UPNP],
  ["synchronization.score-ttl", "the score of a node counts as long as it is connected"],
  ["synchronization.invalid-blocks-storage.max-size", "the number of invalid blocks in memory is fixed"],
]);

/** All settings with their names in code. */
export const allSettings = Object.entries(settingsTable) as readonly (readonly [
  SettingKey,
  Setting<unknown>,
])[];

function environmentName(name: string): string {
  return name.toUpperCase().replaceAll("-", "_");
}

/** `HOLDFAST_API_PORT` for `api-port`. */
export function holdfastName(setting: Pick<Setting<unknown>, "name">): string {
  return HOLDFAST + environmentName(setting.name);
}

/** Whether a setting is a switch: it takes no value on the command line. */
export function isSwitch(setting: Pick<Setting<unknown>, "kind">): boolean {
  return setting.kind.placeholder === undefined;
}

const byName = new Map(allSettings.map(([key, setting]) => [setting.name, key]));
const byReference = new Map(
  allSettings.flatMap(([key, { reference }]) => (reference === undefined ? [] : [[reference, key]])),
);
const byContainer = new Map(
  allSettings.flatMap(([key, { container }]) => (container === undefined ? [] : [[container, key]])),
);
const byPlain = new Map(
  allSettings.flatMap(([key, { plain }]) => (plain === undefined ? [] : [[plain, key]])),
);
const byHoldfast = new Map(allSettings.map(([key, setting]) => [holdfastName(setting), key]));
/** `HOLDFAST_NO_FORGE=yes` for `--no-forge`. */
const byNegation = new Map(
  allSettings
    .filter(([, setting]) => isSwitch(setting))
    .map(([key, setting]) => [`${HOLDFAST}NO_${environmentName(setting.name)}`, key]),
);

/** Flags of the command line, by the name of the setting: text, or true and false for switches. */
export type Flags = ReadonlyMap<string, string | boolean>;

/** What the command line sets. The parser of the command line has refused what is unknown. */
export function fromFlags(flags: Flags): Found {
  const given: Given[] = [];
  for (const [name, value] of flags) {
    const key = byName.get(name);
    if (key === undefined) throw new Error(`The command line offers --${name}, which is no setting`);
    given.push({ key, rank: Rank.flag, where: value === false ? `--no-${name}` : `--${name}`, value });
  }
  return { given, problems: [], warnings: [] };
}

/** Variables with a value: an empty one counts as absent, as compose files leave them behind. */
function variables(environment: NodeJS.ProcessEnv): [name: string, value: string][] {
  return Object.entries(environment).flatMap(([name, value]) =>
    value === undefined || value === "" ? [] : [[name, value] as [string, string]],
  );
}

/** The `HOLDFAST_*` variables; one that is unknown is refused, even when it is empty. */
export function fromHoldfast(environment: NodeJS.ProcessEnv): Found {
  const given: Given[] = [];
  const problems: string[] = [];
  for (const name of Object.keys(environment)) {
    if (!name.startsWith(HOLDFAST) || NO_SETTINGS.has(name)) continue;
    const negated = byNegation.get(name);
    const key = byHoldfast.get(name) ?? negated;
    if (key === undefined) {
      problems.push(`${name}: there is no such setting`);
      continue;
    }
    const value = environment[name];
    if (value === undefined || value === "") continue;
    given.push({
      key,
      rank: Rank.holdfast,
      where: name,
      value: negated === undefined ? value : { not: value },
    });
  }
  return { given, problems, warnings: [] };
}

/** The environment without what sets up a node of the network: for one whose file says everything. */
export function withoutSettings(environment: NodeJS.ProcessEnv, networkName: string): NodeJS.ProcessEnv {
  const prefixes = [HOLDFAST, CHAIN, networkPrefix(networkName)];
  return Object.fromEntries(
    Object.entries(environment).filter(
      ([name]) => !byPlain.has(name) && !prefixes.some((prefix) => name.startsWith(prefix)),
    ),
  );
}

/** Prefix of a network's own variables: `LTO_` for the network LTO. */
export function networkPrefix(networkName: string): string {
  return `${networkName.toUpperCase().replace(/[^A-Z0-9]+/g, "_")}_`;
}

/**
 * The variables of the reference's container: behind `CHAIN_` or the network's name, by their own names or by
 * the path of a setting of the reference (`CHAIN__REST_API__PORT`), which is weaker. Unknown ones are warned of.
 */
export function fromContainer(environment: NodeJS.ProcessEnv, prefix: string, rank: Rank): Found {
  const named: Given[] = [];
  const paths: Given[] = [];
  const warnings: string[] = [];
  if (prefix === HOLDFAST) return { given: [], problems: [], warnings };
  for (const [where, value] of variables(environment)) {
    if (!where.startsWith(prefix)) continue;
    const name = where.slice(prefix.length);
    if (where.includes("__")) {
      const path = name
        .replace(/^_/, "")
        .split("__")
        .map((part) => part.toLowerCase().replaceAll("_", "-"))
        .join(".");
      const key = byReference.get(path);
      if (key !== undefined) paths.push({ key, rank, where, value });
      else
        warnings.push(
          `${where} has no effect: ${PATHS_WITHOUT_EFFECT.get(path) ?? `this node has no setting ${path}`}`,
        );
      continue;
    }
    const key = byContainer.get(name);
    const reason = WITHOUT_EFFECT.get(name);
    if (key !== undefined) named.push({ key, rank, where, value });
    else warnings.push(`${where} has no effect: ${reason ?? "there is no such setting"}`);
  }
  return { given: [...named, ...paths], problems: [], warnings };
}

/** The variables of the indexer. */
export function fromPlain(environment: NodeJS.ProcessEnv): Found {
  const given = variables(environment).flatMap(([where, value]) => {
    const key = byPlain.get(where);
    return key === undefined ? [] : [{ key, rank: Rank.plain, where, value }];
  });
  return { given, problems: [], warnings: [] };
}

const MAX_FILE = 2 ** 20;

/** The YAML reader, loaded when there is a file to read: most starts have none. */
const yamlReader = () => createRequire(import.meta.url)("yaml") as typeof import("yaml");

/** The settings file. An unknown key is refused; a key without a value counts as absent. */
export function fromFile(path: string): Found {
  const refused = (reason: string): Found => ({ given: [], problems: [`${path}: ${reason}`], warnings: [] });
  let text: string;
  try {
    if (statSync(path).size > MAX_FILE) return refused("it is no settings file, it has more than 1 MiB");
    text = readFileSync(path, "utf8");
  } catch (error) {
    return refused(`cannot read the settings file: ${(error as Error).message}`);
  }
  const document = yamlReader().parseDocument(text);
  const [error] = document.errors;
  if (error !== undefined) return refused(`it is not YAML: ${error.message.split("\n")[0]}`);
  let content: unknown;
  try {
    content = document.toJS();
  } catch (failure) {
    // Aliases that would unfold into something huge.
    return refused(`it cannot be read: ${(failure as Error).message}`);
  }
  if (content === null || content === undefined) return { given: [], problems: [], warnings: [] };
  if (typeof content !== "object" || Array.isArray(content))
    return refused("it must hold `name: value` lines");
  const given: Given[] = [];
  const problems: string[] = [];
  for (const [name, value] of Object.entries(content)) {
    const key = byName.get(name);
    if (key === undefined) problems.push(`${name} in ${path}: there is no such setting`);
    else if (value !== null) given.push({ key, rank: Rank.file, where: `${name} in ${path}`, value });
  }
  return { given, problems, warnings: [] };
}

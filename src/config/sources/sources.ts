/**
 * Sources of settings, strongest first: flags, `HOLDFAST_*`, variables that begin with the network's name, `CHAIN_*`
 * (page 06 §8.3), variables of the indexer (page 07 §4.2), the settings file.
 */
import { dev } from "../../profiles/index.ts";
import type { SettingKey } from "../settings.ts";
import {
  IGNORED_NAMES,
  IGNORED_PATHS,
  IGNORED_PLAIN_VARIABLES,
  IGNORED_VARIABLES,
  reasonIgnored,
} from "./ignored-names.ts";
import { SettingCollector } from "./setting-collector.ts";
import {
  byContainer,
  byHoldfast,
  byName,
  byNegation,
  byPlain,
  byReference,
  type GivenSetting,
  HOLDFAST_PREFIX,
  keyAndValue,
  Negated,
  Rank,
  type SourceResult,
} from "./settings-by-name.ts";
import { suggestion } from "./suggestion.ts";

export const CHAIN_PREFIX = "CHAIN_";
const HOLDFAST_CONFIG = `${HOLDFAST_PREFIX}CONFIG`;
/** New password for `holdfast wallet passwd`; with the suffix `_FILE`, its file's path. */
export const NEW_WALLET_PASSWORD = `${HOLDFAST_PREFIX}NEW_WALLET_PASSWORD`;
/** `HOLDFAST_*` variables that are not settings. */
const OTHER_VARIABLES = new Set([
  `${HOLDFAST_PREFIX}VECTORS`,
  HOLDFAST_CONFIG,
  NEW_WALLET_PASSWORD,
  `${NEW_WALLET_PASSWORD}_FILE`,
]);
/** Variables that contain the path of a settings file, strongest first. */
const CONFIG_FILE_VARIABLES = [
  HOLDFAST_CONFIG,
  `${networkPrefix(dev.networkName)}CONFIG_FILE`,
  `${CHAIN_PREFIX}CONFIG_FILE`,
];

const RENAMED_VARIABLES = new Map([["IDENTITY_INDEXING", "DID_INDEXING"]]);

/** Values by setting name. Switches have booleans. */
export type Flags = ReadonlyMap<string, string | boolean>;

/** The command-line parser has already rejected unknown flags. */
export function fromFlags(flags: Flags): SourceResult {
  const collector = new SettingCollector();
  for (const [name, value] of flags) {
    const settingName = byName.get(name);
    if (settingName === undefined)
      throw new Error(`The command line offers --${name}, which is not a setting`);
    const where = value === false ? `--no-${name}` : `--${name}`;
    collector.given.push({ ...keyAndValue(settingName, value), rank: Rank.flag, where });
  }
  return collector;
}

function nonEmptyVariables(environment: NodeJS.ProcessEnv): [name: string, value: string][] {
  return Object.entries(environment).flatMap(([name, value]) =>
    value === undefined || value === "" ? [] : [[name, value] as [string, string]],
  );
}

/**
 * Kubernetes sets such variables for a service named `holdfast`. A name that ends with `_PORT` is recognized by the
 * variable's value, a URL.
 */
const KUBERNETES_NAME = /_SERVICE_(HOST|PORT(_[A-Z0-9_]+)?)$|_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/;
const KUBERNETES_ADDRESS = /^(tcp|udp|sctp):\/\//;

function isKubernetesVariable(name: string, value = ""): boolean {
  return KUBERNETES_NAME.test(name) || (name.endsWith("_PORT") && KUBERNETES_ADDRESS.test(value));
}

/** Reads `HOLDFAST_*`. Unknown variables are problems, even if they are empty. */
export function fromHoldfast(environment: NodeJS.ProcessEnv): SourceResult {
  const collector = new SettingCollector();
  for (const [where, value = ""] of Object.entries(environment)) {
    if (!where.startsWith(HOLDFAST_PREFIX) || OTHER_VARIABLES.has(where)) continue;
    const ownName = where.slice(HOLDFAST_PREFIX.length).toLowerCase().replaceAll("_", "-");
    const reason = isKubernetesVariable(where, value)
      ? "Kubernetes set it for a service of this name"
      : IGNORED_NAMES.get(ownName);
    const negated = byNegation.get(where);
    const settingName = byHoldfast.get(where) ?? negated;
    if (reason !== undefined) collector.ignore(where, reason);
    else if (settingName === undefined) {
      const names = [...byHoldfast.keys(), ...byNegation.keys()];
      collector.refuse(where, suggestion(where, names, HOLDFAST_PREFIX));
    } else if (value !== "") {
      const given = keyAndValue(settingName, negated === undefined ? value : new Negated(value));
      collector.given.push({ ...given, rank: Rank.holdfast, where });
    }
  }
  return collector;
}

export function withoutSettings(environment: NodeJS.ProcessEnv, networkName: string): NodeJS.ProcessEnv {
  const prefixes = [HOLDFAST_PREFIX, CHAIN_PREFIX, networkPrefix(networkName)];
  return Object.fromEntries(
    Object.entries(environment).filter(
      ([name]) =>
        !byPlain.has(name) &&
        !RENAMED_VARIABLES.has(name) &&
        !prefixes.some((prefix) => name.startsWith(prefix)),
    ),
  );
}

/** `LTO_` for the network LTO. */
export function networkPrefix(networkName: string): string {
  return `${networkName.toUpperCase().replace(/[^A-Z0-9]+/g, "_")}_`;
}

/**
 * Reads variables named `prefix` plus a container name or a path of the reference (`CHAIN__REST_API__PORT`). The
 * container name is stronger. A number at the end is a list index (`CHAIN__NETWORK__KNOWN_PEERS__0`).
 */
export function fromContainer(environment: NodeJS.ProcessEnv, prefix: string, rank: Rank): SourceResult {
  const collector = new SettingCollector();
  const givenByPath: GivenSetting[] = [];
  const items = new Map<SettingKey, { where: string; index: number; value: string }[]>();
  const knownNames = [...byContainer.keys(), ...IGNORED_VARIABLES.keys()].map((name) => prefix + name);
  // On a network named Holdfast, `fromHoldfast` reads the variables with this prefix.
  if (prefix === HOLDFAST_PREFIX) return collector;
  for (const [where, value] of nonEmptyVariables(environment)) {
    if (!where.startsWith(prefix) || CONFIG_FILE_VARIABLES.includes(where)) continue;
    const name = where.slice(prefix.length);
    if (where.includes("__")) {
      const path = name
        .replace(/^_/, "")
        .split("__")
        .map((part) => part.toLowerCase().replaceAll("_", "-"))
        .join(".");
      const found = byReference.get(path);
      const item = /^(.+)\.([0-9]{1,6})$/.exec(path);
      const listKey = item === null ? undefined : byReference.get(item[1])?.key;
      const reason = reasonIgnored(path, IGNORED_PATHS);
      if (found !== undefined) givenByPath.push({ ...keyAndValue(found, value), rank, where });
      else if (item !== null && listKey !== undefined)
        items.set(listKey, [...(items.get(listKey) ?? []), { where, index: Number(item[2]), value }]);
      else
        collector.ignore(
          where,
          reason ?? `this node has no setting ${path}${suggestion(path, byReference.keys())}`,
        );
      continue;
    }
    const found = byContainer.get(name);
    const reason = IGNORED_VARIABLES.get(name);
    if (found !== undefined) collector.given.push({ ...keyAndValue(found, value), rank, where });
    else
      collector.ignore(where, reason ?? `there is no such setting${suggestion(where, knownNames, prefix)}`);
  }
  const lists = Array.from(items, ([key, parts]) => {
    const inOrder = parts.sort((a, b) => a.index - b.index);
    return { key, rank, where: inOrder[0].where, value: inOrder.map(({ value }) => value) };
  });
  collector.given.push(...givenByPath, ...lists);
  return collector;
}

export function fromIndexerVariables(environment: NodeJS.ProcessEnv): SourceResult {
  const collector = new SettingCollector();
  for (const [where, value] of nonEmptyVariables(environment)) {
    const currentName = RENAMED_VARIABLES.get(where);
    const found = byPlain.get(currentName !== undefined && !environment[currentName] ? currentName : where);
    const reason = IGNORED_PLAIN_VARIABLES.get(where);
    if (found !== undefined) collector.given.push({ ...keyAndValue(found, value), rank: Rank.plain, where });
    if (reason !== undefined) collector.ignore(where, reason);
  }
  return collector;
}

export function configFile(
  environment: NodeJS.ProcessEnv,
): { readonly where: string; readonly path: string } | undefined {
  for (const where of CONFIG_FILE_VARIABLES) {
    const path = environment[where];
    if (path) return { where, path };
  }
  return undefined;
}

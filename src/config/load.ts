import { homedir } from "node:os";
import { join } from "node:path";
import { bytesEqual } from "../bytes/compare.ts";
import { isLoopback, isWildcard } from "../bytes/ip.ts";
import type { JsonOut } from "../bytes/json.ts";
import { encodeUtf8 } from "../bytes/utf8.ts";
import { secureHash } from "../crypto/hashes.ts";
import { DEFAULT_PEER_OPTIONS } from "../peers/options.ts";
import {
  customProfile,
  dev,
  mainnet,
  type NetworkProfile,
  ProfileError,
  testnet,
} from "../profiles/index.ts";
import { exposedText, isExposed } from "../runtime/exposed-file.ts";
import { SettingsError } from "./errors.ts";
import { MIN_CONTROL_TOKEN_LENGTH } from "./groups/control-settings.ts";
import { absolutePath, InvalidValueError } from "./kinds/kinds.ts";
import { genesisText } from "./kinds/network-file-kind.ts";
import { SecretFile } from "./kinds/secret.ts";
import type { GroupValues, SettingKey, Settings, SettingValue, SettingValues } from "./settings.ts";
import {
  allSettings,
  collectSettingValues,
  type GivenSetting,
  Negated,
  Rank,
  type SourceResult,
  settingOf,
} from "./sources/settings-by-name.ts";
import { fromFile } from "./sources/settings-file.ts";
import {
  CHAIN_PREFIX,
  configFile,
  type Flags,
  fromContainer,
  fromFlags,
  fromHoldfast,
  fromIndexerVariables,
  networkPrefix,
} from "./sources/sources.ts";

export interface SettingSources {
  readonly flags: Flags;
  readonly config?: string | undefined;
  readonly environment: NodeJS.ProcessEnv;
  /** Parent of the default data directory. */
  readonly home?: string | undefined;
}

export interface ResolvedSetting {
  readonly value: unknown;
  /** Flag, variable or file key; undefined for a default. */
  readonly where: string | undefined;
}

export interface LoadedSettings {
  readonly settings: Settings;
  readonly resolved: ReadonlyMap<SettingKey, ResolvedSetting>;
}

/** The values of each setting, strongest first. */
type GivenByKey = ReadonlyMap<SettingKey, readonly GivenSetting[]>;

function groupByKey(found: readonly SourceResult[]): GivenByKey {
  const byKey = new Map<SettingKey, GivenSetting[]>();
  // The sort keeps the order within a source.
  for (const given of found.flatMap((source) => source.given).sort((a, b) => a.rank - b.rank)) {
    const list = byKey.get(given.key);
    if (list === undefined) byKey.set(given.key, [given]);
    else list.push(given);
  }
  return byKey;
}

class SettingReader {
  readonly #given: GivenByKey;
  readonly #problems: string[];
  readonly #network: NetworkProfile;

  constructor(given: GivenByKey, problems: string[], network: NetworkProfile) {
    this.#given = given;
    this.#problems = problems;
    this.#network = network;
  }

  /** Returns the strongest valid value. Records problems of invalid values. */
  read<K extends SettingKey>(key: K): { value: SettingValue<K>; from: GivenSetting } | undefined {
    const given = this.#given.get(key) ?? [];
    this.#checkSecretFiles(given);
    let strongest: { value: SettingValue<K>; from: GivenSetting } | undefined;
    for (const from of given) {
      // Wrap the value: `undefined` may be valid (`ntp-server: off`).
      const read = this.attempt(from.where, () => ({ value: this.#parse(key, from.value) }));
      if (read === undefined) continue;
      const { value } = read;
      strongest ??= { value, from };
      // `HOLDFAST_FORGE` and `HOLDFAST_NO_FORGE` have equal rank: neither wins.
      if (from.rank === Rank.holdfast && strongest.from.rank === from.rank && strongest.value !== value)
        this.#problems.push(`${from.where}: contradicts ${strongest.from.where}`);
    }
    return strongest;
  }

  /** Rejects a source with both a secret and a secret file. */
  #checkSecretFiles(given: readonly GivenSetting[]): void {
    for (const { where, rank, value } of given) {
      if (!(value instanceof SecretFile)) continue;
      const other = given.find(
        (candidate) => candidate.rank === rank && !(candidate.value instanceof SecretFile),
      );
      if (other !== undefined)
        this.#problems.push(`${where}: ${other.where} is given too: give only one of them`);
    }
  }

  #parse<K extends SettingKey>(key: K, value: unknown): SettingValue<K> {
    const { kind } = settingOf(key);
    const read =
      value instanceof Negated ? !kind.read(value.value, this.#network) : kind.read(value, this.#network);
    // The type of `settingOf` does not depend on the key.
    return read as SettingValue<K>;
  }

  findFilesWithSecrets(): ReadonlySet<string> {
    const files = [this.read("api.apiKeys")?.value?.path];
    for (const [key, given] of this.#given)
      if (settingOf(key).kind.secret)
        for (const { value, file } of given)
          files.push(value instanceof SecretFile ? value.loaded?.path : file && absolutePath(file));
    return new Set(files.filter((file) => file !== undefined));
  }

  findFlagsWithSecrets(): readonly string[] {
    return [...this.#given]
      .flatMap(([key, given]) =>
        settingOf(key).kind.secret === true
          ? given.filter(({ rank, value }) => rank === Rank.flag && !(value instanceof SecretFile))
          : [],
      )
      .map(({ where }) => where);
  }

  attempt<T>(where: string, read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof InvalidValueError)) throw error;
      this.#problems.push(`${where}: ${error.message}`);
      return undefined;
    }
  }
}

function findNetwork(values: SettingReader, problems: string[]): NetworkProfile | undefined {
  const network = values.read("node.network");
  const genesis = values.read("node.genesis");
  const name = network?.value ?? (genesis === undefined ? "dev" : "custom");
  if (name !== "custom") {
    if (genesis !== undefined)
      problems.push(
        `${genesis.from.where}: only the network custom accepts a genesis file, and the network is ${name}`,
      );
    return { dev, mainnet, testnet }[name];
  }
  const file = genesis?.value;
  if (genesis === undefined || file === undefined) {
    problems.push(`${network?.from.where ?? "network"}: the network custom needs a genesis file (--genesis)`);
    return undefined;
  }
  return values.attempt(genesis.from.where, () => {
    try {
      return customProfile(genesisText(file));
    } catch (error) {
      if (!(error instanceof ProfileError)) throw error;
      throw new InvalidValueError(typeof file === "string" ? `${file}: ${error.message}` : error.message);
    }
  });
}

/**
 * Reads the settings file and files that settings name.
 * @throws SettingsError with all unknown names and invalid values
 */
export function loadSettings(sources: SettingSources): LoadedSettings {
  const { environment } = sources;
  const problems: string[] = [];
  const warnings: string[] = [];

  const common: SourceResult[] = [
    fromFlags(sources.flags),
    fromHoldfast(environment),
    fromIndexerVariables(environment),
  ];
  const config = sources.config ?? configFile(environment)?.path;
  if (config === "") problems.push("--config: expected a path");
  else if (config !== undefined) common.push(fromFile(absolutePath(config), environment));
  const chain = fromContainer(environment, CHAIN_PREFIX, Rank.chain);
  const withDefaultPrefix = fromContainer(environment, networkPrefix(dev.networkName), Rank.network);
  for (const found of [...common, chain]) {
    problems.push(...found.problems);
    warnings.push(...found.warnings);
  }

  // Of container variables, only `LTO_*` and `CHAIN_*` can choose the network.
  const network = findNetwork(
    // Reading these settings does not depend on the profile.
    new SettingReader(groupByKey([...common, withDefaultPrefix, chain]), problems, dev),
    problems,
  );
  if (network === undefined) throw new SettingsError([...new Set(problems)]);
  const prefix = networkPrefix(network.networkName);
  const withNetworkPrefix = prefix === CHAIN_PREFIX ? [] : [fromContainer(environment, prefix, Rank.network)];
  warnings.push(...withNetworkPrefix.flatMap((found) => found.warnings), ...network.warnings);

  const values = new SettingReader(groupByKey([...common, ...withNetworkPrefix, chain]), problems, network);
  const home = sources.home ?? homedir();
  const isGateway = (values.read("gateway.from")?.value ?? []).length > 0;
  // A gateway must not open the store of a node on the same machine.
  const defaultName = isGateway ? `${network.name}-gateway` : network.name;
  const dataDir = values.read("node.dataDir")?.value ?? join(home, ".holdfast", defaultName);
  const resolved = new Map<SettingKey, ResolvedSetting>();
  for (const [key, setting] of allSettings) {
    const read = values.read(key);
    resolved.set(key, {
      value: read === undefined ? setting.defaultFor(network, dataDir) : read.value,
      where: read?.from.where,
    });
  }
  const networkGiven = values.read("node.network");
  if (networkGiven !== undefined && networkGiven.value !== network.name)
    problems.push(`${networkGiven.from.where}: names another network than the chosen one, ${network.name}`);
  resolved.set("node.network", {
    value: network.name,
    where: networkGiven?.from.where ?? resolved.get("node.genesis")?.where,
  });
  applyContainerHost(values, network, resolved);
  enablePeersOnDev(values, network, resolved);

  for (const path of values.findFilesWithSecrets()) if (isExposed(path)) warnings.push(exposedText(path));
  for (const flag of values.findFlagsWithSecrets())
    warnings.push(`${flag}: other users can see flags in the process list: use ${flag}-file or a variable`);
  const settings = assemble(network, resolved, values, problems, warnings);
  const distinctProblems = [...new Set(problems)];
  if (distinctProblems.length > 0) throw new SettingsError(distinctProblems);
  return { settings, resolved };
}

/** If a container variable enables HTTP, `api.host` is all addresses by default (page 06 §8.3), except on `dev`. */
function applyContainerHost(
  values: SettingReader,
  network: NetworkProfile,
  resolved: Map<SettingKey, ResolvedSetting>,
): void {
  const api = values.read("api.enabled");
  const isByContainer = api?.from.rank === Rank.network || api?.from.rank === Rank.chain;
  if (api?.value === true && isByContainer && values.read("api.host") === undefined && network.name !== "dev")
    resolved.set("api.host", { value: "0.0.0.0", where: api.from.where });
}

function enablePeersOnDev(
  values: SettingReader,
  network: NetworkProfile,
  resolved: Map<SettingKey, ResolvedSetting>,
): void {
  if (network.name !== "dev" || values.read("connections.enabled") !== undefined) return;
  const peerSetting = (["knownPeers", "declaredAddress", "host", "port"] as const)
    .map((name) => values.read(`connections.${name}`))
    .find((given) => given !== undefined);
  if (peerSetting !== undefined)
    resolved.set("connections.enabled", { value: true, where: peerSetting.from.where });
}

function assemble(
  network: NetworkProfile,
  resolved: ReadonlyMap<SettingKey, ResolvedSetting>,
  values: SettingReader,
  problems: string[],
  warnings: string[],
): Settings {
  const all = collectSettingValues((key) => resolved.get(key)?.value);
  const whereOf = (key: SettingKey) => resolved.get(key)?.where ?? settingOf(key).name;
  const { node, connections, sync, ...groups } = all;
  const { api, anchoring, index, chain, disk, following } = groups;

  // A gateway loads the settings again when it knows its database's network.
  const isNetworkUnknown =
    groups.gateway.from.length > 0 && resolved.get("node.network")?.where === undefined;
  if (api.enabled && network.name === "dev" && !isNetworkUnknown)
    for (const name of ["host", "adminHost"] as const)
      if (!isLoopback(api[name]))
        problems.push(
          `${whereOf(`api.${name}`)}: on the network dev, the node listens on loopback only, not on ${api[name]}`,
        );
  const sameHost = api.adminHost === api.host || [api.adminHost, api.host].some(isWildcard);
  if (api.enabled && api.adminPort === api.port && api.port !== 0 && sameHost)
    problems.push(
      `${whereOf("api.adminPort")}: ${api.adminPort} is already the port of --api-port: choose another one`,
    );
  const hasWallet = following.sources.length === 0;
  if (hasWallet && api.enabled && !isLoopback(api.host) && api.authToken === undefined)
    warnings.push(
      `The HTTP interface listens on ${api.host}, and POST /hash spends from the wallet without a token: set auth-token`,
    );

  if (anchoring.sponsorRoles && ![...index.trustNetwork.values()].some(({ sponsored }) => sponsored))
    warnings.push(
      `${whereOf("anchoring.sponsorRoles")} has no effect: no role of trust-network is marked \`sponsored\``,
    );

  if (connections.enabled && sync.maxRollback > chain.rollbackDepth)
    problems.push(
      `${whereOf("sync.maxRollback")}: must be at most ${chain.rollbackDepth}, the number of blocks that can be rolled back (rollback-depth)`,
    );

  const { port: _, host: _host, ...required } = groups.control;
  for (const [name, value] of Object.entries(required))
    if (groups.control.port !== undefined && value === undefined)
      problems.push(
        `${whereOf("control.port")}: needs ${settingOf(`control.${name}` as SettingKey).name} too`,
      );
  const { length = MIN_CONTROL_TOKEN_LENGTH } = groups.control.token?.reveal() ?? {};
  if (groups.control.port !== undefined && length < MIN_CONTROL_TOKEN_LENGTH)
    problems.push(`${whereOf("control.token")}: must have at least ${MIN_CONTROL_TOKEN_LENGTH} characters`);

  if (disk.resumeAboveBytes < disk.pauseBelowBytes)
    problems.push(`${whereOf("disk.resumeAboveBytes")}: must be at least disk-pause-free`);

  const isFollower = isFollowing(groups);
  if (groups.gateway.nodes.length > 0 && groups.gateway.token === undefined)
    problems.push(`${whereOf("gateway.nodes")}: needs nodes-token too`);
  if (groups.gateway.from.length > 0 && groups.following.sources.length > 0)
    problems.push(`${whereOf("following.sources")}: a gateway (--from) follows a database, not a node`);
  if (isFollower) problems.push(...followerProblems(all, resolved));
  const effective = isFollower ? withoutForgingAndAnchoring(groups) : groups;

  return {
    ...node,
    ...effective,
    profile: network,
    api: { ...api, apiKey: undefined, apiKeyHash: findApiKeyHash(values, problems) },
    wallet: { ...groups.wallet, ...findWalletSeeds(values, problems) },
    peers: isFollower ? undefined : peersOf(all, network),
    warnings,
    given: givenSettings(resolved),
    shown: shownSettings(resolved),
  };
}

export function isFollowing({ following, gateway }: Pick<Settings, "following" | "gateway">): boolean {
  return following.sources.length > 0 || gateway.from.length > 0;
}

function followerProblems(
  { connections, forging, anchoring, imports }: SettingValues,
  resolved: ReadonlyMap<SettingKey, ResolvedSetting>,
): string[] {
  const contradictions: readonly (readonly [SettingKey, boolean])[] = [
    ["connections.enabled", connections.enabled],
    ["connections.knownPeers", connections.knownPeers.length > 0],
    ["forging.enabled", forging.enabled],
    ["anchoring.mode", anchoring.mode !== "off"],
    ["imports.assumeValid", imports.assumeValid !== undefined],
  ];
  return contradictions.flatMap(([key, isSet]) => {
    const where = resolved.get(key)?.where;
    return isSet && where !== undefined
      ? [`${where}: a node that follows others (--follow, --from) has no peers, wallet or forging`]
      : [];
  });
}

function withoutForgingAndAnchoring(groups: GroupValues): GroupValues {
  return {
    ...groups,
    forging: { ...groups.forging, enabled: false },
    anchoring: { ...groups.anchoring, mode: "off", hashAccount: undefined },
  };
}

function givenSettings(resolved: ReadonlyMap<SettingKey, ResolvedSetting>): Settings["given"] {
  const given = new Map<SettingKey, string>();
  for (const [key, { where }] of resolved) if (where !== undefined) given.set(key, where);
  return given;
}

function peersOf(
  { node, connections, sync, imports }: SettingValues,
  network: NetworkProfile,
): Settings["peers"] {
  const { enabled, host, port, ...options } = connections;
  if (!enabled) return undefined;
  // Unlike in the reference (page 04 §4.1), a host or a port enables listening.
  const isListening = host !== undefined || port !== undefined || options.declaredAddress !== undefined;
  const defaultHost = network.name === "dev" ? "127.0.0.1" : "0.0.0.0";
  const listen = isListening ? { host: host ?? defaultHost, port: port ?? network.peers.port } : undefined;
  return {
    connections: { ...DEFAULT_PEER_OPTIONS.connections, ...options, listen, nodeName: node.nodeName },
    sync: { ...DEFAULT_PEER_OPTIONS.sync, ...sync, assumeValid: imports.assumeValid },
    gossip: DEFAULT_PEER_OPTIONS.gossip,
    microBlocks: DEFAULT_PEER_OPTIONS.microBlocks,
  };
}

/** The stronger of `api-key` and `api-key-hash` wins; in one source, they must match. */
function findApiKeyHash(values: SettingReader, problems: string[]): Uint8Array | undefined {
  const key = values.read("api.apiKey");
  const hash = values.read("api.apiKeyHash");
  const hashOfKey = key?.value === undefined ? undefined : secureHash(encodeUtf8(key.value.reveal()));
  if (key === undefined || hashOfKey === undefined) return hash?.value;
  if (hash?.value === undefined || key.from.rank < hash.from.rank) return hashOfKey;
  if (hash.from.rank < key.from.rank) return hash.value;
  if (!bytesEqual(hashOfKey, hash.value))
    problems.push(`${hash.from.where}: is not the hash of ${key.from.where}: give only one of them`);
  return hash.value;
}

/**
 * Returns the strongest seed. In one source, a Base58 seed overrides a seed text, and an account seed must be the
 * only seed.
 */
function findWalletSeeds(
  values: SettingReader,
  problems: string[],
): Pick<Settings["wallet"], "seed" | "seedBase58" | "accountSeed"> {
  const account = values.read("wallet.accountSeed");
  const [seed] = [values.read("wallet.seedBase58"), values.read("wallet.seed")]
    .filter((candidate) => candidate !== undefined)
    .sort((a, b) => a.from.rank - b.from.rank);
  if (account !== undefined && seed !== undefined && account.from.rank === seed.from.rank)
    problems.push(`${account.from.where}: give only one seed: ${seed.from.where} gives another one`);
  const none = { seed: undefined, seedBase58: undefined, accountSeed: undefined };
  return account !== undefined && (seed === undefined || account.from.rank < seed.from.rank)
    ? { ...none, accountSeed: account.value }
    : { ...none, seed: seed?.value };
}

function shownSettings(resolved: ReadonlyMap<SettingKey, ResolvedSetting>): Settings["shown"] {
  return Object.fromEntries(
    allSettings.map(([key, { name, kind }]) => {
      const value = resolved.get(key)?.value;
      return [name, value === undefined ? (kind.none ?? null) : (kind.write(value) as JsonOut)];
    }),
  );
}

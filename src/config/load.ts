/** From all sources to one checked `Settings`. Every problem is reported at once, each with the name used. */
import { homedir } from "node:os";
import { join } from "node:path";
import { bytesEqual } from "../bytes/compare.ts";
import { isLoopback, isWildcard } from "../bytes/ip.ts";
import type { JsonOut } from "../bytes/json.ts";
import { encodeUtf8 } from "../bytes/utf8.ts";
import { InvalidAddressError, parseAddress } from "../crypto/addresses.ts";
import { secureHash } from "../crypto/hashes.ts";
import {
  customProfile,
  dev,
  mainnet,
  type NetworkProfile,
  ProfileError,
  testnet,
} from "../profiles/index.ts";
import { SettingsError } from "./errors.ts";
import { ImpossibleValueError, path } from "./kinds/kinds.ts";
import { networkText } from "./kinds/network-file-kind.ts";
import { Secret } from "./kinds/secret.ts";
import { peersOptions } from "./peers-options.ts";
import { type SettingKey, type Settings, type SettingValues, settingsTable } from "./settings.ts";
import { allSettings, type Found, type Given, Rank } from "./sources/settings-by-name.ts";
import { fromFile } from "./sources/settings-file.ts";
import {
  CHAIN,
  configFile,
  type Flags,
  fromContainer,
  fromFlags,
  fromHoldfast,
  fromPlain,
  networkPrefix,
} from "./sources/sources.ts";

/** What settings are read from. */
export interface SettingSources {
  readonly flags: Flags;
  /** Path given with `--config`. */
  readonly config?: string | undefined;
  readonly environment: NodeJS.ProcessEnv;
  /** Home folder, for the standard data directory. */
  readonly home?: string | undefined;
}

/** A setting as it was decided. */
export interface Resolved {
  readonly value: unknown;
  /** Who set it, by the name used; undefined: nobody, it is the standard value. */
  readonly where: string | undefined;
}

/** Settings with where each came from. */
export interface LoadedSettings {
  readonly settings: Settings;
  readonly resolved: ReadonlyMap<SettingKey, Resolved>;
}

/** What was given for each setting, strongest first. */
type GivenByKey = ReadonlyMap<SettingKey, readonly Given[]>;

function gather(found: readonly Found[]): GivenByKey {
  const byKey = new Map<SettingKey, Given[]>();
  // The order inside one source is its own order of strength, and sorting is stable.
  for (const given of found.flatMap((one) => one.given).sort((a, b) => a.rank - b.rank)) {
    const list = byKey.get(given.key);
    if (list === undefined) byKey.set(given.key, [given]);
    else list.push(given);
  }
  return byKey;
}

/** Reads values, noting what is impossible. */
class Values {
  private readonly problems: string[];
  private readonly given: GivenByKey;

  constructor(given: GivenByKey, problems: string[]) {
    this.given = given;
    this.problems = problems;
  }

  /** The strongest value for a setting; every weaker one must be possible too, or the mistake would lie in wait. */
  read<K extends SettingKey>(key: K): { value: SettingValues[K]; from: Given } | undefined {
    let strongest: { value: SettingValues[K]; from: Given } | undefined;
    for (const from of this.given.get(key) ?? []) {
      // In a box, since a value may be undefined itself: `ntp-server: off`.
      const read = this.attempt(from.where, () => ({ value: this.parse(key, from.value) }));
      if (read === undefined) continue;
      const { value } = read;
      strongest ??= { value, from };
      // `HOLDFAST_FORGE` and `HOLDFAST_NO_FORGE` are of one strength: neither can win.
      if (from.rank === Rank.holdfast && strongest.from.rank === from.rank && strongest.value !== value)
        this.problems.push(`${from.where}: contradicts ${strongest.from.where}`);
    }
    return strongest;
  }

  private parse<K extends SettingKey>(key: K, value: unknown): SettingValues[K] {
    const { kind } = settingsTable[key];
    // Only `HOLDFAST_NO_...` gives such an object, and only for switches.
    const negated =
      typeof value === "object" && value !== null && "not" in value && kind.placeholder === undefined;
    const read = kind.read(negated ? value.not : value);
    // The table types each kind by its key; the compiler does not follow that through the union of all kinds.
    return (negated ? !read : read) as SettingValues[K];
  }

  /** Runs a reader; what is impossible becomes a problem under the name. */
  attempt<T>(where: string, read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof ImpossibleValueError)) throw error;
      this.problems.push(`${where}: ${error.message}`);
      return undefined;
    }
  }
}

/** The network, from the settings that name it. Nothing else can be read before it is known. */
function findNetwork(values: Values, problems: string[]): NetworkProfile | undefined {
  const network = values.read("network");
  const genesis = values.read("genesis");
  const name = network?.value ?? (genesis === undefined ? "dev" : "custom");
  if (name !== "custom") {
    if (genesis !== undefined)
      problems.push(`${genesis.from.where}: only the network custom takes a genesis file, this is ${name}`);
    return { dev, mainnet, testnet }[name];
  }
  const file = genesis?.value;
  if (genesis === undefined || file === undefined) {
    problems.push(`${network?.from.where ?? "network"}: the network custom needs a genesis file (--genesis)`);
    return undefined;
  }
  return values.attempt(genesis.from.where, () => {
    try {
      return customProfile(networkText(file));
    } catch (error) {
      if (!(error instanceof ProfileError)) throw error;
      throw new ImpossibleValueError(typeof file === "string" ? `${file}: ${error.message}` : error.message);
    }
  });
}

/**
 * Reads and checks all settings. Reads the settings file and, for a custom network, the genesis file; writes
 * nothing.
 * @throws SettingsError naming every unknown name and impossible value
 */
export function loadSettings(sources: SettingSources): LoadedSettings {
  const { environment } = sources;
  const problems: string[] = [];
  const warnings: string[] = [];

  const common: Found[] = [fromFlags(sources.flags), fromHoldfast(environment), fromPlain(environment)];
  const config = sources.config ?? configFile(environment)?.path;
  if (config === "") problems.push("--config: expected a path");
  else if (config !== undefined) common.push(fromFile(path.read(config), environment));
  const chain = fromContainer(environment, CHAIN, Rank.chain);
  const standardName = fromContainer(environment, networkPrefix(dev.networkName), Rank.network);
  for (const found of [...common, chain]) {
    problems.push(...found.problems);
    warnings.push(...found.warnings);
  }

  // Which variables carry the network's name depends on the network; what chooses it is read under the name of
  // the networks that are built in.
  const network = findNetwork(new Values(gather([...common, standardName, chain]), problems), problems);
  if (network === undefined) throw new SettingsError([...new Set(problems)]);
  const prefix = networkPrefix(network.networkName);
  const own = prefix === CHAIN ? [] : [fromContainer(environment, prefix, Rank.network)];
  warnings.push(...own.flatMap((found) => found.warnings), ...network.warnings);

  const values = new Values(gather([...common, ...own, chain]), problems);
  const home = sources.home ?? homedir();
  const dataDir = values.read("dataDir")?.value ?? join(home, ".holdfast", network.name);
  const resolved = new Map<SettingKey, Resolved>();
  for (const [key, setting] of allSettings) {
    const read = values.read(key);
    resolved.set(key, {
      value: read === undefined ? setting.standard(network, dataDir) : read.value,
      where: read?.from.where,
    });
  }
  const networkGiven = values.read("network");
  if (networkGiven !== undefined && networkGiven.value !== network.name)
    problems.push(`${networkGiven.from.where}: names another network than the one chosen, ${network.name}`);
  resolved.set("network", {
    value: network.name,
    where: networkGiven?.from.where ?? resolved.get("genesis")?.where,
  });
  openApi(values, network, resolved);
  askForPeers(values, network, resolved);

  const settings = assemble(network, resolved, values, problems, warnings);
  const different = [...new Set(problems)];
  if (different.length > 0) throw new SettingsError(different);
  return { settings, resolved };
}

/**
 * Switched on by the container's variable, the interface listens on all addresses unless one is named, as in
 * the reference's container (page 06 §8.3); never on `dev`.
 */
function openApi(values: Values, network: NetworkProfile, resolved: Map<SettingKey, Resolved>): void {
  const api = values.read("api");
  const byContainer = api?.from.rank === Rank.network || api?.from.rank === Rank.chain;
  if (api?.value === true && byContainer && values.read("apiHost") === undefined && network.name !== "dev")
    resolved.set("apiHost", { value: "0.0.0.0", where: api.from.where });
}

/** The `dev` network is one node, unless the operator says something about others. */
function askForPeers(values: Values, network: NetworkProfile, resolved: Map<SettingKey, Resolved>): void {
  if (network.name !== "dev" || values.read("p2p") !== undefined) return;
  const asking = (["knownPeers", "declaredAddress", "p2pHost", "p2pPort"] as const)
    .map((key) => values.read(key))
    .find((given) => given !== undefined);
  if (asking !== undefined) resolved.set("p2p", { value: true, where: asking.from.where });
}

/** Turns the decided values into `Settings`; checks what concerns several of them. */
function assemble(
  network: NetworkProfile,
  resolved: ReadonlyMap<SettingKey, Resolved>,
  values: Values,
  problems: string[],
  warnings: string[],
): Settings {
  // Every key of the table is in `resolved`, with a value that its kind read or its standard gave.
  const all = Object.fromEntries(
    [...resolved].map(([key, { value }]) => [key, value]),
  ) as unknown as SettingValues;
  const whereOf = (key: SettingKey) => resolved.get(key)?.where ?? settingsTable[key].name;
  const address = (key: SettingKey, text: string): Uint8Array => {
    const parsed = values.attempt(whereOf(key), () => {
      try {
        return parseAddress(text, network.chainId);
      } catch (error) {
        if (!(error instanceof InvalidAddressError)) throw error;
        throw new ImpossibleValueError(`"${text}" is no address of this network: ${error.message}`);
      }
    });
    // A problem was noted, so that this never leaves `loadSettings`.
    return parsed ?? new Uint8Array(0);
  };

  if (all.api && network.name === "dev" && !isLoopback(all.apiHost))
    problems.push(`${whereOf("apiHost")}: the network dev listens on loopback only, not on ${all.apiHost}`);
  if (all.api && network.name === "dev" && !isLoopback(all.adminHost))
    problems.push(
      `${whereOf("adminHost")}: the network dev listens on loopback only, not on ${all.adminHost}`,
    );
  const sameHost = all.adminHost === all.apiHost || [all.adminHost, all.apiHost].some(isWildcard);
  if (all.api && all.adminPort === all.apiPort && all.apiPort !== 0 && sameHost)
    problems.push(`${whereOf("adminPort")}: ${all.adminPort} is the port of --api-port: name another`);
  if (all.api && !isLoopback(all.apiHost) && all.authToken === undefined)
    warnings.push(
      `The HTTP interface listens on ${all.apiHost} and POST /hash spends from the wallet without a token: set auth-token`,
    );

  if (all.sponsorRoles && ![...all.trustNetwork.values()].some(({ sponsored }) => sponsored))
    warnings.push(
      `${whereOf("sponsorRoles")} has no effect: no role of trust-network is marked \`sponsored\``,
    );

  if (all.p2p && all.syncMaxRollback > all.rollbackDepth)
    problems.push(
      `${whereOf("syncMaxRollback")}: at most the ${all.rollbackDepth} blocks that can be rolled back (rollback-depth)`,
    );

  const { apiKey: _k, walletSeedBase58: _b, ...rest } = all;
  return {
    ...rest,
    profile: network,
    apiKeyHash: findApiKeyHash(values, problems),
    ...findWalletSeeds(values, problems),
    poolBlacklist: all.poolBlacklist.map((text) => address("poolBlacklist", text)),
    poolAllowTransfersTo: all.poolAllowTransfersTo.map((text) => address("poolAllowTransfersTo", text)),
    hashAccount: all.hashAccount === undefined ? undefined : address("hashAccount", all.hashAccount),
    peers: peersOptions(all, network),
    warnings,
    shown: shownSettings(resolved),
  };
}

/** The stronger of key and hash; both from one source must agree. */
function findApiKeyHash(values: Values, problems: string[]): Uint8Array | undefined {
  const key = values.read("apiKey");
  const hash = values.read("apiKeyHash");
  const hashOfKey = key?.value === undefined ? undefined : secureHash(encodeUtf8(key.value.reveal()));
  if (key === undefined || hashOfKey === undefined) return hash?.value;
  if (hash?.value === undefined || key.from.rank < hash.from.rank) return hashOfKey;
  if (hash.from.rank < key.from.rank) return hash.value;
  if (!bytesEqual(hashOfKey, hash.value))
    problems.push(`${hash.from.where}: is not the hash of ${key.from.where}; give one of them`);
  return hash.value;
}

/** The strongest of the three ways to give a seed. In one source, Base58 goes before text; an account stands alone. */
function findWalletSeeds(
  values: Values,
  problems: string[],
): Pick<Settings, "walletSeed" | "walletAccountSeed"> {
  const text = values.read("walletSeed");
  const base58 = values.read("walletSeedBase58");
  const account = values.read("walletAccountSeed");
  const seeds = [base58, text].filter((one) => one !== undefined).sort((a, b) => a.from.rank - b.from.rank);
  const [seed] = seeds;
  if (account !== undefined && seed !== undefined && account.from.rank === seed.from.rank)
    problems.push(`${account.from.where}: only one seed can be given, and there is ${seed.from.where}`);
  if (account !== undefined && (seed === undefined || account.from.rank < seed.from.rank))
    return { walletSeed: undefined, walletAccountSeed: account.value };
  const secret = seed?.value?.reveal();
  return {
    walletSeed:
      secret === undefined ? undefined : new Secret(typeof secret === "string" ? encodeUtf8(secret) : secret),
    walletAccountSeed: undefined,
  };
}

function shownSettings(resolved: ReadonlyMap<SettingKey, Resolved>): { readonly [name: string]: JsonOut } {
  return Object.fromEntries(
    allSettings.map(([key, setting]) => {
      const value = resolved.get(key)?.value;
      return [setting.name, value === undefined ? null : (setting.kind.write(value) as JsonOut)];
    }),
  );
}

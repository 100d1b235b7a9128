/** Page 04 §17. */
import { INT64_MAX } from "../../bytes/int64.ts";
import { isLoopback, isReserved, isWildcard, originOf } from "../../bytes/ip.ts";
import type { Clock, Random } from "../../interfaces.ts";
import { ExpiringMap } from "../../runtime/expiring-map.ts";
import type { ConnectionOptions } from "../options.ts";
import { DEFAULT_PORT, formatPeerAddress, type PeerAddress } from "../peer-address.ts";
import { pickRandom, randomBelow, sample } from "../random-choice.ts";
import { type Ban, BanList } from "./bans.ts";
import { UnverifiedQueue } from "./unverified-queue.ts";

/** `publicOnly`: true if private addresses from peers are ignored. */
export type PeerDatabaseSettings = Pick<
  ConnectionOptions,
  "listen" | "knownPeers" | "knownPeerMs" | "blacklistMs" | "suspensionMs" | "maxUnverified" | "blacklisting"
> & { readonly publicOnly: boolean };

interface KnownPeer {
  readonly address: PeerAddress;
  /** Last contact, ms since 1970; 2^63 - 1 for a configured peer. */
  readonly lastSeen: bigint;
}

interface SuspendedHost {
  readonly host: string;
  /** Newest suspension, ms since 1970. */
  readonly since: number;
}

/** Twice the addresses of a full `Peers` message. */
const MAX_KNOWN = 2_000;
const MAX_KNOWN_OF_ORIGIN = 64;
const MAX_BANS = 10_000;
const MAX_SUSPENDED = 10_000;
const MAX_REASON_LENGTH = 2_000;
/** From one `Peers` message: page 04 §17.2, "some dozens". */
const MAX_CANDIDATES_PER_MESSAGE = 50;

export class PeerDatabase {
  readonly #random: Random;
  readonly #settings: PeerDatabaseSettings;
  readonly #configured: ReadonlyMap<string, PeerAddress>;
  readonly #known: ExpiringMap<{ readonly address: PeerAddress; readonly origin: string }>;
  readonly #unverified: UnverifiedQueue;
  readonly #bans: BanList;
  readonly #suspended: ExpiringMap<PeerAddress>;

  constructor(clock: Clock, random: Random, settings: PeerDatabaseSettings) {
    this.#random = random;
    this.#settings = settings;
    this.#configured = new Map(settings.knownPeers.map((address) => [formatPeerAddress(address), address]));
    this.#known = new ExpiringMap(clock, settings.knownPeerMs, MAX_KNOWN);
    this.#unverified = new UnverifiedQueue(settings.maxUnverified);
    this.#bans = new BanList(clock, settings.blacklistMs, MAX_BANS);
    this.#suspended = new ExpiringMap(clock, settings.suspensionMs, MAX_SUSPENDED);
  }

  get banMs(): number {
    return this.#settings.blacklistMs;
  }

  /** Records contact with an address. */
  touch(address: PeerAddress): void {
    this.#unverified.delete(address);
    const key = formatPeerAddress(address);
    if (this.#configured.has(key)) return;
    const origin = originOf(address.host);
    if (!this.#known.has(key)) this.#makeRoomFor(origin);
    this.#known.set(key, { address, origin });
  }

  /** Adds a random sample of the addresses that the host `source` sent. */
  addCandidates(addresses: readonly PeerAddress[], source: string): void {
    const useful = addresses.filter((address) => this.#isUseful(address));
    for (const address of sample(this.#random, useful, MAX_CANDIDATES_PER_MESSAGE))
      if (!this.#unverified.has(address)) this.#unverified.add(address, originOf(source));
  }

  /** Bans a host's origin, or restarts the ban. The caller must close the origin's connections. */
  blacklist(host: string, reason: string): void {
    if (!this.#settings.blacklisting) return;
    this.#unverified.deleteOrigin(originOf(host));
    const shortReason = reason.length > MAX_REASON_LENGTH ? `${reason.slice(0, MAX_REASON_LENGTH)}…` : reason;
    this.#bans.add(host, shortReason);
  }

  /** Excludes an address, and unverified addresses of its origin, from dialling for a while. */
  suspend(address: PeerAddress): void {
    this.#unverified.delete(address);
    this.#suspended.set(formatPeerAddress(address), address);
  }

  get canBan(): boolean {
    return this.#settings.blacklisting;
  }

  unban(host: string): boolean {
    return this.#bans.remove(host);
  }

  clearBlacklist(): void {
    this.#bans.clear();
  }

  isBlacklisted(host: string): boolean {
    return this.#bans.has(host);
  }

  isSuspended(address: PeerAddress): boolean {
    return this.#suspended.has(formatPeerAddress(address));
  }

  /** Configured, then known peers, without banned ones. */
  knownPeers(): KnownPeer[] {
    const known: KnownPeer[] = [];
    for (const address of this.#configured.values())
      if (!this.#bans.has(address.host)) known.push({ address, lastSeen: INT64_MAX });
    for (const { value, since } of this.#known.entries())
      if (!this.#bans.hasOrigin(value.origin))
        known.push({ address: value.address, lastSeen: BigInt(since) });
    return known;
  }

  blacklisted(): Ban[] {
    return this.#bans.list();
  }

  /** Each host with its newest suspension, oldest first. */
  suspended(): SuspendedHost[] {
    const hosts = new Map<string, number>();
    for (const { value, since } of this.#suspended.entries()) {
      hosts.delete(value.host);
      hosts.set(value.host, since);
    }
    return Array.from(hosts, ([host, since]) => ({ host, since }));
  }

  /**
   * Chooses a random known address, or takes the oldest one from the unverified queue. Page 04 §17.2, randomPeer.
   * @param excluded our addresses and those of connected peers
   */
  choose(excluded: readonly PeerAddress[]): PeerAddress | undefined {
    for (const address of excluded) this.#unverified.delete(address);
    const excludedTexts = new Set(excluded.map(formatPeerAddress));
    const suspendedOrigins = new Set(this.suspended().map(({ host }) => originOf(host)));
    const isDialable = (address: PeerAddress): boolean =>
      !excludedTexts.has(formatPeerAddress(address)) &&
      !this.isBlacklisted(address.host) &&
      !this.isSuspended(address);
    // For unverified addresses, one suspended port excludes the whole origin.
    const unverified = this.#unverified
      .list()
      .find((address) => isDialable(address) && !suspendedOrigins.has(originOf(address.host)));
    const known = pickRandom(
      this.#random,
      this.knownPeers()
        .map(({ address }) => address)
        .filter(isDialable),
    );
    if (unverified === undefined || (known !== undefined && randomBelow(this.#random, 2) === 1)) return known;
    this.#unverified.delete(unverified);
    return unverified;
  }

  /** Page 04 §17.2, addCandidate. */
  #isUseful(address: PeerAddress): boolean {
    const { host, port } = address;
    const { listen, publicOnly } = this.#settings;
    const key = formatPeerAddress(address);
    if (port === 0 || isWildcard(host)) return false;
    if (isLoopback(host) && port === (listen?.port ?? DEFAULT_PORT)) return false;
    if (publicOnly && isReserved(host)) return false;
    return !this.#configured.has(key) && !this.#known.has(key);
  }

  #makeRoomFor(origin: string): void {
    const ofOrigin = Array.from(this.#known.entries()).filter(({ value }) => value.origin === origin);
    if (ofOrigin.length >= MAX_KNOWN_OF_ORIGIN) this.#known.delete(ofOrigin[0].key);
  }
}

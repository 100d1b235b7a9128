/** What is known of other nodes: which there are, which are banned, which are left alone for a while. Page 04 §17. */
import { INT64_MAX } from "../../bytes/int64.ts";
import { canonicalHost, isLoopback, isReserved, isWildcard } from "../../bytes/ip.ts";
import type { Clock, Random } from "../../interfaces.ts";
import { ExpiringMap } from "../expiring.ts";
import { type PeerAddress, peerAddressText } from "../peer-address.ts";
import { sample } from "../random-choice.ts";
import { chooseCandidate } from "./candidates.ts";
import { UnverifiedQueue } from "./unverified-queue.ts";

/** Settings, by their names in page 04 §23.1; times in ms. */
export interface PeerDatabaseSettings {
  /** `known-peers`: kept as long as the node runs. */
  readonly configured: readonly PeerAddress[];
  /** `peers-data-residence-time` */
  readonly knownMs: number;
  /** `black-list-residence-time` */
  readonly blacklistMs: number;
  /** `suspension-residence-time` */
  readonly suspensionMs: number;
  /** `max-unverified-peers` */
  readonly maxUnverified: number;
  /** `enable-blacklisting` */
  readonly blacklisting: boolean;
  /** `port`: at this one, the loopback address is this node. */
  readonly ownPort: number;
  /** Whether all peers are on the public internet: others are then not believed about private addresses. */
  readonly publicOnly: boolean;
}

/** A peer that was reached or is configured. */
export interface KnownPeer {
  readonly address: PeerAddress;
  /** When it was last of use, ms since 1970; 2^63 - 1 for a configured one. */
  readonly lastSeen: bigint;
}

/** An address that is left alone, since when (ms since 1970). */
export interface SuspendedHost {
  readonly host: string;
  readonly since: number;
}

/** An address that is banned, and what for. */
export interface BlacklistedHost extends SuspendedHost {
  readonly reason: string;
}

/** Twice what a Peers message holds. */
const MAX_KNOWN = 2_000;
/** A host may run several nodes, and may declare any port that it likes. */
const MAX_KNOWN_OF_HOST = 64;
const MAX_HOSTS = 10_000;
/** A reason may quote what the peer sent. */
const MAX_REASON_LENGTH = 2_000;
/** Of one answer. Page 04 §17.2, "some dozens". */
const MAX_CANDIDATES_OF_ANSWER = 50;

/** In memory; `KnownPeersKeeper` keeps the known ones in a file. All tables are bounded. */
export class PeerDatabase {
  readonly #random: Random;
  readonly #settings: PeerDatabaseSettings;
  readonly #configured: ReadonlyMap<string, PeerAddress>;
  readonly #known: ExpiringMap<PeerAddress>;
  readonly #unverified: UnverifiedQueue;
  /** By host, the reason. */
  readonly #blacklist: ExpiringMap<string>;
  readonly #suspended: ExpiringMap<true>;

  constructor(clock: Clock, random: Random, settings: PeerDatabaseSettings) {
    this.#random = random;
    this.#settings = settings;
    this.#configured = new Map(settings.configured.map((address) => [peerAddressText(address), address]));
    this.#known = new ExpiringMap(clock, settings.knownMs, MAX_KNOWN);
    this.#unverified = new UnverifiedQueue(settings.maxUnverified);
    this.#blacklist = new ExpiringMap(clock, settings.blacklistMs, MAX_HOSTS);
    this.#suspended = new ExpiringMap(clock, settings.suspensionMs, MAX_HOSTS);
  }

  /** The peer at an address has been of use: it is known from now on, for a while. */
  touch(address: PeerAddress): void {
    this.#unverified.delete(address);
    const key = peerAddressText(address);
    if (this.#configured.has(key)) return;
    if (!this.#known.has(key)) this.#makeRoomFor(address.host);
    this.#known.set(key, address);
  }

  /**
   * Notes addresses that a peer told of; of many, some by chance.
   * @param source the peer's host
   */
  addCandidates(addresses: readonly PeerAddress[], source: string): void {
    const wanted = addresses.filter((address) => this.#isWanted(address));
    for (const address of sample(this.#random, wanted, MAX_CANDIDATES_OF_ANSWER))
      if (!this.#unverified.has(address)) this.#unverified.add(address, source);
  }

  /** Bans an IP address for a while, or for a while more. Connections that it has are the caller's affair. */
  blacklist(host: string, reason: string): void {
    if (!this.#settings.blacklisting) return;
    const key = canonicalHost(host);
    this.#unverified.deleteHost(key);
    const short = reason.length > MAX_REASON_LENGTH ? `${reason.slice(0, MAX_REASON_LENGTH)}…` : reason;
    this.#blacklist.set(key, short);
  }

  /** Leaves an IP address alone for a while: it is not dialled. */
  suspend(host: string): void {
    const key = canonicalHost(host);
    this.#unverified.deleteHost(key);
    this.#suspended.set(key, true);
  }

  clearBlacklist(): void {
    this.#blacklist.clear();
  }

  isBlacklisted(host: string): boolean {
    return this.#blacklist.has(canonicalHost(host));
  }

  isSuspended(host: string): boolean {
    return this.#suspended.has(canonicalHost(host));
  }

  /** Configured ones first; without those that are banned. */
  knownPeers(): KnownPeer[] {
    const configured = Array.from(this.#configured.values(), (address) => ({ address, lastSeen: INT64_MAX }));
    const reached = Array.from(this.#known.entries(), ({ value: address, since }) => ({
      address,
      lastSeen: BigInt(since),
    }));
    return [...configured, ...reached].filter(({ address }) => !this.#blacklist.has(address.host));
  }

  blacklisted(): BlacklistedHost[] {
    return Array.from(this.#blacklist.entries(), ({ key, value, since }) => ({
      host: key,
      since,
      reason: value,
    }));
  }

  suspended(): SuspendedHost[] {
    return Array.from(this.#suspended.entries(), ({ key, since }) => ({ host: key, since }));
  }

  /**
   * Chooses the peer to dial next; undefined when there is none. One that was only heard of is forgotten with it: it
   * comes back by `touch`, if it is a peer.
   * @param excluded our own addresses and those of connected peers: they are no candidates any more
   */
  choose(excluded: readonly PeerAddress[]): PeerAddress | undefined {
    for (const address of excluded) this.#unverified.delete(address);
    const candidate = chooseCandidate(
      {
        unverified: this.#unverified.list(),
        known: this.knownPeers().map(({ address }) => address),
        excluded: new Set(excluded.map(peerAddressText)),
        isBlacklisted: (host) => this.isBlacklisted(host),
        isSuspended: (host) => this.isSuspended(host),
      },
      this.#random,
    );
    if (candidate?.unverified === true) this.#unverified.delete(candidate.address);
    return candidate?.address;
  }

  /** Page 04 §17.2, addCandidate. */
  #isWanted(address: PeerAddress): boolean {
    const { host, port } = address;
    const key = peerAddressText(address);
    // Nobody listens on port 0.
    if (port === 0 || isWildcard(host) || (isLoopback(host) && port === this.#settings.ownPort)) return false;
    if (this.#settings.publicOnly && isReserved(host)) return false;
    return !this.#configured.has(key) && !this.#known.has(key);
  }

  #makeRoomFor(host: string): void {
    const ofHost = Array.from(this.#known.entries()).filter(({ value }) => value.host === host);
    if (ofHost.length >= MAX_KNOWN_OF_HOST) this.#known.delete(ofHost[0].key);
  }
}

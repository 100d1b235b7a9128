/** Opens connections to others, one after the other, up to a number. Page 04 §19. */

import { reasonOf } from "../../bytes/errors.ts";
import { canonicalHost, ipBytes } from "../../bytes/ip.ts";
import type { Cancel, Clock, Hosts, Log } from "../../interfaces.ts";
import { contain } from "../../runtime/contain.ts";
import { every } from "../../runtime/timers.ts";
import type { PeerDatabase } from "../database/peer-database.ts";
import { formatPeerAddress, type PeerAddress } from "../peer-address.ts";
import type { Connections } from "./connections.ts";
import type { OwnNode } from "./own-node.ts";

const FIRST_DIAL_DELAY_MS = 1_000;
const DIAL_INTERVAL_MS = 5_000;
/** Addresses that an operator asked for and that were not reached yet. */
const MAX_CONCURRENT_DIALS = 100;

interface DiallerDependencies {
  readonly clock: Clock;
  readonly hosts: Hosts;
  readonly log: Log;
  readonly database: PeerDatabase;
  readonly own: OwnNode;
  readonly connections: Pick<Connections, "outbound" | "connectedAddresses" | "dial">;
  /** `max-outbound-connections` */
  readonly maxOutbound: number;
}

export class Dialler {
  readonly #dependencies: DiallerDependencies;
  /** Those that are being dialled. */
  readonly #attempts = new Map<string, PeerAddress>();
  #cancel: Cancel | undefined;
  #stopped = false;

  constructor(dependencies: DiallerDependencies) {
    this.#dependencies = dependencies;
  }

  start(): void {
    this.#cancel = every(
      this.#dependencies.clock,
      DIAL_INTERVAL_MS,
      "dialler",
      () => this.#next(),
      FIRST_DIAL_DELAY_MS,
    );
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel?.();
  }

  /**
   * Connects to an address that an operator names: whatever number there is, and whether or not it is banned or left
   * alone. What comes of it is in the log. Page 04 §19, §22.
   * @returns whether it is tried: not when too many are, or this one is already
   */
  connect(address: PeerAddress): boolean {
    if (
      this.#stopped ||
      this.#attempts.size >= MAX_CONCURRENT_DIALS ||
      this.#attempts.has(formatPeerAddress(address))
    )
      return false;
    this.#begin(address, () => true);
    return true;
  }

  #next(): void {
    const { connections, database, own, maxOutbound } = this.#dependencies;
    // Names that are looked up right now will be dialled, too.
    if (connections.outbound + this.#attempts.size >= maxOutbound) return;
    const excluded = [...own.addresses(), ...connections.connectedAddresses(), ...this.#attempts.values()];
    const address = database.choose(excluded);
    if (address === undefined) return;
    const excludedTexts = new Set(excluded.map(formatPeerAddress));
    this.#begin(address, (found) => {
      if (excludedTexts.has(formatPeerAddress(found))) return false;
      return !database.isBlacklisted(found.host) && !database.isSuspended(found);
    });
  }

  #begin(address: PeerAddress, isWelcome: (found: PeerAddress) => boolean): void {
    const facts = { peer: formatPeerAddress(address) };
    contain({ log: this.#dependencies.log, message: "A peer could not be dialled", facts }, () =>
      this.#attempt(address, isWelcome),
    );
  }

  /** @param isWelcome whether an address that a name leads to may be dialled */
  async #attempt(address: PeerAddress, isWelcome: (found: PeerAddress) => boolean): Promise<void> {
    const { connections, database } = this.#dependencies;
    const key = formatPeerAddress(address);
    this.#attempts.set(key, address);
    try {
      const found = await this.#locate(address, isWelcome);
      if (found === undefined) database.suspend(address);
      else await connections.dial(found, address);
    } finally {
      this.#attempts.delete(key);
    }
  }

  /** The address behind a name; names of several addresses lead to the first one that may be dialled. */
  async #locate(
    { host, port }: PeerAddress,
    isWelcome: (found: PeerAddress) => boolean,
  ): Promise<PeerAddress | undefined> {
    const { hosts, log } = this.#dependencies;
    if (ipBytes(host) !== undefined) return { host, port };
    try {
      const found = await hosts.resolve(host);
      return found.map((one) => ({ host: canonicalHost(one), port })).find(isWelcome);
    } catch (error) {
      log.debug(`The peer ${host} is not found`, {
        reason: reasonOf(error),
      });
      return undefined;
    }
  }
}

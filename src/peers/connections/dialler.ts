/** Page 04 §19. */

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
const MAX_CONCURRENT_DIALS = 100;

interface DiallerDependencies {
  readonly clock: Clock;
  readonly hosts: Hosts;
  readonly log: Log;
  readonly database: PeerDatabase;
  readonly ownNode: OwnNode;
  readonly connections: Pick<Connections, "outboundCount" | "connectedAddresses" | "dial">;
  readonly maxOutbound: number;
}

export class Dialler {
  readonly #dependencies: DiallerDependencies;
  readonly #attempts = new Map<string, PeerAddress>();
  #cancel: Cancel | undefined;
  #isStopped = false;

  constructor(dependencies: DiallerDependencies) {
    this.#dependencies = dependencies;
  }

  start(): void {
    this.#cancel = every(
      this.#dependencies.clock,
      DIAL_INTERVAL_MS,
      "dialler",
      () => this.#dialNext(),
      FIRST_DIAL_DELAY_MS,
    );
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel?.();
  }

  /**
   * Dials for the operator, even if the address is banned or suspended, or the connection limit is reached. Page 04
   * §19, §22.
   * @returns false if too many dials or a dial of this address are in progress
   */
  connect(address: PeerAddress): boolean {
    if (
      this.#isStopped ||
      this.#attempts.size >= MAX_CONCURRENT_DIALS ||
      this.#attempts.has(formatPeerAddress(address))
    )
      return false;
    this.#begin(address, () => true);
    return true;
  }

  #dialNext(): void {
    const { connections, database, ownNode, maxOutbound } = this.#dependencies;
    // A name that is being resolved counts as a dial in progress.
    if (connections.outboundCount + this.#attempts.size >= maxOutbound) return;
    const excluded = [
      ...ownNode.addresses(),
      ...connections.connectedAddresses(),
      ...this.#attempts.values(),
    ];
    const address = database.choose(excluded);
    if (address === undefined) return;
    const excludedTexts = new Set(excluded.map(formatPeerAddress));
    this.#begin(address, (found) => {
      if (excludedTexts.has(formatPeerAddress(found))) return false;
      return !database.isBlacklisted(found.host) && !database.isSuspended(found);
    });
  }

  #begin(address: PeerAddress, mayDial: (found: PeerAddress) => boolean): void {
    const facts = { peer: formatPeerAddress(address) };
    contain({ log: this.#dependencies.log, message: "Cannot dial a peer", facts }, () =>
      this.#attempt(address, mayDial),
    );
  }

  async #attempt(address: PeerAddress, mayDial: (found: PeerAddress) => boolean): Promise<void> {
    const { connections, database } = this.#dependencies;
    const key = formatPeerAddress(address);
    this.#attempts.set(key, address);
    try {
      const found = await this.#resolve(address, mayDial);
      if (found === undefined) database.suspend(address);
      else await connections.dial(found, address);
    } finally {
      this.#attempts.delete(key);
    }
  }

  async #resolve(
    { host, port }: PeerAddress,
    mayDial: (found: PeerAddress) => boolean,
  ): Promise<PeerAddress | undefined> {
    const { hosts, log } = this.#dependencies;
    if (ipBytes(host) !== undefined) return { host, port };
    try {
      const addresses = await hosts.resolve(host);
      return addresses.map((address) => ({ host: canonicalHost(address), port })).find(mayDial);
    } catch (error) {
      log.debug(`Cannot resolve the peer ${host}`, {
        reason: reasonOf(error),
      });
      return undefined;
    }
  }
}

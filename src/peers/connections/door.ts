/** Who may open a connection to this node. Page 04 §4.2. */

import { originOf, rangeOf } from "../../bytes/ip.ts";
import type { Clock } from "../../interfaces.ts";
import type { PeerDatabase } from "../database/peer-database.ts";
import { InboundSlots } from "../inbound-slots.ts";
import type { ConnectionOptions } from "../options.ts";
import { BudgetTable } from "../rate/token-bucket.ts";
import { DISPLACEMENT_BUDGET, INBOUND_BUDGET } from "./limits.ts";

/** Origins whose new connections are counted one by one. */
const MAX_ORIGINS = 10_000;

export interface DoorDependencies {
  readonly clock: Clock;
  readonly database: Pick<PeerDatabase, "isBlacklisted">;
  readonly options: Pick<ConnectionOptions, "maxInbound" | "maxInboundOfHost">;
  /** Ends an inbound connection to make room for a newcomer, if `leastUseful` finds one. */
  readonly makeRoom: (newcomer: string, mayDisplace: () => boolean) => boolean;
}

export class Door {
  readonly #dependencies: DoorDependencies;
  readonly #slots: InboundSlots;
  readonly #newcomers: BudgetTable;
  readonly #displacements: BudgetTable;

  constructor(dependencies: DoorDependencies) {
    const { clock, options } = dependencies;
    this.#dependencies = dependencies;
    this.#slots = new InboundSlots(options.maxInbound, options.maxInboundOfHost);
    this.#newcomers = new BudgetTable(clock, INBOUND_BUDGET, MAX_ORIGINS);
    this.#displacements = new BudgetTable(clock, DISPLACEMENT_BUDGET, MAX_ORIGINS);
  }

  /**
   * Judges who connects, before a byte is read.
   * @returns what gives the place back when the connection has ended; a text: why there is none
   */
  enter(host: string): (() => void) | string {
    const { database, makeRoom } = this.#dependencies;
    if (database.isBlacklisted(host)) return "banned";
    if (!this.#newcomers.take(originOf(host))) return "too many one after the other";
    if (this.#slots.isFullFor(host)) return "too many from there";
    if (this.#slots.isFull) makeRoom(host, () => this.#displacements.take(rangeOf(host)));
    return this.#slots.take(host) ?? "no place";
  }
}

/** Page 04 §4.2. */

import { originOf, rangeOf, siteOf } from "../../bytes/ip.ts";
import { failed, ok, type Result } from "../../errors/result.ts";
import type { Clock } from "../../interfaces.ts";
import { OriginSlots } from "../../runtime/origin-slots.ts";
import { BudgetTable } from "../../runtime/token-bucket.ts";
import type { PeerDatabase } from "../database/peer-database.ts";
import type { ConnectionOptions } from "../options.ts";
import { INBOUND_BUDGET, RANGE_DISPLACEMENT_BUDGET, SITE_DISPLACEMENT_BUDGET } from "./limits.ts";

const MAX_BUDGETS = 10_000;

interface InboundGateDependencies {
  readonly clock: Clock;
  readonly database: Pick<PeerDatabase, "isBlacklisted">;
  readonly options: Pick<ConnectionOptions, "maxInbound" | "maxInboundOfHost">;
  /** Returns true if it closed a connection for the newcomer. */
  readonly makeRoom: (newcomer: string, mayDisplace: () => boolean) => boolean;
}

export class InboundGate {
  readonly #dependencies: InboundGateDependencies;
  readonly #slots: OriginSlots;
  readonly #newConnections: BudgetTable;
  readonly #siteDisplacements: BudgetTable;
  readonly #rangeDisplacements: BudgetTable;

  constructor(dependencies: InboundGateDependencies) {
    const { clock, options } = dependencies;
    this.#dependencies = dependencies;
    this.#slots = new OriginSlots(options.maxInbound, options.maxInboundOfHost);
    this.#newConnections = new BudgetTable(clock, INBOUND_BUDGET, MAX_BUDGETS);
    this.#siteDisplacements = new BudgetTable(clock, SITE_DISPLACEMENT_BUDGET, MAX_BUDGETS);
    this.#rangeDisplacements = new BudgetTable(clock, RANGE_DISPLACEMENT_BUDGET, MAX_BUDGETS);
  }

  /** @returns a function that releases the slot, or the reason for the rejection */
  enter(host: string): Result<() => void, string> {
    const { database, makeRoom } = this.#dependencies;
    if (database.isBlacklisted(host)) return failed("banned");
    if (!this.#newConnections.take(originOf(host)))
      return failed("too many connections in a short time from this origin");
    if (this.#slots.isFullFor(host)) return failed("too many connections from this origin");
    if (this.#slots.isFull) makeRoom(host, () => this.#mayDisplace(host));
    const release = this.#slots.take(host);
    return release === undefined ? failed("no free slot") : ok(release);
  }

  /** Charges site and range, or neither if one has no budget left. */
  #mayDisplace(host: string): boolean {
    const site = siteOf(host);
    if (!this.#siteDisplacements.take(site)) return false;
    if (this.#rangeDisplacements.take(rangeOf(host))) return true;
    this.#siteDisplacements.refund(site, 1);
    return false;
  }
}

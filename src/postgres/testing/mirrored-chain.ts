import { vi } from "vitest";
import { chainReader } from "../../chain/snapshot.ts";
import { RandomChain } from "../../chain/testing/random-chain.ts";
import type { ChainReader, Clock } from "../../interfaces.ts";
import { systemClock } from "../../runtime/system.ts";
import { RecordingLog } from "../../testing/dev-node.ts";
import { trustOfSpenders } from "../../testing/random-transactions.ts";
import { SeededRandom } from "../../testing/seeded-random.ts";
import type { SqlConnection } from "../connection/sql-connection.ts";
import { Mirror } from "../mirror/mirror.ts";
import { type VerifiedTables, verifyTables } from "../mirror/verify-tables.ts";
import { testDescription } from "./mirror-database.ts";

/** A random chain whose mirrors write to databases of the test. */
export class MirroredChain extends RandomChain {
  readonly log = new RecordingLog();

  constructor(seed: number) {
    super(new SeededRandom(seed));
  }

  get #reader(): ChainReader {
    const { profile } = this;
    const { rules } = this.chain;
    const trust = trustOfSpenders(profile.chainId);
    return chainReader(this.store, { profile, rules, indexAll: true, trust });
  }

  /** What a mirror of the test needs of its node. */
  get mirrored() {
    return { reader: this.#reader, network: this.profile, clock: this.clock };
  }

  /** Compares all tables of a database with the chain. */
  verify(sql: SqlConnection): Promise<VerifiedTables> {
    return verifyTables(sql, { ...this.mirrored, isStopped: () => false, progress: () => {} });
  }

  /** Starts a mirror, which the test stops. */
  mirror(
    connect: () => Promise<SqlConnection>,
    holder = "one",
    store = "store one",
    clock: Clock = systemClock,
  ): Mirror {
    const mirror = new Mirror({
      connect,
      reader: this.#reader,
      network: this.profile,
      description: { ...testDescription, store },
      clock,
      log: this.log,
      holder,
      forkDepth: 5,
    });
    mirror.run().catch(() => {});
    return mirror;
  }

  growTo(height: number): void {
    while (this.chain.tip.height < height) this.grow();
  }
}

export const isCurrent = ({ info: { state, lagUnits, isWriter } }: Mirror): boolean =>
  isWriter && state === "live" && lagUnits === 0;

export const untilCurrent = (mirror: Mirror): Promise<unknown> =>
  vi.waitUntil(() => isCurrent(mirror), { timeout: 60_000, interval: 20 });

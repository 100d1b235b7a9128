import { blockBytes } from "../../blocks/block.ts";
import { microBlockBytes } from "../../blocks/micro-block.ts";
import { bytesEqual } from "../../bytes/compare.ts";
import { failed, ok, type Result } from "../../errors/result.ts";
import type { ChainCursor, FollowedPosition, Log, UnitRecord } from "../../interfaces.ts";
import { JournalPrunedError, PERSIST_SEQUENCE } from "../../storage/batch/write-batch.ts";
import type { NetworkRules, Transaction } from "../../transactions/index.ts";
import { Preverifier, type RequestVerifier } from "../../verification/ahead.ts";
import type { BlockGroup, Chain } from "../chain.ts";
import { persistUnits } from "../reading/common-record.ts";
import { earlierRecords, newestRecord } from "../reading/unit-records.ts";
import type { BlockChecks } from "../writing/open-change.ts";
import { appendUnit } from "./append-unit.ts";
import { transactionsOf, type UnitContent, unitContent } from "./unit-content.ts";

/** Units whose signatures and proofs of stake are checked. `live`: only in changes with `isLive`. */
export type FollowChecks = "none" | "live" | "all";

/** Units to undo and to append, in one commit. */
export interface UnitChange {
  /** Newest unit to keep; default: nothing is undone. */
  readonly undoTo?: ChainCursor | undefined;
  /** Oldest first; at most `MAX_CHANGE`. */
  readonly records: readonly UnitRecord[];
  /** False until the source's tip has been reached. Default: true. */
  readonly isLive?: boolean | undefined;
}

/**
 * `malformed`: the record contradicts itself or has an invalid signature; `refused`: it does not fit our chain, or
 * breaks the ledger's rules; `digest`: its rows differ from the source's; `parent unknown`: it does not continue our
 * chain, or `undoTo` is not on it; `too deep`: the undo journal does not reach back to `undoTo`.
 */
export interface FollowFault {
  readonly kind: "malformed" | "refused" | "digest" | "parent unknown" | "too deep";
  readonly unit: ChainCursor;
  readonly reason: string;
}

/** Maximum of one change, which is in memory until its commit. */
export const MAX_CHANGE = { units: 20_000, bytes: 32 * 1_024 * 1_024 };
const CHANGE_TOO_LARGE = `the change exceeds ${MAX_CHANGE.units} units or ${MAX_CHANGE.bytes} bytes`;

const DIGEST_LENGTH = 32;
const TRANSACTIONS_PER_CHECK = 1_000;
const SOURCE = "followed units";
const ASSUME_CHECKED: BlockChecks = { signature: true, header: true, verdicts: () => true };

interface FollowerDependencies {
  readonly chain: Chain;
  readonly network: NetworkRules;
  readonly verifier: RequestVerifier;
  readonly checks: FollowChecks;
  readonly log?: Log | undefined;
}

interface PreparedUnit {
  readonly record: UnitRecord;
  readonly content: UnitContent;
  readonly checks: BlockChecks;
}

/** Applies units of the source's chain. */
export class Follower {
  readonly #dependencies: FollowerDependencies;
  readonly #preverifier: Preverifier;

  constructor(dependencies: FollowerDependencies) {
    this.#dependencies = dependencies;
    this.#preverifier = new Preverifier(dependencies.verifier, dependencies.log);
  }

  get position(): ChainCursor {
    return this.#dependencies.chain.read(newestRecord);
  }

  /** `position`, with data to find the common unit. */
  get followedPosition(): FollowedPosition {
    return this.#dependencies.chain.read((reader) => ({
      ...newestRecord(reader),
      persists: persistUnits(reader),
    }));
  }

  /** See `earlierRecords`. */
  earlierPositions(): readonly ChainCursor[] {
    return this.#dependencies.chain.read(earlierRecords);
  }

  /**
   * Applies the whole change, or nothing.
   * @returns the new position
   * @throws ChainBusyError if the queue is full
   * @throws ChainClosedError
   * @throws DiskError
   */
  async apply(change: UnitChange): Promise<Result<ChainCursor, FollowFault>> {
    const { undoTo, records } = change;
    if (undoTo === undefined && records.length === 0) return ok(this.position);
    const prepared = await this.#prepare(change);
    if (!prepared.ok) return prepared;
    const { chain } = this.#dependencies;
    const group = await chain.whenFree(() => chain.beginGroup());
    let fault: FollowFault | undefined;
    try {
      fault = undoTo && undo(group, undoTo);
      const slice = group.timeSlice();
      for (const unit of prepared.value) {
        if (fault !== undefined) break;
        if (slice.isOver) {
          await slice.yield();
          group.resume();
        }
        fault = append(group, unit);
      }
    } catch (error) {
      group.abandon();
      throw error;
    }
    if (fault === undefined) {
      group.commit();
      return ok(this.position);
    }
    group.abandon();
    return failed(fault);
  }

  async #prepare({
    records,
    isLive = true,
  }: UnitChange): Promise<Result<readonly PreparedUnit[], FollowFault>> {
    const { network, checks } = this.#dependencies;
    const isChecked = checks === "all" || (checks === "live" && isLive);
    const units: PreparedUnit[] = [];
    let bytes = 0;
    for (const record of records) {
      bytes += record.bytes.length;
      if (units.length === MAX_CHANGE.units || bytes > MAX_CHANGE.bytes)
        return failed(faultOf("malformed", record, CHANGE_TOO_LARGE));
      const content = unitContent(record, network, !isChecked);
      if (!content.ok) return failed(faultOf("malformed", record, content.error));
      units.push({ record, content: content.value, checks: ASSUME_CHECKED });
    }
    if (!isChecked) return ok(units);
    await this.#verify(units.flatMap(({ content }) => transactionsOf(content)));
    const checked: PreparedUnit[] = [];
    for (const unit of units) {
      const signature = await this.#isSigned(unit.content);
      if (signature === false) return failed(faultOf("malformed", unit.record, "its signature is invalid"));
      checked.push({ ...unit, checks: { signature } });
    }
    return ok(checked);
  }

  /** The results are stored in the transactions. */
  async #verify(transactions: readonly Transaction[]): Promise<void> {
    for (let at = 0; at < transactions.length; at += TRANSACTIONS_PER_CHECK)
      await this.#preverifier.verifyTransactions(SOURCE, transactions.slice(at, at + TRANSACTIONS_PER_CHECK));
  }

  #isSigned(content: UnitContent): Promise<boolean | undefined> {
    if (content.kind === "persist") return Promise.resolve(true);
    const bytes = content.kind === "block" ? blockBytes(content.block) : microBlockBytes(content.micro);
    return this.#preverifier.isSigned(SOURCE, bytes);
  }
}

function undo(group: BlockGroup, target: ChainCursor): FollowFault | undefined {
  if (target.height < 1) return faultOf("too deep", target, "the genesis block cannot be undone");
  if (!group.has(target)) return faultOf("parent unknown", target, "it is not on our chain");
  try {
    group.undoTo(target);
    return undefined;
  } catch (error) {
    if (error instanceof JournalPrunedError) return faultOf("too deep", target, error.message);
    throw error;
  }
}

function append(group: BlockGroup, { record, content, checks }: PreparedUnit): FollowFault | undefined {
  const fault = nextUnitFault(group, record);
  if (fault !== undefined) return fault;
  const { arrivedAt, digest } = record;
  const result = appendUnit(group, { content, arrivedAt, digest }, checks);
  return result.ok ? undefined : faultOf(result.error.kind, record, result.error.reason);
}

function nextUnitFault({ tip, position }: BlockGroup, record: UnitRecord): FollowFault | undefined {
  const { kind, height, sequence, arrivedAt, isParentPersisted, digest, parent } = record;
  if (!bytesEqual(parent, position.id))
    return faultOf("parent unknown", record, `our chain is at ${positionText(position)}`);
  const expected = { block: 0, micro: tip.sequence + 1, persist: PERSIST_SEQUENCE }[kind];
  const isNext = height === (kind === "block" ? tip.height + 1 : tip.height) && sequence === expected;
  if (!isNext || (kind !== "block" && !tip.liquid))
    return faultOf("refused", record, `a ${kind} cannot follow ${positionText(position)}`);
  if (kind === "persist" && !bytesEqual(record.id, position.id))
    return faultOf("refused", record, "a persist unit must have the id of the block that it persists");
  if (isParentPersisted !== (kind === "block" && !tip.liquid))
    return faultOf("refused", record, `isParentPersisted must be ${!isParentPersisted}`);
  if (!Number.isSafeInteger(arrivedAt) || arrivedAt < 0 || (kind !== "micro" && arrivedAt !== 0))
    return faultOf("refused", record, `the arrival time ${arrivedAt} is invalid for a ${kind}`);
  if (digest !== undefined && digest.length !== DIGEST_LENGTH)
    return faultOf("refused", record, `its digest has ${digest.length} bytes instead of ${DIGEST_LENGTH}`);
  return undefined;
}

function faultOf(
  kind: FollowFault["kind"],
  { height, sequence, id }: ChainCursor,
  reason: string,
): FollowFault {
  return { kind, unit: { height, sequence, id }, reason };
}

function positionText({ height, sequence }: ChainCursor): string {
  return `${height}.${sequence}`;
}

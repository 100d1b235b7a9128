/**
 * A switch to another branch that takes more than one commit. Until it has ended the store says how to come back: our
 * units are in the log of reverted units, and a row names them. So a refused block, or a start after a kill, restores
 * the chain as it was.
 */
import type { Block } from "../../blocks/block.ts";
import { bytesEqual } from "../../bytes/compare.ts";
import { decodeHex, encodeHex } from "../../bytes/hex.ts";
import { decodeUtf8, encodeUtf8 } from "../../bytes/utf8.ts";
import type { Reader, Writer } from "../../storage/kv.ts";
import { isAfter, type UnitKey } from "../../storage/places.ts";
import { tables } from "../../storage/tables.ts";
import { transactionsOf } from "../../storage/values/chain.ts";
import type { RevertedUnit } from "../../storage/values/reverted.ts";
import { type NetworkRules, parseTransactionAgain, type Transaction } from "../../transactions/index.ts";
import { newestUnit } from "../reading/changes.ts";
import type { Checked, Session } from "./session.ts";

const KEY = "switch";

/** How to come back from a switch. */
export interface UnfinishedSwitch {
  /** The newest unit that both branches have. */
  readonly floor: UnitKey;
  /** Numbers in the log of reverted units: our units are those behind `after` up to `last`, the newest first. */
  readonly after: number;
  readonly last: number;
  /** Whether our newest block was persisted without a child. */
  readonly isPersisted: boolean;
}

/** What was in our chain has valid signatures and proofs. */
const CHECKED: Checked = { signature: true, verdicts: () => true };

/** Number of the newest entry of the log of reverted units; 0 when it is empty. */
export function newestReverted(reader: Reader): number {
  for (const [serial] of reader.range(tables.revertedOrder, { reverse: true, limit: 1 })) return serial;
  return 0;
}

/** To be called in each commit of a switch but for the last one: it is valid for the chain that the commit leaves. */
export function recordSwitch(writer: Writer & Reader, unfinished: UnfinishedSwitch): void {
  const current = encodeHex(newestUnit(writer).id);
  writer.put(tables.meta, KEY, encodeUtf8(JSON.stringify({ ...unfinished, current })));
}

/** Returns whether the store has the row of a switch; it may be void. */
export function hasSwitchRow(reader: Reader): boolean {
  return reader.get(tables.meta, KEY) !== undefined;
}

/**
 * To be called in the commit that ends a switch, and in each commit of another change: otherwise the row would count
 * again if the chain ever came back to the same unit.
 */
export function forgetSwitch(writer: Writer): void {
  writer.remove(tables.meta, KEY);
}

/** The switch that was not ended; undefined when there is none, or the chain has changed since. */
export function unfinishedSwitch(reader: Reader): UnfinishedSwitch | undefined {
  const bytes = reader.get(tables.meta, KEY);
  if (bytes === undefined) return undefined;
  const { current, ...unfinished } = JSON.parse(decodeUtf8(bytes)) as UnfinishedSwitch & { current: string };
  return bytesEqual(decodeHex(current), newestUnit(reader).id) ? unfinished : undefined;
}

/** The way back, unit by unit, over any number of sessions. */
export class SwitchBack {
  readonly #unfinished: UnfinishedSwitch;
  readonly #network: NetworkRules;
  /** Number of the unit to be appended next, once the other branch is undone. */
  #next: number | undefined;
  #failure: string | undefined;

  constructor(unfinished: UnfinishedSwitch, network: NetworkRules) {
    this.#unfinished = unfinished;
    this.#network = network;
  }

  /** Why not all of our units could be appended again, a fault of this node: the chain ends with the last one that could. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /**
   * Undoes or appends one unit.
   * @returns whether it is done: the session is to be committed then
   */
  step(session: Session): boolean {
    const { floor, after, last, isPersisted } = this.#unfinished;
    if (this.#next === undefined) {
      session.undoing(floor).next();
      if (isAfter(session.lastUnit, floor)) return false;
      this.#next = last;
    } else if (this.#next > after) this.#failure = this.#append(session, this.#next--);
    if (this.#next > after && this.#failure === undefined) return false;
    if (isPersisted && this.#failure === undefined) session.persistTip();
    forgetSwitch(session.batch);
    return true;
  }

  /** @returns why it is refused */
  #append(session: Session, serial: number): string | undefined {
    const { batch } = session;
    const entry = batch.get(tables.revertedOrder, serial);
    const unit = entry && batch.get(tables.revertedUnits, entry.id);
    if (unit === undefined) return `Unit ${serial} of the log of reverted units is missing`;
    const transactions = this.#transactions(unit);
    const { header, micro } = unit;
    const refusal =
      micro === undefined
        ? session.appendKeyBlock(keyBlockOf(unit, transactions), CHECKED)
        : session.appendMicroBlock(
            { ...micro, generator: header.generator, transactions },
            micro.arrivedAt,
            CHECKED,
          );
    return refusal?.printed;
  }

  #transactions({ body }: RevertedUnit): readonly Transaction[] {
    if (body === undefined) return [];
    return transactionsOf(body).map((bytes) => parseTransactionAgain(bytes, this.#network));
  }
}

function keyBlockOf({ header }: RevertedUnit, transactions: readonly Transaction[]): Block {
  const { baseSignature, size: _, transactionCount: __, ...fields } = header;
  return { ...fields, signature: baseSignature, transactions };
}

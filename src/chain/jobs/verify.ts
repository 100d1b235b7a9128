import { type Block, isBlockSigned } from "../../blocks/block.ts";
import { encodeBase58 } from "../../bytes/base58.ts";
import { bytesEqual } from "../../bytes/compare.ts";
import { failed } from "../../errors/result.ts";
import { indexNames, indexTables } from "../../indexes/all.ts";
import type { Reader } from "../../storage/kv.ts";
import { recordedAt } from "../../storage/ledger/recorded-transactions.ts";
import { invertedIndexes } from "../../storage/postings/all.ts";
import type { Store } from "../../storage/store.ts";
import { counters, tables } from "../../storage/tables.ts";
import { type NetworkRules, parseTransaction, transactionId } from "../../transactions/index.ts";
import type { Chain } from "../chain.ts";
import { blockText, signatureRefusal } from "../deciding/block-refusal.ts";
import { appendUnit } from "../following/append-unit.ts";
import { blockBody } from "../reading/bodies.ts";
import { indexStates } from "../reading/index-states.ts";
import { type ChainUnit, unitsOfBlock } from "../reading/stored-units.ts";
import { hasPersistUnit } from "../reading/unit-records.ts";
import { yieldToEventLoop } from "../writing/time-slice.ts";
import { type ApplyBlock, type ApplyBlocksOptions, applyBlocks } from "./apply-blocks.ts";
import { storedBlockSource } from "./stored-block-source.ts";
import { counterFaults } from "./verify-counters.ts";
import { comparedTables, type Fault, type FaultOrPause, tableFaults } from "./verify-differences.ts";
import { digestFaults } from "./verify-digests.ts";
import { transactionLookupFaults } from "./verify-lookups.ts";
import { postingFaults } from "./verify-postings.ts";
import { sponsorFaults } from "./verify-sponsors.ts";

export type { Fault } from "./verify-differences.ts";

export interface VerifyOptions extends ApplyBlocksOptions {
  /** Maximum faults listed per table. Default: 20. */
  readonly faultsPerTable?: number | undefined;
  readonly onCompare?: ((progress: CompareProgress) => void) | undefined;
}

export interface CompareProgress {
  readonly table: string;
  readonly done: number;
  readonly total: number;
}

export interface Verification {
  readonly outcome: "right" | "faults" | "stopped";
  readonly faults: readonly Fault[];
  /** Number of faults beyond `faultsPerTable`. */
  readonly unlisted: number;
  readonly blocks: number;
  readonly transactions: number;
  readonly rows: number;
  /** Tables of incomplete or differently configured indexes, which were not compared. */
  readonly outdated: readonly string[];
}

/**
 * Applies the stored blocks with their micro blocks to an empty chain, with every check, and compares the result with
 * the store row by row.
 * @param stored a snapshot of the store to verify
 * @param scratch an empty chain with equal network, indexes and options
 * @param scratchStore the store of `scratch`
 */
export async function verifyStore(
  stored: Reader,
  scratch: Chain,
  scratchStore: Pick<Store, "snapshot">,
  network: NetworkRules,
  options: VerifyOptions,
): Promise<Verification> {
  const faults: Fault[] = [];
  const height = stored.get(tables.tip, undefined)?.height ?? 0;
  const replay = new Replay(stored, network);
  const source = storedBlockSource(stored, height);
  const applied = await applyBlocks(scratch, network, source, height, options, replay.apply);
  const { blocks, transactions, refused, outcome } = applied;
  const checked = { blocks: blocks + 1, transactions, outdated: [] };
  if (outcome === "stopped") return { outcome, faults, unlisted: 0, ...checked, rows: 0 };
  if (refused !== undefined) {
    faults.push({ table: "blocks", key: `height=${refused.height}`, problem: refused.reason });
    faults.push(...transactionFaults(stored, refused.height, network));
    return { outcome: "faults", faults, unlisted: 0, ...checked, rows: 0 };
  }
  replay.persistTip(scratch);
  // Nothing writes to `scratchStore` now.
  const expected = scratchStore.snapshot();
  try {
    const outdated = outdatedTables(stored, expected);
    return { ...checked, ...(await compare(stored, expected, outdated, options)), outdated };
  } finally {
    expected.close();
  }
}

function outdatedTables(stored: Reader, expected: Reader): readonly string[] {
  const [storedStates, expectedStates] = [indexStates(stored), indexStates(expected)];
  return indexNames.flatMap((name) => {
    const [found, correct] = [storedStates.get(name), expectedStates.get(name)];
    const isSame =
      found === undefined
        ? correct === undefined
        : found.kind === "whole" &&
          found.kind === correct?.kind &&
          found.configurationText === correct.configurationText;
    return isSame ? [] : indexTables[name];
  });
}

async function compare(
  stored: Reader,
  expected: Reader,
  outdated: readonly string[],
  { faultsPerTable = 20, onCompare, isStopped }: VerifyOptions,
): Promise<Pick<Verification, "outcome" | "faults" | "unlisted" | "rows">> {
  const faults: Fault[] = [];
  let unlisted = 0;
  let rows = 0;
  const tasks = comparisons(stored, expected, outdated);
  for (const [done, { table, found }] of tasks.entries()) {
    let listed = 0;
    let next = found.next();
    for (; next.done !== true; next = found.next()) {
      if (next.value !== undefined) {
        if (listed++ < faultsPerTable) faults.push(next.value);
        else unlisted++;
        continue;
      }
      onCompare?.({ table, done, total: tasks.length });
      await yieldToEventLoop();
      if (isStopped?.() === true) {
        found.return(0);
        return { outcome: "stopped", faults, unlisted, rows };
      }
    }
    rows += next.value;
    onCompare?.({ table, done: done + 1, total: tasks.length });
  }
  return { outcome: faults.length === 0 ? "right" : "faults", faults, unlisted, rows };
}

function comparisons(stored: Reader, expected: Reader, outdated: readonly string[]) {
  const all: { readonly table: string; readonly found: Generator<FaultOrPause, number> }[] = [];
  for (const table of comparedTables)
    if (!outdated.includes(table.name))
      all.push({ table: table.name, found: tableFaults(table, stored, expected) });
  all.push({ table: tables.unitDigests.name, found: digestFaults(stored, expected) });
  all.push({ table: tables.sponsors.name, found: sponsorFaults(stored, expected) });
  all.push({ table: "transactionIds", found: transactionLookupFaults(stored, expected) });
  for (const index of Object.values(invertedIndexes))
    if (!outdated.includes(index.table.name))
      all.push({
        table: `${index.table.name} (lookup)`,
        found: postingFaults(index, stored, expected),
      });
  for (const counter of Object.values(counters))
    if (!outdated.includes(counter.name))
      all.push({ table: counter.name, found: counterFaults(counter, stored, expected) });
  return all;
}

/** Applies stored blocks, micro blocks and persist units. */
class Replay {
  readonly #stored: Reader;
  readonly #network: NetworkRules;

  constructor(stored: Reader, network: NetworkRules) {
    this.#stored = stored;
    this.#network = network;
  }

  readonly apply: ApplyBlock = (group, { block, signed, verdicts }, height) => {
    if (hasPersistUnit(this.#stored, height - 1)) group.persist();
    const [keyUnit, ...microUnits] = unitsOfBlock(this.#stored, this.#network, height);
    const hasMicroBlocks = keyUnit !== undefined && microUnits.length > 0;
    // `signed` is the result for the block with all micro blocks. Appending checks the key block's own signature.
    if (hasMicroBlocks && !signed && !isBlockSigned(block))
      return failed(signatureRefusal(blockText(block)).printed);
    const keyBlock = hasMicroBlocks
      ? { ...block, signature: keyUnit.id, transactions: transactionsOf(keyUnit, block) }
      : block;
    const checks = hasMicroBlocks ? { verdicts } : { signature: signed || undefined, verdicts };
    let result = appendUnit(group, { content: { kind: "block", block: keyBlock }, arrivedAt: 0 }, checks);
    for (const unit of microUnits) {
      const { micro: row } = unit;
      if (row === undefined || !result.ok) break;
      const micro = { ...row, generator: block.generator, transactions: transactionsOf(unit, block) };
      const content = { kind: "micro", micro } as const;
      result = appendUnit(group, { content, arrivedAt: row.arrivedAt }, { verdicts });
    }
    return result.ok ? result : failed(result.error.reason);
  };

  persistTip(scratch: Chain): void {
    if (hasPersistUnit(this.#stored, scratch.tip.height)) scratch.persistTip();
  }
}

function transactionsOf({ firstPosition, transactionCount }: ChainUnit, { transactions }: Block) {
  return transactions.slice(firstPosition, firstPosition + transactionCount);
}

function transactionFaults(stored: Reader, height: number, network: NetworkRules): Fault[] {
  const faults: Fault[] = [];
  try {
    for (const [position, bytes] of blockBody(stored, height).entries()) {
      const id = recordedAt(stored, { height, position })?.id;
      const found = idOf(bytes, network);
      if (id === undefined || (found !== undefined && bytesEqual(found, id))) continue;
      const problem = `its bytes are ${found === undefined ? "not a transaction" : `those of ${encodeBase58(found)}`}`;
      const key = `height=${height} position=${position} transaction ${encodeBase58(id)}`;
      faults.push({ table: "bodies", key, problem });
    }
  } catch {
    // The caller already reports unreadable rows.
  }
  return faults;
}

function idOf(bytes: Uint8Array, network: NetworkRules): Uint8Array | undefined {
  try {
    return transactionId(parseTransaction(bytes, network));
  } catch {
    // Damaged bytes may cause any error.
    return undefined;
  }
}

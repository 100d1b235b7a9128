/** Import of a file of blocks: threads check signatures ahead while this one applies the blocks in order. */
import { type Block, type BlockScan, blockBytes, scanBlock } from "../blocks/block.ts";
import { BlockParseError } from "../blocks/errors.ts";
import { parseTransactionsAt } from "../blocks/transactions-section.ts";
import { encodeBase58 } from "../bytes/base58.ts";
import { bytesEqual } from "../bytes/compare.ts";
import type { Verdicts } from "../ledger/proofs.ts";
import { verifyProof } from "../ledger/proofs.ts";
import type { NetworkRules } from "../transactions/index.ts";
import { enterComputed } from "../transactions/index.ts";
import type { BlockGroup, Chain } from "./chain.ts";
import { BlockFile, BlockFileError, type ByteSource, type FileBlock } from "./import/block-file.ts";
import type { BatchChecker } from "./import/checker.ts";
import { SharedBatch } from "./import/shared-batch.ts";
import { headerRow } from "./rows.ts";

export { BlockFileError, type ByteSource } from "./import/block-file.ts";
export { type BatchChecker, CheckerError, inlineChecker, threadChecker } from "./import/checker.ts";

/** How far an import is. */
export interface ImportProgress {
  /** Height of the block applied last. */
  readonly height: number;
  /** Transactions applied by this import. */
  readonly transactions: number;
  /** Bytes of the file that are done, and its length. */
  readonly bytes: number;
  readonly size: number;
}

export interface ImportOptions {
  readonly checker: BatchChecker;
  /** Transactions of one commit, about. */
  readonly commitEvery?: number | undefined;
  /** Called some times a second, and at the end. */
  readonly progress?: ((progress: ImportProgress) => void) | undefined;
  /** Asked between blocks: the import ends as soon as this says so, and can go on later. */
  readonly isStopped?: (() => boolean) | undefined;
}

/** How an import ended. Everything before that is stored. */
export interface ImportResult {
  /** Whether the file was read to its end. */
  readonly outcome: "complete" | "stopped" | "refused";
  /** Blocks that were in the chain already, and blocks that came with this import. */
  readonly known: number;
  readonly imported: number;
  readonly transactions: number;
  /** What was refused, and why, when the outcome says so. */
  readonly refused?: { readonly height: number; readonly reason: string } | undefined;
}

/** A commit of so many transactions needs some 100 MB and takes a second or two. */
const COMMIT_EVERY = 60_000;
/** What the rows of a block without transactions weigh, as transactions. */
const BLOCK_WEIGHT = 8;
/** Bytes of blocks in one commit at most: transactions can be large. */
const COMMIT_BYTES = 24 * 1024 * 1024;
/** Batches that are checked ahead, and their size: together 50 to 100 blocks of 300 transactions. */
const BATCHES = 8;
const BATCH_ROOM = { bytes: 512 * 1024, blocks: 512, transactions: 8_192 };

interface ReadBlock extends FileBlock {
  readonly scan: BlockScan;
}

/** Blocks that are on their way through the checks. */
interface Flight {
  readonly batch: SharedBatch;
  readonly blocks: readonly ReadBlock[];
  readonly checked: Promise<void>;
  /** The memory that is used again afterwards: that of the batch, unless it was too small. */
  readonly lent: SharedBatch;
}

/** Why the file cannot be followed further, and at which block. */
interface Ending {
  readonly height: number;
  readonly reason: string;
}

/**
 * Imports the blocks of a file that the chain does not have yet. Page 03 §12.8. They are checked as those of peers are
 * (page 03 §12.4), but for the clock. A refused block ends the import; the blocks before it stay. At the end of
 * the file the last block is persisted (page 05 §23.8).
 * @throws BlockFileError when the file holds another chain than the store; nothing is changed then
 */
export async function importBlocks(
  chain: Chain,
  network: NetworkRules,
  source: ByteSource,
  options: ImportOptions,
): Promise<ImportResult> {
  const file = new BlockFile(source);
  const known = skipKnown(chain, file, source);
  const reader = new ReadAhead(file, options.checker);
  const writer = new GroupWriter(chain, options.commitEvery ?? COMMIT_EVERY);
  const report = (bytes: number): void =>
    options.progress?.({
      height: chain.tip.height + writer.open,
      transactions: writer.transactions,
      bytes,
      size: source.size,
    });
  let outcome: ImportResult["outcome"] = "complete";
  let refused: Ending | undefined;
  try {
    for (let flight = reader.next(); flight !== undefined; flight = reader.next()) {
      await flight.checked;
      for (const [i, block] of flight.blocks.entries()) {
        if (options.isStopped?.() === true) outcome = "stopped";
        else refused = writer.append(block, checkedBlock(flight.batch, i, block, network));
        if (refused !== undefined || outcome === "stopped") break;
      }
      if (refused !== undefined || outcome === "stopped") break;
      report(flight.blocks.at(-1)?.end ?? 0);
      reader.release(flight);
    }
    writer.commit();
  } catch (error) {
    writer.abandon();
    throw error;
  }
  if (outcome !== "stopped") {
    refused ??= reader.ending;
    if (refused !== undefined) outcome = "refused";
    chain.persistTip();
  }
  const { imported, transactions } = writer;
  return { outcome, known, imported, transactions, refused };
}

// --------------------------------------------------------------------------------------------- what is there

/**
 * Passes over the blocks that the chain has. A liquid block that the file has otherwise makes room.
 * @returns how many they are
 */
function skipKnown(chain: Chain, file: BlockFile, source: ByteSource): number {
  const { height, liquid } = chain.tip;
  // The last one below the tip and the tip itself are compared: an id stands for all blocks before it.
  while (file.height < height - 2) if (!file.skip()) return checkAll(chain, source, file.height);
  while (file.height < height) {
    const block = file.next();
    if (block === undefined) return checkAll(chain, source, file.height);
    if (isOwn(chain, block)) continue;
    if (!liquid || block.height < height) return checkAll(chain, source, block.height);
    const parent = ownId(chain, height - 1);
    chain.removeAfter(parent, { returnTransactions: false });
    file.back(block);
    return height - 2;
  }
  return height - 1;
}

/** Compares block by block up to a height. @returns the number of blocks, which all are the chain's own */
function checkAll(chain: Chain, source: ByteSource, height: number): number {
  const file = new BlockFile(source);
  while (file.height < height) {
    const block = file.next();
    if (block !== undefined && !isOwn(chain, block)) {
      const ids = `${encodeBase58(idOf(block))}, and the chain has ${encodeBase58(ownId(chain, block.height))}`;
      throw new BlockFileError(
        `The file does not continue this chain: its block at height ${block.height} is ${ids}`,
      );
    }
  }
  return height - 1;
}

function idOf(block: FileBlock): Uint8Array {
  try {
    return scanBlock(block.bytes).header.signature;
  } catch (error) {
    if (error instanceof BlockParseError)
      throw new BlockFileError(`The file's block at height ${block.height} cannot be read: ${error.message}`);
    throw error;
  }
}

function ownId(chain: Chain, height: number): Uint8Array {
  return chain.read((reader) => headerRow(reader, height).signature);
}

function isOwn(chain: Chain, block: FileBlock): boolean {
  return bytesEqual(idOf(block), ownId(chain, block.height));
}

// ------------------------------------------------------------------------------------------------ read ahead

/** Keeps the checkers busy: as many batches are under way as there is memory for. */
class ReadAhead {
  readonly #file: BlockFile;
  readonly #checker: BatchChecker;
  readonly #free: SharedBatch[] = Array.from({ length: BATCHES }, () => SharedBatch.create(BATCH_ROOM));
  readonly #flights: Flight[] = [];
  #waiting: ReadBlock | undefined;
  #serial = 0;
  /** Set once the file cannot be followed further, to be told when all before it is applied. */
  ending: Ending | undefined;

  constructor(file: BlockFile, checker: BatchChecker) {
    this.#file = file;
    this.#checker = checker;
  }

  /** The next blocks in order; undefined when there are no more. */
  next(): Flight | undefined {
    for (let batch = this.#free.pop(); batch !== undefined; batch = this.#free.pop()) {
      const flight = this.#start(batch);
      if (flight === undefined) break;
      this.#flights.push(flight);
    }
    return this.#flights.shift();
  }

  /** The batch may be used again: all of its blocks are applied. */
  release(flight: Flight): void {
    this.#free.push(flight.lent);
  }

  #start(lent: SharedBatch): Flight | undefined {
    let batch = lent;
    const blocks: ReadBlock[] = [];
    batch.begin(++this.#serial);
    for (let block = this.#read(); block !== undefined; block = this.#read()) {
      if (!batch.add(block.bytes, block.scan)) {
        if (blocks.length > 0) {
          this.#waiting = block;
          break;
        }
        batch = roomFor(block);
        batch.begin(this.#serial);
        batch.add(block.bytes, block.scan);
      }
      blocks.push(block);
    }
    if (blocks.length === 0) return undefined;
    batch.publish();
    const checked = this.#checker.check(batch);
    // It is waited for later; until then its failure is nobody's.
    checked.catch(() => {});
    return { batch, blocks, checked, lent };
  }

  /** The next block; undefined at the end. */
  #read(): ReadBlock | undefined {
    const waiting = this.#waiting;
    if (waiting !== undefined) {
      this.#waiting = undefined;
      return waiting;
    }
    if (this.ending !== undefined) return undefined;
    try {
      const block = this.#file.next();
      return block && { ...block, scan: scanBlock(block.bytes) };
    } catch (error) {
      if (error instanceof BlockFileError)
        this.ending = { height: this.#file.height + 1, reason: error.message };
      else if (error instanceof BlockParseError)
        this.ending = { height: this.#file.height, reason: error.message };
      else throw error;
      return undefined;
    }
  }
}

/** A batch for one block that is larger than others. */
function roomFor({ bytes, scan }: ReadBlock): SharedBatch {
  return SharedBatch.create({ bytes: bytes.length, blocks: 1, transactions: scan.offsets.length / 2 });
}

// ---------------------------------------------------------------------------------------------------- apply

/** A block with what the checks gave; a text: why there is no such block. */
type CheckedBlock = { readonly block: Block; readonly signed: boolean; readonly verdicts: Verdicts } | string;

function checkedBlock(
  batch: SharedBatch,
  index: number,
  { bytes, scan }: ReadBlock,
  network: NetworkRules,
): CheckedBlock {
  const first = batch.firstTransaction(index);
  let transactions: Block["transactions"];
  try {
    transactions = parseTransactionsAt(bytes, scan.offsets, network);
  } catch (error) {
    if (error instanceof BlockParseError) return error.message;
    throw error;
  }
  for (const [i, transaction] of transactions.entries()) {
    if (batch.isParsed(first + i))
      enterComputed(transaction, batch.id(first + i), batch.isCanonical(first + i));
  }
  const { transactionCount: _, ...fields } = scan.header;
  const block: Block = { ...fields, transactions };
  // The signature was checked over the bytes as they are; it counts over those that the block is written in.
  const canonical = Buffer.compare(blockBytes(block), bytes.subarray(0, scan.length)) === 0;
  let last = 0;
  const verdicts: Verdicts = (transaction, proof, key) => {
    // The rules ask in the order of the block.
    if (transactions[last] !== transaction) last = transactions.indexOf(transaction);
    const signer = key === transaction.sponsor ? "sponsor" : "sender";
    return batch.verdict(first + last, proof, signer) ?? verifyProof(transaction, proof, key);
  };
  return { block, signed: canonical && batch.isSigned(index), verdicts };
}

/** Appends blocks in groups that become one commit each. */
class GroupWriter {
  readonly #chain: Chain;
  readonly #commitEvery: number;
  #group: BlockGroup | undefined;
  #weight = 0;
  #bytes = 0;
  /** Blocks that are not committed yet. */
  open = 0;
  imported = 0;
  transactions = 0;

  constructor(chain: Chain, commitEvery: number) {
    this.#chain = chain;
    this.#commitEvery = commitEvery;
  }

  /** @returns why the block is refused */
  append({ height, bytes }: ReadBlock, checked: CheckedBlock): Ending | undefined {
    if (typeof checked === "string") return { height, reason: checked };
    const { block, signed, verdicts } = checked;
    this.#group ??= this.#chain.beginGroup();
    const refusal = this.#group.append(block, { signature: signed || undefined, verdicts });
    if (refusal !== undefined) return { height, reason: refusal.printed };
    this.open++;
    this.imported++;
    this.transactions += block.transactions.length;
    this.#weight += block.transactions.length + BLOCK_WEIGHT;
    this.#bytes += bytes.length;
    if (this.#weight >= this.#commitEvery || this.#bytes >= COMMIT_BYTES) this.commit();
    return undefined;
  }

  commit(): void {
    if (this.open === 0) {
      this.abandon();
      return;
    }
    const group = this.#group;
    this.#group = undefined;
    group?.commit();
    this.open = 0;
    this.#weight = 0;
    this.#bytes = 0;
  }

  abandon(): void {
    this.#group?.abandon();
    this.#group = undefined;
  }
}

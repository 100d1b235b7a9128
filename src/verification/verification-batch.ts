/**
 * Blocks and transactions in memory that several threads share: their bytes, where the transactions lie, and what was
 * found out about them. The writer fills it and closes it with `publish`; whoever calls `claim` gets a piece of the work
 * that nobody else gets.
 */
import type { BlockScan } from "../blocks/block.ts";
import { type Signer, verdictIn, withVerdict } from "../ledger/verdict-bits.ts";

/** What a batch has room for. */
export interface BatchRoom {
  readonly bytes: number;
  readonly blocks: number;
  readonly transactions: number;
}

/** A piece of work: the signature of a block, or the transactions from `from` to before `to`. */
export type Work =
  | { readonly kind: "block"; readonly block: number }
  | { readonly kind: "transactions"; readonly from: number; readonly to: number };

/**
 * Transactions of one piece of work: well below a millisecond mostly, and a third of a second where each sets a script
 * whose cost is a puzzle, so that a block full of those keeps all threads busy and nobody for long.
 */
const TRANSACTIONS_PER_PIECE = 4;

/** Control words. `OPEN`: pieces of work that nobody took, or less than 1. The capacities stand in front. */
const MAX_BYTES = 0;
const MAX_BLOCKS = 1;
const MAX_TRANSACTIONS = 2;
const SERIAL = 3;
const BLOCKS = 4;
const TRANSACTIONS = 5;
const ITEMS = 6;
const DONE = 7;
const OPEN = 8;
const LANE = 9;
const CONTROL_WORDS = 16;
/** Marks an item as a message, instead of the number of a block's first transaction. */
const MESSAGE = -1;

const ID_LENGTH = 32;

/** Bits of what is known of a transaction. */
const NOTED = 1;
const GUESSED = 2;

const NO_OFFSETS = new Int32Array(0);

/** Views of the shared memory; every thread makes its own. */
export class VerificationBatch {
  readonly memory: SharedArrayBuffer;
  readonly #control: Int32Array;
  /** Start and end of each block in `bytes`, and the number of its first transaction. */
  readonly #blocks: Int32Array;
  /** Start and end of each transaction in `bytes`. */
  readonly #offsets: Int32Array;
  readonly #proofs: Int32Array;
  readonly #known: Uint8Array;
  readonly #signed: Uint8Array;
  readonly #ids: Uint8Array;
  readonly #bytes: Uint8Array;
  #used = 0;

  /** @param memory made by `create`, here or in another thread */
  constructor(memory: SharedArrayBuffer) {
    this.memory = memory;
    const control = new Int32Array(memory, 0, CONTROL_WORDS);
    const blocks = control[MAX_BLOCKS];
    const transactions = control[MAX_TRANSACTIONS];
    let at = CONTROL_WORDS * 4;
    const words = (count: number): Int32Array => {
      const view = new Int32Array(memory, at, count);
      at += count * 4;
      return view;
    };
    this.#control = control;
    this.#blocks = words(3 * blocks);
    this.#offsets = words(2 * transactions);
    this.#proofs = words(transactions);
    const bytes = (count: number): Uint8Array => {
      const view = new Uint8Array(memory, at, count);
      at += count;
      return view;
    };
    this.#known = bytes(transactions);
    this.#signed = bytes(blocks);
    this.#ids = bytes(ID_LENGTH * transactions);
    this.#bytes = bytes(control[MAX_BYTES]);
  }

  /** Memory for a batch, empty. */
  static create(room: BatchRoom): VerificationBatch {
    const { bytes, blocks, transactions } = room;
    const size = CONTROL_WORDS * 4 + blocks * 13 + transactions * (13 + ID_LENGTH) + bytes;
    const memory = new SharedArrayBuffer(size);
    const control = new Int32Array(memory, 0, CONTROL_WORDS);
    control[MAX_BYTES] = bytes;
    control[MAX_BLOCKS] = blocks;
    control[MAX_TRANSACTIONS] = transactions;
    return new VerificationBatch(memory);
  }

  /** Number by which threads speak of the batch. */
  get serial(): number {
    return this.#control[SERIAL];
  }

  /** Number of the stream of batches that it belongs to: threads take pieces of all streams by turns. */
  get lane(): number {
    return this.#control[LANE];
  }

  /** Pieces of work that it was closed with. */
  get pieces(): number {
    return this.#control[ITEMS];
  }

  get blockCount(): number {
    return this.#control[BLOCKS];
  }

  get transactionCount(): number {
    return this.#control[TRANSACTIONS];
  }

  // --------------------------------------------------------------------------------------- what the writer does

  /** Empties the batch. All work on it must be done. */
  clear(): void {
    const control = this.#control;
    control[BLOCKS] = 0;
    control[TRANSACTIONS] = 0;
    control[DONE] = 0;
    this.#used = 0;
  }

  /**
   * Adds a block. By default it is all of `bytes`, and no transactions of it are checked.
   * @param isSigned true: its own signature is not checked again
   * @returns false if there is no room for it
   */
  addBlock(
    bytes: Uint8Array,
    { offsets, length }: Pick<BlockScan, "offsets" | "length"> = {
      offsets: NO_OFFSETS,
      length: bytes.length,
    },
    isSigned = false,
  ): boolean {
    const control = this.#control;
    const block = control[BLOCKS];
    const first = control[TRANSACTIONS];
    const count = offsets.length / 2;
    const start = this.#used;
    if (
      block >= control[MAX_BLOCKS] ||
      first + count > control[MAX_TRANSACTIONS] ||
      start + length > control[MAX_BYTES]
    )
      return false;
    this.#bytes.set(length === bytes.length ? bytes : bytes.subarray(0, length), start);
    this.#blocks[3 * block] = start;
    this.#blocks[3 * block + 1] = start + length;
    this.#blocks[3 * block + 2] = first;
    this.#signed[block] = isSigned ? 1 : 0;
    for (let i = 0; i < offsets.length; i++) this.#offsets[2 * first + i] = start + offsets[i];
    control[BLOCKS] = block + 1;
    control[TRANSACTIONS] = first + count;
    this.#used = start + length;
    return true;
  }

  /** Enters a signed message: its bytes, then the key, then the signature. @returns false if there is no room for it */
  addMessage(bytes: Uint8Array): boolean {
    const block = this.blockCount;
    if (!this.addBlock(bytes)) return false;
    this.#blocks[3 * block + 2] = MESSAGE;
    return true;
  }

  /** Enters a transaction that stands in no block; false when there is no room for it. */
  addTransaction(bytes: Uint8Array): boolean {
    const control = this.#control;
    const transaction = control[TRANSACTIONS];
    const start = this.#used;
    const end = start + bytes.length;
    if (transaction >= control[MAX_TRANSACTIONS] || end > control[MAX_BYTES]) return false;
    this.#bytes.set(bytes, start);
    this.#offsets[2 * transaction] = start;
    this.#offsets[2 * transaction + 1] = end;
    control[TRANSACTIONS] = transaction + 1;
    this.#used = end;
    return true;
  }

  /**
   * Lets the work begin.
   * @param serial told to nobody else
   */
  publish(serial: number, lane: number): void {
    const control = this.#control;
    control[SERIAL] = serial;
    control[LANE] = lane;
    const items = this.blockCount + Math.ceil(this.transactionCount / TRANSACTIONS_PER_PIECE);
    this.#proofs.fill(0, 0, this.transactionCount);
    this.#known.fill(0, 0, this.transactionCount);
    control[ITEMS] = items;
    // From here on the other threads see all of the above.
    Atomics.store(control, OPEN, items);
  }

  /** Number, in the batch, of the first transaction of a block. */
  firstTransaction(block: number): number {
    return this.#blocks[3 * block + 2];
  }

  /** Returns true if the item is a message: its signature does not cover the key. */
  isMessage(block: number): boolean {
    return this.#blocks[3 * block + 2] === MESSAGE;
  }

  /** Whether the block's signature is valid for exactly these bytes. */
  isSigned(block: number): boolean {
    return this.#signed[block] === 1;
  }

  /** Whether id and verdict stand only if the transaction is a common one (`common-form.ts`). */
  isGuessed(transaction: number): boolean {
    return (this.#known[transaction] & GUESSED) !== 0;
  }

  /** Whether a checker has read the transaction from these bytes, and found it good by itself. */
  isParsed(transaction: number): boolean {
    return this.#known[transaction] === NOTED;
  }

  /** The id, in memory of its own; undefined when nobody has noted one. */
  id(transaction: number): Uint8Array | undefined {
    if ((this.#known[transaction] & NOTED) === 0) return undefined;
    const at = transaction * ID_LENGTH;
    return this.#ids.slice(at, at + ID_LENGTH);
  }

  /** Whether a proof is a signature of a key of the transaction; undefined when nobody has looked. */
  verdict(transaction: number, proof: number, signer: Signer): boolean | undefined {
    return verdictIn(this.#proofs[transaction], proof, signer);
  }

  /** All verdicts on a transaction, as bits. */
  verdictBits(transaction: number): number {
    return this.#proofs[transaction];
  }

  // -------------------------------------------------------------------------------------- what the checkers do

  /** Takes a piece of work; undefined when nothing is left. */
  claim(): Work | undefined {
    const control = this.#control;
    // One word holds both whether there is work and which: a late thread cannot mix up two fillings.
    const left = Atomics.sub(control, OPEN, 1);
    if (left <= 0) return undefined;
    const item = control[ITEMS] - left;
    const blocks = control[BLOCKS];
    if (item < blocks) return { kind: "block", block: item };
    const from = (item - blocks) * TRANSACTIONS_PER_PIECE;
    return { kind: "transactions", from, to: Math.min(from + TRANSACTIONS_PER_PIECE, control[TRANSACTIONS]) };
  }

  /** Says that a piece of work is done; true when it was the last one. */
  finishPiece(): boolean {
    return Atomics.add(this.#control, DONE, 1) + 1 === this.#control[ITEMS];
  }

  /** A view of a block's bytes, in shared memory. */
  blockBytes(block: number): Uint8Array {
    return this.#bytes.subarray(this.#blocks[3 * block], this.#blocks[3 * block + 1]);
  }

  /** A view of a transaction's bytes, in shared memory. */
  transactionBytes(transaction: number): Uint8Array {
    return this.#bytes.subarray(this.#offsets[2 * transaction], this.#offsets[2 * transaction + 1]);
  }

  setSigned(block: number): void {
    this.#signed[block] = 1;
  }

  /** Notes the id of a transaction that could be read, if it is one of 32 bytes. */
  setId(transaction: number, id: Uint8Array): void {
    if (id.length !== ID_LENGTH) return;
    this.#ids.set(id, transaction * ID_LENGTH);
    this.#known[transaction] = NOTED;
  }

  /** Enters the id that a transaction has if it is a common one. */
  setGuessed(transaction: number, id: Uint8Array): void {
    this.#ids.set(id, transaction * ID_LENGTH);
    this.#known[transaction] = GUESSED | NOTED;
  }

  /** Takes back a guess that was wrong. */
  discardGuess(transaction: number): void {
    this.#known[transaction] = 0;
    this.#proofs[transaction] = 0;
  }

  setVerdict(transaction: number, proof: number, signer: Signer, valid: boolean): void {
    this.#proofs[transaction] = withVerdict(this.#proofs[transaction], proof, signer, valid);
  }
}

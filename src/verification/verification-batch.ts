import type { BlockScan } from "../blocks/block.ts";
import { type Signer, verdictIn, withVerdict } from "../ledger/verdict-bits.ts";

export interface BatchCapacity {
  readonly bytes: number;
  readonly blocks: number;
  readonly transactions: number;
}

/** The signature of a block, or the transactions in [from, to). */
export type Piece =
  | { readonly kind: "block"; readonly block: number }
  | { readonly kind: "transactions"; readonly from: number; readonly to: number };

/** A piece takes well below 1 ms, but up to 0.3 s if its transactions set costly scripts. */
const TRANSACTIONS_PER_PIECE = 4;

/** Indexes of the control words. `UNCLAIMED` is 0 or less if no piece is left. */
const MAX_BYTES = 0;
const MAX_BLOCKS = 1;
const MAX_TRANSACTIONS = 2;
const SERIAL = 3;
const BLOCKS = 4;
const TRANSACTIONS = 5;
const PIECES = 6;
const FINISHED = 7;
const UNCLAIMED = 8;
const LANE = 9;
const CONTROL_WORDS = 16;
/** Marks a message: it is stored like a block, with this value as the index of the first transaction. */
const MESSAGE = -1;

const ID_LENGTH = 32;

/** Flags of a transaction. `ID_KNOWN`: its id is set; `FORM_GUESSED`: the id is only valid for the common form. */
const ID_KNOWN = 1;
const FORM_GUESSED = 2;

const NO_OFFSETS = new Int32Array(0);

/**
 * Blocks and transactions in shared memory, with the results of their checks. One thread fills and publishes a batch.
 * Each call of `claim`, in any thread, returns a different piece.
 */
export class VerificationBatch {
  readonly memory: SharedArrayBuffer;
  readonly #control: Int32Array;
  /** Per block: start and end in `bytes`, and number of its first transaction. */
  readonly #blocks: Int32Array;
  /** Per transaction: start and end in `bytes`. */
  readonly #offsets: Int32Array;
  /** Per transaction: bits of `withVerdict`. */
  readonly #verdicts: Int32Array;
  readonly #flags: Uint8Array;
  readonly #signed: Uint8Array;
  readonly #ids: Uint8Array;
  readonly #bytes: Uint8Array;
  #usedBytes = 0;

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
    this.#verdicts = words(transactions);
    const bytes = (count: number): Uint8Array => {
      const view = new Uint8Array(memory, at, count);
      at += count;
      return view;
    };
    this.#flags = bytes(transactions);
    this.#signed = bytes(blocks);
    this.#ids = bytes(ID_LENGTH * transactions);
    this.#bytes = bytes(control[MAX_BYTES]);
  }

  static create(capacity: BatchCapacity): VerificationBatch {
    const { bytes, blocks, transactions } = capacity;
    // 13: three words and one byte.
    const size = CONTROL_WORDS * 4 + blocks * 13 + transactions * (13 + ID_LENGTH) + bytes;
    const memory = new SharedArrayBuffer(size);
    const control = new Int32Array(memory, 0, CONTROL_WORDS);
    control[MAX_BYTES] = bytes;
    control[MAX_BLOCKS] = blocks;
    control[MAX_TRANSACTIONS] = transactions;
    return new VerificationBatch(memory);
  }

  get serial(): number {
    return this.#control[SERIAL];
  }

  /** Number of the queue that this batch is in; threads take pieces from all queues in turn. */
  get lane(): number {
    return this.#control[LANE];
  }

  get pieces(): number {
    return this.#control[PIECES];
  }

  get blockCount(): number {
    return this.#control[BLOCKS];
  }

  get transactionCount(): number {
    return this.#control[TRANSACTIONS];
  }

  /** No thread may still work on the batch. */
  clear(): void {
    const control = this.#control;
    control[BLOCKS] = 0;
    control[TRANSACTIONS] = 0;
    control[FINISHED] = 0;
    this.#usedBytes = 0;
  }

  /**
   * @param scan length of the block, and offsets of its transactions
   * @param isSigned true if the block's own signature need not be checked
   * @returns false if there is no room
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
    const start = this.#usedBytes;
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
    this.#usedBytes = start + length;
    return true;
  }

  /** @param bytes message, key, signature @returns false if there is no room */
  addMessage(bytes: Uint8Array): boolean {
    const block = this.blockCount;
    if (!this.addBlock(bytes)) return false;
    this.#blocks[3 * block + 2] = MESSAGE;
    return true;
  }

  addTransaction(bytes: Uint8Array): boolean {
    const control = this.#control;
    const transaction = control[TRANSACTIONS];
    const start = this.#usedBytes;
    const end = start + bytes.length;
    if (transaction >= control[MAX_TRANSACTIONS] || end > control[MAX_BYTES]) return false;
    this.#bytes.set(bytes, start);
    this.#offsets[2 * transaction] = start;
    this.#offsets[2 * transaction + 1] = end;
    control[TRANSACTIONS] = transaction + 1;
    this.#usedBytes = end;
    return true;
  }

  /** Lets threads claim pieces. @param serial unique among the batches of the checker */
  publish(serial: number, lane: number): void {
    const control = this.#control;
    control[SERIAL] = serial;
    control[LANE] = lane;
    const pieces = this.blockCount + Math.ceil(this.transactionCount / TRANSACTIONS_PER_PIECE);
    this.#verdicts.fill(0, 0, this.transactionCount);
    this.#flags.fill(0, 0, this.transactionCount);
    control[PIECES] = pieces;
    // After this store, the other threads see all writes above.
    Atomics.store(control, UNCLAIMED, pieces);
  }

  firstTransaction(block: number): number {
    return this.#blocks[3 * block + 2];
  }

  isMessage(block: number): boolean {
    return this.#blocks[3 * block + 2] === MESSAGE;
  }

  isSigned(block: number): boolean {
    return this.#signed[block] === 1;
  }

  /** Returns true if id and verdict are only valid for the common form. */
  hasGuessedForm(transaction: number): boolean {
    return (this.#flags[transaction] & FORM_GUESSED) !== 0;
  }

  /** Returns true if a checker has parsed this transaction without an error. */
  isParsed(transaction: number): boolean {
    return this.#flags[transaction] === ID_KNOWN;
  }

  id(transaction: number): Uint8Array | undefined {
    if ((this.#flags[transaction] & ID_KNOWN) === 0) return undefined;
    const at = transaction * ID_LENGTH;
    return this.#ids.slice(at, at + ID_LENGTH);
  }

  /** Returns true if a proof is a signature of this signer; undefined if not checked. */
  verdict(transaction: number, proof: number, signer: Signer): boolean | undefined {
    return verdictIn(this.#verdicts[transaction], proof, signer);
  }

  verdictBits(transaction: number): number {
    return this.#verdicts[transaction];
  }

  claim(): Piece | undefined {
    const control = this.#control;
    // One word holds whether a piece is left, and which is next. So a late claim gets nothing, or a piece of the content
    // published last.
    const unclaimed = Atomics.sub(control, UNCLAIMED, 1);
    if (unclaimed <= 0) return undefined;
    const piece = control[PIECES] - unclaimed;
    const blocks = control[BLOCKS];
    if (piece < blocks) return { kind: "block", block: piece };
    const from = (piece - blocks) * TRANSACTIONS_PER_PIECE;
    return { kind: "transactions", from, to: Math.min(from + TRANSACTIONS_PER_PIECE, control[TRANSACTIONS]) };
  }

  /** @returns true if this was the last piece */
  finishPiece(): boolean {
    return Atomics.add(this.#control, FINISHED, 1) + 1 === this.#control[PIECES];
  }

  blockBytes(block: number): Uint8Array {
    return this.#bytes.subarray(this.#blocks[3 * block], this.#blocks[3 * block + 1]);
  }

  transactionBytes(transaction: number): Uint8Array {
    return this.#bytes.subarray(this.#offsets[2 * transaction], this.#offsets[2 * transaction + 1]);
  }

  setSigned(block: number): void {
    this.#signed[block] = 1;
  }

  /** Ignores ids that are not 32 bytes long. */
  setId(transaction: number, id: Uint8Array): void {
    if (id.length !== ID_LENGTH) return;
    this.#ids.set(id, transaction * ID_LENGTH);
    this.#flags[transaction] = ID_KNOWN;
  }

  setIdOfGuessedForm(transaction: number, id: Uint8Array): void {
    this.#ids.set(id, transaction * ID_LENGTH);
    this.#flags[transaction] = FORM_GUESSED | ID_KNOWN;
  }

  discardGuess(transaction: number): void {
    this.#flags[transaction] = 0;
    this.#verdicts[transaction] = 0;
  }

  setVerdict(transaction: number, proof: number, signer: Signer, valid: boolean): void {
    this.#verdicts[transaction] = withVerdict(this.#verdicts[transaction], proof, signer, valid);
  }
}

import { endianness } from "node:os";
import { ByteReader } from "../../bytes/reader.ts";
import { ByteWriter } from "../../bytes/writer.ts";
import { ADDRESS_LENGTH } from "../../crypto/addresses.ts";
import type {
  Account,
  AssociationState,
  BlockFacts,
  BlockTotals,
  LeaseState,
  ScriptState,
  Unbonding,
} from "../../ledger/state.ts";
import { readVarint, writeVarint } from "../codecs.ts";
import type { ValueCodec } from "../kv.ts";
import {
  address,
  fieldValue,
  flag,
  i8,
  i16,
  i32,
  i64,
  listOf,
  optional,
  rest,
  struct,
  structValue,
  u32,
} from "./fields.ts";

/** Page 05 §3. */
export interface AccountRow extends Account {
  /** Height of the newest change; 0 if the row only exists because the account is a sponsor. */
  readonly changedAt: number;
  /** Number of accounts that this account sponsors. */
  readonly sponsored?: number | undefined;
}

export interface RecordedTransaction {
  readonly id: Uint8Array;
  /** Ms. */
  readonly timestamp: bigint;
  /** Address that paid the fee, if not the sender. Page 05 §16. */
  readonly effectiveSponsor: Uint8Array | undefined;
}

/** Height of the chain, and height of its newest persisted block. Page 05 §2. */
export interface Heights {
  readonly height: number;
  readonly persisted: number;
}

const MAX_ACCOUNT_BYTES = 40;
/**
 * Account rows, which are written most often, are parts of larger buffers: for an array with its own small buffer, the
 * database would have to allocate another one.
 */
const SLAB_BYTES = 100 * MAX_ACCOUNT_BYTES;
let slab = new DataView(new ArrayBuffer(SLAB_BYTES));
let slabUsed = 0;

function startAccount(): number {
  if (slabUsed + MAX_ACCOUNT_BYTES > SLAB_BYTES) {
    slab = new DataView(new ArrayBuffer(SLAB_BYTES));
    slabUsed = 0;
  }
  return slabUsed;
}

function endAccount(start: number, end: number): Uint8Array {
  slabUsed = end;
  return new Uint8Array(slab.buffer, start, end - start);
}

/** @param mayShorten if true, omits leases and unbonding if all are 0 @returns the end offset */
function putAmounts(out: DataView, at: number, account: Account, mayShorten = true): number {
  const { balance, leaseIn, leaseOut, unbonding } = account;
  out.setBigInt64(at, balance);
  if (mayShorten && hasOnlyBalance(account)) return at + 8;
  out.setBigInt64(at + 8, leaseIn);
  out.setBigInt64(at + 16, leaseOut);
  out.setBigInt64(at + 24, unbonding);
  return at + 32;
}

function hasOnlyBalance({ leaseIn, leaseOut, unbonding }: Account): boolean {
  return leaseIn === 0n && leaseOut === 0n && unbonding === 0n;
}

function readAccount(reader: ByteReader): Account {
  const balance = reader.i64();
  if (reader.remaining === 0) return { balance, leaseIn: 0n, leaseOut: 0n, unbonding: 0n };
  return { balance, leaseIn: reader.i64(), leaseOut: reader.i64(), unbonding: reader.i64() };
}

export const accountValue: ValueCodec<AccountRow> = {
  encode(row) {
    const { changedAt, sponsored } = row;
    const start = startAccount();
    slab.setUint32(start, changedAt);
    if (!sponsored) return endAccount(start, putAmounts(slab, start + 4, row));
    const end = putAmounts(slab, start + 4, row, false);
    slab.setUint32(end, sponsored);
    return endAccount(start, end + 4);
  },
  decode(bytes) {
    const reader = new ByteReader(bytes);
    const changedAt = reader.u32();
    const balance = reader.i64();
    if (reader.remaining === 0) return { balance, leaseIn: 0n, leaseOut: 0n, unbonding: 0n, changedAt };
    const [leaseIn, leaseOut, unbonding] = [reader.i64(), reader.i64(), reader.i64()];
    if (reader.remaining === 0) return { balance, leaseIn, leaseOut, unbonding, changedAt };
    return { balance, leaseIn, leaseOut, unbonding, changedAt, sponsored: reader.u32() };
  },
};

/** A posting of `accountHistory`: the account after a unit. */
export const accountPointValue: ValueCodec<Account> = {
  encode(account) {
    const bytes = new Uint8Array(accountPointLength(account));
    writeAccountPoint(new DataView(bytes.buffer), 0, account);
    return bytes;
  },
  decode: (bytes) => readAccount(new ByteReader(bytes)),
};

/** Length of `accountPointValue`, bytes. */
export function accountPointLength(account: Account): number {
  return hasOnlyBalance(account) ? 8 : 32;
}

/** Writes `accountPointValue`. */
export function writeAccountPoint(out: DataView, at: number, account: Account): void {
  putAmounts(out, at, account);
}

/** Reads only the balance of `accountPointValue`. @param at its offset in `bytes` */
export function balanceOfPoint(bytes: Uint8Array, at: number): bigint {
  return new ByteReader(bytes, at).i64();
}

export const leaseValue = structValue<LeaseState>({
  active: flag,
  height: u32,
  amount: i64,
  sender: address,
  recipient: address,
  senderKey: rest,
});

export const scriptValue = structValue<ScriptState>({ height: u32, script: optional(rest) });

export const associationStateValue = structValue<AssociationState>({
  height: u32,
  revoked: flag,
  expires: optional(i64),
});

export const unbondingValue = fieldValue(listOf(struct<Unbonding>({ address, amount: i64 })));

export const heightsValue = structValue<Heights>({ height: u32, persisted: u32 });

export const blockFactsValue = structValue<BlockFacts>({
  timestamp: i64,
  generator: address,
  feeVote: i8,
  features: listOf(i16),
});

export const blockTotalsValue = structValue<BlockTotals>({
  burned: i64,
  closing: i64,
  fees: i64,
  burnedFees: i64,
  miningReward: i64,
  generatorReward: i64,
  sizeLeft: i32,
  scriptsLeft: optional(i32),
});

export interface RecordedTransactions extends Iterable<RecordedTransaction> {
  readonly length: number;
  at(index: number): RecordedTransaction | undefined;
}

/**
 * Layout: varint count; for each transaction id length u8, id, timestamp i64, flag u8, then effective
 * sponsor(26) if the flag is 1.
 */
export class PackedTransactions implements RecordedTransactions {
  readonly bytes: Uint8Array;
  readonly length: number;
  readonly #start: number;

  constructor(bytes: Uint8Array) {
    const reader = new ByteReader(bytes);
    this.bytes = bytes;
    this.length = readVarint(reader);
    this.#start = reader.position;
  }

  static of(transactions: RecordedTransactions): PackedTransactions {
    if (transactions instanceof PackedTransactions) return transactions;
    const writer = new ByteWriter(16 + 42 * transactions.length);
    writeVarint(writer, transactions.length);
    for (const { id, timestamp, effectiveSponsor } of transactions) {
      writer.u8(id.length).bytes(id).i64(timestamp);
      writer.u8(effectiveSponsor === undefined ? 0 : 1);
      if (effectiveSponsor !== undefined) writer.bytes(effectiveSponsor);
    }
    return new PackedTransactions(writer.toBytes());
  }

  at(index: number): RecordedTransaction | undefined {
    if (index < 0 || index >= this.length) return undefined;
    const { bytes } = this;
    let at = this.#start;
    for (let i = 0; i < index; i++) {
      at += 1 + bytes[at] + 8;
      at += bytes[at] === 0 ? 1 : 1 + ADDRESS_LENGTH;
    }
    return readRecorded(new ByteReader(bytes, at));
  }

  *[Symbol.iterator](): Generator<RecordedTransaction> {
    const reader = new ByteReader(this.bytes, this.#start);
    for (let i = 0; i < this.length; i++) yield readRecorded(reader);
  }
}

function readRecorded(reader: ByteReader): RecordedTransaction {
  const id = reader.bytes(reader.u8()).slice();
  const timestamp = reader.i64();
  const effectiveSponsor = reader.u8() === 0 ? undefined : reader.bytes(ADDRESS_LENGTH).slice();
  return { id, timestamp, effectiveSponsor };
}

export const recordedValue: ValueCodec<RecordedTransactions> = {
  encode: (transactions) => PackedTransactions.of(transactions).bytes,
  decode: (bytes) => new PackedTransactions(bytes),
};

const IS_LITTLE_ENDIAN = endianness() === "LE";

export const amountsValue: ValueCodec<BigInt64Array> = {
  encode(amounts) {
    const writer = new ByteWriter(8 * amounts.length);
    for (const amount of amounts) writer.i64(amount);
    return writer.toBytes();
  },
  decode(bytes) {
    const copy = Buffer.from(new ArrayBuffer(bytes.length));
    copy.set(bytes);
    if (IS_LITTLE_ENDIAN) copy.swap64();
    return new BigInt64Array(copy.buffer);
  },
};

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

/** An account and the height of its newest change. Page 05 §3. */
export interface AccountRow extends Account {
  /** 0 if the account's amounts never changed: it has a row because it sponsors others. */
  readonly changedAt: number;
  /** Number of accounts that it sponsors; undefined: none. */
  readonly sponsored?: number | undefined;
}

/** A transaction of a unit, as the ledger recorded it. */
export interface RecordedTransaction {
  readonly id: Uint8Array;
  /** Timestamp of the transaction, ms. */
  readonly timestamp: bigint;
  /** Address that paid the fee when that was not the sender. Page 05 §16. */
  readonly effectiveSponsor: Uint8Array | undefined;
}

/** Heights of the newest block and of the newest persisted one. Page 05 §2. */
export interface Heights {
  readonly height: number;
  readonly persisted: number;
}

/** Accounts are written more than all other rows together: one buffer serves for all of them. */
const scratch = new Uint8Array(40);
const scratchView = new DataView(scratch.buffer);

/** Writes the amounts into the scratch buffer and returns where they end. */
function putAmounts(at: number, account: Account, isShort = true): number {
  const { balance, leaseIn, leaseOut, unbonding } = account;
  scratchView.setBigInt64(at, balance);
  if (isShort && leaseIn === 0n && leaseOut === 0n && unbonding === 0n) return at + 8;
  scratchView.setBigInt64(at + 8, leaseIn);
  scratchView.setBigInt64(at + 16, leaseOut);
  scratchView.setBigInt64(at + 24, unbonding);
  return at + 32;
}

function readAccount(reader: ByteReader): Account {
  const balance = reader.i64();
  if (reader.remaining === 0) return { balance, leaseIn: 0n, leaseOut: 0n, unbonding: 0n };
  return { balance, leaseIn: reader.i64(), leaseOut: reader.i64(), unbonding: reader.i64() };
}

/**
 * height of the newest change u32, then as `accountPointValue`. For an account that sponsors others: always the long form,
 * then the number of accounts that it sponsors u32.
 */
export const accountValue: ValueCodec<AccountRow> = {
  encode(row) {
    const { changedAt, sponsored } = row;
    scratchView.setUint32(0, changedAt);
    if (!sponsored) return scratch.slice(0, putAmounts(4, row));
    const end = putAmounts(4, row, false);
    scratchView.setUint32(end, sponsored);
    return scratch.slice(0, end + 4);
  },
  decode(bytes) {
    const reader = new ByteReader(bytes);
    const changedAt = reader.u32();
    const balance = reader.i64();
    // No spread of `readAccount`: this is the row that is read most.
    if (reader.remaining === 0) return { balance, leaseIn: 0n, leaseOut: 0n, unbonding: 0n, changedAt };
    const [leaseIn, leaseOut, unbonding] = [reader.i64(), reader.i64(), reader.i64()];
    if (reader.remaining === 0) return { balance, leaseIn, leaseOut, unbonding, changedAt };
    return { balance, leaseIn, leaseOut, unbonding, changedAt, sponsored: reader.u32() };
  },
};

/** balance i64; leased in, leased out, unbonding i64 each unless all three are 0 (most accounts). */
export const accountPointValue: ValueCodec<Account> = {
  encode: (account) => scratch.slice(0, putAmounts(0, account)),
  decode: (bytes) => readAccount(new ByteReader(bytes)),
};

/** active u8, height u32, amount i64, sender(26), recipient(26), sender key. */
export const leaseValue = structValue<LeaseState>({
  active: flag,
  height: u32,
  amount: i64,
  sender: address,
  recipient: address,
  senderKey: rest,
});

/** height of the change u32, then the script; nothing after a removal. */
export const scriptValue = structValue<ScriptState>({ height: u32, script: optional(rest) });

/** height u32, revoked u8, expiry i64 where an issue has one. */
export const associationStateValue = structValue<AssociationState>({
  height: u32,
  revoked: flag,
  expires: optional(i64),
});

/** address(26) and amount i64, one line behind the other. */
export const unbondingValue = fieldValue(listOf(struct<Unbonding>({ address, amount: i64 })));

/** height u32, persisted height u32. */
export const heightsValue = structValue<Heights>({ height: u32, persisted: u32 });

/** timestamp i64, generator(26), fee vote i8, feature ids i16 each. */
export const blockFactsValue = structValue<BlockFacts>({
  timestamp: i64,
  generator: address,
  feeVote: i8,
  features: listOf(i16),
});

/** burned, closing, fees, burned fees, mining reward, generator reward i64 each; size left i32; scripts left i32 if limited. */
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

/** The transactions of a unit; an array is one. */
export interface RecordedTransactions extends Iterable<RecordedTransaction> {
  readonly length: number;
  /** Undefined beyond the end. */
  at(index: number): RecordedTransaction | undefined;
}

/**
 * Transactions as they are stored: varint count; for each id length u8 and id, timestamp i64, flag u8, payer(26) if
 * flagged. Reads one without making objects of the hundreds before it: look-ups ask for one.
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

/** As `PackedTransactions` has it. */
export const recordedValue: ValueCodec<RecordedTransactions> = {
  encode: (transactions) => PackedTransactions.of(transactions).bytes,
  decode: (bytes) => new PackedTransactions(bytes),
};

/** Amounts, i64 each; in memory as numbers of 64 bits, not as objects. */
export const amountsValue: ValueCodec<BigInt64Array> = {
  encode(amounts) {
    const writer = new ByteWriter(8 * amounts.length);
    for (const amount of amounts) writer.i64(amount);
    return writer.toBytes();
  },
  decode(bytes) {
    const reader = new ByteReader(bytes);
    const amounts = new BigInt64Array(bytes.length / 8);
    for (let i = 0; i < amounts.length; i++) amounts[i] = reader.i64();
    return amounts;
  },
};

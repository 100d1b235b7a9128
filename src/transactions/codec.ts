/** Transaction bytes: page 02 §3 to §6. */
import { DecodeError } from "../bytes/errors.ts";
import { int8 } from "../bytes/int64.ts";
import { ByteReader } from "../bytes/reader.ts";
import { ByteWriter } from "../bytes/writer.ts";
import { InvalidAddressError } from "../crypto/addresses.ts";
import { fastHash } from "../crypto/hashes.ts";
import { UnknownKeyTypeError } from "../crypto/key-types.ts";
import type { NetworkRules, TransactionBase } from "./base.ts";
import type { CompiledLayout, TransactionDefinition } from "./define.ts";
import { errorText, TransactionParseError } from "./errors.ts";
import { readProofs, writeProofs } from "./proofs.ts";
import { TransactionRecord } from "./record.ts";
import { definitionByType, definitionOf, type Transaction } from "./registry.ts";
import { copyToSlab } from "./slab.ts";
import { staticCheck } from "./static-check.ts";
import { sponsorAccount } from "./wire.ts";

const SIGNATURE_LENGTH = 64;
/** Page 02 §10.1: timestamp, recipient and amount. */
const GENESIS_MEMBERS_LENGTH = 42;

function failTooSmall(bytes: Uint8Array): never {
  throw new TransactionParseError(`The buffer is too small, it has ${bytes.length} elements`);
}

interface Header {
  readonly definition: TransactionDefinition;
  readonly layout: CompiledLayout;
  readonly end: number;
}

function modernHeader(bytes: Uint8Array, network: NetworkRules): Header {
  if (bytes.length < 2) {
    const text = "Can't determine the type and the version of transaction: the buffer has";
    throw new TransactionParseError(`${text} ${bytes.length} bytes`);
  }
  const definition = definitionByType(bytes[1], network);
  if (definition === undefined) {
    throw new TransactionParseError(`Unknown transaction type: ${int8(bytes[1])}`);
  }
  if (!definition.hasModernHeader) {
    throw new TransactionParseError(`Expected type of transaction '${definition.type}', but got '0'`);
  }
  if (bytes.length < 3) failTooSmall(bytes);
  const layout = definition.layouts.get(bytes[2]);
  if (layout === undefined) {
    const supported = [...definition.layouts.keys()].join(", ");
    const text = `Expected version of transaction ${supported}, but got`;
    throw new TransactionParseError(`${text} '${int8(bytes[2])}'`);
  }
  return { definition, layout, end: 3 };
}

function oldHeader(bytes: Uint8Array, network: NetworkRules): Header {
  const definition = definitionByType(bytes[0], network);
  if (definition === undefined) {
    throw new TransactionParseError(`Unknown transaction type (old encoding): ${int8(bytes[0])}`);
  }
  const layout = definition.oldLayout;
  if (layout === undefined) {
    if (bytes.length < 3) failTooSmall(bytes);
    throw new TransactionParseError(`Expected the '0' byte, but got '${int8(bytes[0])}'`);
  }
  if (layout.header === "type") return { definition, layout, end: 1 };
  if (bytes.length < 2) failTooSmall(bytes);
  if (bytes[1] !== layout.version) {
    const text = `Expected version of transaction: ${layout.version}, but got`;
    throw new TransactionParseError(`${text} '${int8(bytes[1])}'`);
  }
  return { definition, layout, end: 2 };
}

function readBody(
  record: TransactionRecord,
  layout: CompiledLayout,
  reader: ByteReader,
  network: NetworkRules,
): void {
  for (const { member, wire } of layout.steps) {
    const value = wire.read(reader, network);
    if (member !== "") record.set(member, value);
  }
  for (const { member, makeValue } of layout.missing) record.set(member, makeValue());
}

function readTransaction(bytes: Uint8Array, network: NetworkRules, isReparse: boolean): TransactionRecord {
  if (bytes.length === 0) {
    throw new TransactionParseError("Can't find the significant byte: the buffer is empty");
  }
  const { definition, layout, end } =
    bytes[0] === 0 ? modernHeader(bytes, network) : oldHeader(bytes, network);
  const reader = new ByteReader(bytes, end);
  reader.isReparse = isReparse;
  const record = new TransactionRecord(definition.type, layout.version, network.chainId);
  // The body includes the header, but not a leading zero.
  let bodyStart = layout.header === "modern" ? 1 : 0;
  if (layout.envelope === "bare" && reader.remaining < GENESIS_MEMBERS_LENGTH)
    throw new TransactionParseError("requirement failed: Data does not match base length");
  if (layout.envelope === "signature first") {
    record.proofs = [reader.bytes(SIGNATURE_LENGTH)];
    bodyStart = reader.position;
    const type = reader.i8();
    if (type !== definition.type) {
      throw new TransactionParseError(`requirement failed: Signed tx type (${type}) doesn't match`);
    }
  }
  readBody(record, layout, reader, network);
  const bodyEnd = reader.position;
  if (layout.envelope === "signature last") record.proofs = [reader.bytes(SIGNATURE_LENGTH)];
  if (layout.envelope === "sponsor and proofs") record.sponsor = sponsorAccount.read(reader, network);
  if (layout.envelope === "proofs" || layout.envelope === "sponsor and proofs")
    record.proofs = readProofs(reader);
  // An old layout can be read after a modern header, but is never written after one.
  const isHeaderCanonical = (bytes[0] === 0) === (layout.header === "modern");
  if (isHeaderCanonical && !reader.isNonCanonical && reader.remaining === 0) {
    const computed = TransactionRecord.computed(record);
    computed.bytes = bytes;
    computed.bodyStart = bodyStart;
    computed.bodyEnd = bodyEnd;
    computed.canonical = true;
  }
  return record.complete(network.chainId);
}

/**
 * Parses a copy of the bytes. Accepts non-canonical bytes, as page 02 §6 requires. Does not check signatures.
 * @param network decides which addresses and types exist
 * @throws TransactionParseError, also if a static rule of page 02 §7 fails
 */
export function parseTransaction(bytes: Uint8Array, network: NetworkRules): Transaction {
  return parseWithoutCopy(copyToSlab(bytes), network, false);
}

/** Like `parseTransaction`, for bytes parsed before. Skips the slow estimate of a script's cost. */
export function reparseTransaction(bytes: Uint8Array, network: NetworkRules): Transaction {
  return parseWithoutCopy(copyToSlab(bytes), network, true);
}

/**
 * Parses bytes, which must never change: the transaction contains views of them.
 * @param isReparse true for bytes parsed before
 * @throws TransactionParseError
 */
export function parseWithoutCopy(bytes: Uint8Array, network: NetworkRules, isReparse: boolean): Transaction {
  let record: TransactionRecord;
  try {
    record = readTransaction(bytes, network, isReparse);
  } catch (error) {
    if (error instanceof DecodeError) throw new TransactionParseError("");
    if (error instanceof InvalidAddressError)
      throw new TransactionParseError(`InvalidAddress(${error.message})`);
    if (error instanceof UnknownKeyTypeError) throw new TransactionParseError(error.message);
    throw error;
  }
  // Safe cast: the layout has set all members of the type.
  const tx = record as TransactionBase as Transaction;
  const error = staticCheck(tx, network);
  if (error !== undefined) throw new TransactionParseError(errorText(error));
  return tx;
}

/** @throws RangeError if the type has no such version */
function layoutOf(tx: TransactionBase): CompiledLayout {
  const layout = definitionOf(tx).layouts.get(tx.version);
  if (layout === undefined) throw new RangeError(`type ${tx.type} has no version ${tx.version}`);
  return layout;
}

/** Called with the field's name after each write. */
type FieldListener = (name: string) => void;

function writeBody(
  writer: ByteWriter,
  tx: TransactionBase,
  layout: CompiledLayout,
  onField?: FieldListener,
): void {
  writer.u8(tx.type);
  onField?.("type");
  if (layout.header !== "type") {
    writer.u8(tx.version);
    onField?.("version");
  }
  const members = tx as TransactionBase & Record<string, unknown>;
  for (const { member, wire } of layout.steps) {
    wire.write(writer, members[member]);
    onField?.(member);
  }
}

function writeSignature(writer: ByteWriter, tx: TransactionBase, onField?: FieldListener): void {
  if (tx.proofs.length > 0) writer.bytes(tx.proofs[0]);
  onField?.("signature");
}

/** Reused by every write: do not keep views of its bytes. */
const scratch = new ByteWriter(4096);

/** Writes to `scratch`. Returns the body's position in `scratch`. */
function writeTransaction(
  tx: TransactionBase,
  layout: CompiledLayout,
  onField?: FieldListener,
): { bodyStart: number; bodyEnd: number } {
  const writer = scratch.clear();
  if (layout.header === "modern") {
    writer.u8(0);
    onField?.("");
  }
  if (layout.envelope === "signature first") {
    if (tx.proofs.length === 0) throw new UnsignedTransactionError("Transaction not signed");
    writer.u8(tx.type);
    onField?.("type");
    writeSignature(writer, tx, onField);
  }
  const bodyStart = writer.length;
  writeBody(writer, tx, layout, onField);
  const bodyEnd = writer.length;
  if (layout.envelope === "signature last") writeSignature(writer, tx, onField);
  if (layout.envelope === "sponsor and proofs") {
    sponsorAccount.write(writer, tx.sponsor);
    onField?.("sponsor");
  }
  if (layout.envelope === "proofs" || layout.envelope === "sponsor and proofs") {
    writeProofs(writer, tx.proofs);
    onField?.("proofs");
  }
  return { bodyStart, bodyEnd };
}

/** A transfer of version 1 has no bytes until it is signed. Page 02 §10.2. */
export class UnsignedTransactionError extends Error {
  override readonly name = "UnsignedTransactionError";
}

/** Returns cached bytes: do not change them. Page 02 §3. @throws UnsignedTransactionError */
export function transactionBytes(tx: Transaction): Uint8Array {
  const computed = TransactionRecord.computed(tx);
  if (computed.bytes === undefined) {
    const { bodyStart, bodyEnd } = writeTransaction(tx, layoutOf(tx));
    computed.bytes = copyToSlab(scratch.view());
    computed.bodyStart = bodyStart;
    computed.bodyEnd = bodyEnd;
  }
  return computed.bytes;
}

export interface ByteField {
  /** Name of a member, `sponsor`, `proofs` or `signature`; "" for bytes without meaning. */
  readonly name: string;
  readonly offset: number;
  readonly length: number;
  readonly signed: boolean;
}

/** @throws UnsignedTransactionError */
export function byteFields(tx: Transaction): readonly ByteField[] {
  const ends: { name: string; end: number }[] = [];
  const onField = (name: string): void => void ends.push({ name, end: scratch.length });
  const { bodyStart, bodyEnd } = writeTransaction(tx, layoutOf(tx), onField);
  return ends.map(({ name, end }, i) => {
    const offset = i === 0 ? 0 : ends[i - 1].end;
    return { name, offset, length: end - offset, signed: offset >= bodyStart && end <= bodyEnd };
  });
}

/** Returns the bytes to sign and hash, always canonical. Do not change them. Page 02 §5, §6. */
export function bodyBytes(tx: Transaction): Uint8Array {
  const computed = TransactionRecord.computed(tx);
  if (computed.body === undefined) {
    if (computed.bytes !== undefined)
      computed.body = computed.bytes.subarray(computed.bodyStart, computed.bodyEnd);
    else {
      writeBody(scratch.clear(), tx, layoutOf(tx));
      computed.body = copyToSlab(scratch.view());
    }
  }
  return computed.body;
}

/** True if the transaction was parsed from canonical bytes. */
export function isCanonical(tx: Transaction): boolean {
  return TransactionRecord.computed(tx).canonical;
}

/** Returns 32 bytes; 64 for a genesis transaction. Do not change them. Page 02 §5. */
export function transactionId(tx: Transaction): Uint8Array {
  const computed = TransactionRecord.computed(tx);
  if (computed.id === undefined) {
    const body = bodyBytes(tx);
    computed.id = definitionOf(tx).computeId?.(tx, body) ?? fastHash(body);
  }
  return computed.id;
}

export function cacheTransactionId(tx: Transaction, id: Uint8Array): void {
  TransactionRecord.computed(tx).id = id;
}

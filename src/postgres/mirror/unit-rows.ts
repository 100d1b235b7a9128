/** Makes the rows that the mirror inserts for units and blocks. */
import { bytesEqual, bytesKey } from "../../bytes/compare.ts";
import { encodeUtf8 } from "../../bytes/utf8.ts";
import { blockScore } from "../../consensus/proof-of-stake.ts";
import { addressOf } from "../../crypto/addresses.ts";
import type { PublicKey } from "../../crypto/key-types.ts";
import type { UnitRecord } from "../../interfaces.ts";
import {
  cancelSponsorshipDefinition,
  type DataEntry,
  definitionOf,
  sponsorshipDefinition,
  type Transaction,
} from "../../transactions/index.ts";
import { tables } from "../schema/all-tables.ts";
import { calendarTime } from "../schema/table.ts";
import type { PageBlock, PageUnit } from "./chain-page.ts";
import type { TableRows } from "./table-rows.ts";

const unitKinds: Readonly<Record<UnitRecord["kind"], number>> = { block: 0, micro: 1, persist: 2 };
const TAG_BYTES = 8;
/** Reused by `tagOf`. */
const tagBytes = new DataView(new ArrayBuffer(TAG_BYTES));
const NO_BYTES = new Uint8Array(0);

/** Changes that depend on other rows, which may already be in the database. */
export interface UnitEffects {
  /** Leases that were cancelled, with the place of the cancelling transaction. */
  readonly cancelledLeases: { readonly id: Uint8Array; readonly height: number; readonly position: number }[];
  /** Recipients of associations, whose roles may have changed. */
  readonly associated: Uint8Array[];
  /** Accounts with a row in `account_key`, by `bytesKey`. Later keys of the account add no row. */
  readonly accountsWithKey: Set<string>;
}

/** Returns the first 8 bytes as a signed number; shorter bytes are padded with zeros. */
function tagOf(bytes: Uint8Array): bigint {
  for (let i = 0; i < TAG_BYTES; i++) tagBytes.setUint8(i, i < bytes.length ? bytes[i] : 0);
  return tagBytes.getBigInt64(0);
}

/** Returns null for a text that PostgreSQL cannot store. */
function storableText(text: string): string | null {
  return text.includes("\0") ? null : text;
}

const strictDecoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Returns null for empty bytes, and for bytes that PostgreSQL cannot store as text. */
function textOf(bytes: Uint8Array): string | null {
  if (bytes.length === 0) return null;
  try {
    return storableText(strictDecoder.decode(bytes));
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

export function addBlockRow(rows: TableRows, block: PageBlock): void {
  rows.add(tables.block, {
    height: block.height,
    id: block.id,
    key_id: block.keyBlockId,
    version: block.version,
    time: calendarTime(block.timestamp),
    time_ms: block.timestamp,
    reference: block.reference,
    generator: block.generator,
    base_target: block.baseTarget,
    generation_signature: block.generationSignature,
    features: block.features,
    fee_vote: block.feeVote,
    size: block.size,
    transaction_count: block.transactionCount,
    fees: block.fees,
    burned: block.burnedFees,
    reward: block.miningReward,
    generator_reward: block.generatorReward,
    score: block.baseTarget > 0n ? blockScore(block.baseTarget) : 0n,
  });
}

/** @param transactions of the unit, in order */
export function addUnitRows(
  rows: TableRows,
  effects: UnitEffects,
  { record, accounts, results }: PageUnit,
  transactions: readonly Transaction[],
): void {
  const { height, sequence, bytes } = record;
  rows.add(tables.unit, {
    height,
    sequence,
    id: record.id,
    parent: record.parent,
    kind: unitKinds[record.kind],
    first_position: results.firstPosition,
    transaction_count: transactions.length,
    arrived_ms: BigInt(record.arrivedAt),
    persisted_alone: record.isParentPersisted,
    digest: record.digest ?? null,
  });
  rows.add(tables.unitBody, { height, sequence, bytes });
  for (const { address, balance, leaseIn, leaseOut, unbonding } of accounts)
    rows.add(tables.accountChange, {
      account: address,
      height,
      sequence,
      balance,
      lease_in: leaseIn,
      lease_out: leaseOut,
      unbonding,
    });
  for (const [i, transaction] of transactions.entries()) {
    const { id, effectiveFee, effectiveSponsor, accounts: touched } = results.transactions[i];
    const position = results.firstPosition + i;
    const place = { height, position };
    const { hasSender } = definitionOf(transaction);
    const sender = hasSender ? transaction.senderAddress : null;
    rows.add(tables.transaction, {
      sequence,
      id,
      type: transaction.type,
      version: transaction.version,
      sender,
      sponsor: effectiveSponsor ?? null,
      fee: transaction.fee,
      effective_fee: effectiveFee,
      time: calendarTime(transaction.timestamp),
      time_ms: transaction.timestamp,
      height,
      position,
    });
    rows.add(tables.transactionPlace, { tag: tagOf(id), height, position });
    addContentRows(rows, effects, transaction, id, place);
    const involved: Uint8Array[] = [];
    const addAccount = (account: Uint8Array): void => {
      if (involved.some((other) => bytesEqual(other, account))) return;
      involved.push(account);
      rows.add(tables.transactionAccount, { account, height, position });
    };
    if (sender !== null) addAccount(sender);
    if (effectiveSponsor !== undefined) addAccount(effectiveSponsor);
    for (const recipient of recipientsOf(transaction)) addAccount(recipient);
    for (const account of touched) addAccount(account);
  }
}

function recipientsOf(transaction: Transaction): readonly Uint8Array[] {
  const payouts = definitionOf(transaction).payouts?.(transaction);
  if (payouts !== undefined) return payouts.map(({ recipient }) => recipient);
  return "recipient" in transaction && transaction.recipient !== undefined ? [transaction.recipient] : [];
}

/** Spread it last: V8 adds properties after a spread 50 times more slowly than before it. */
interface Place {
  readonly height: number;
  readonly position: number;
}

function addContentRows(
  rows: TableRows,
  effects: UnitEffects,
  transaction: Transaction,
  id: Uint8Array,
  place: Place,
): void {
  const definition = definitionOf(transaction);
  const { senderAddress: sender } = transaction;
  if (definition.hasSender) addKeyRows(rows, effects, transaction, place);
  addTransferRows(rows, transaction, place);
  for (const [index, hash] of definition.anchors?.(transaction).entries() ?? [])
    rows.add(tables.anchor, { tag: tagOf(hash), index, hash, sender, ...place });
  for (const [index, [key, value]] of definition.mappedAnchors?.(transaction).entries() ?? [])
    rows.add(tables.mappedAnchor, { tag: tagOf(key), index, key, value, sender, ...place });
  const amount = definition.leasedAmount?.(transaction);
  if (amount !== undefined && "recipient" in transaction && transaction.recipient !== undefined)
    rows.add(tables.lease, {
      id,
      sender,
      recipient: transaction.recipient,
      amount,
      cancelled_height: null,
      cancelled_position: null,
      ...place,
    });
  const cancelled = definition.cancelledLease?.(transaction);
  if (cancelled !== undefined) effects.cancelledLeases.push({ id: cancelled, ...place });
  const burned = definition.burnedAmount?.(transaction);
  if (burned !== undefined) rows.add(tables.burn, { sender, amount: burned, ...place });
  addRelationRows(rows, effects, transaction, place);
  for (const [index, entry] of definition.entries?.(transaction).entries() ?? [])
    rows.add(tables.dataEntry, { index, account: sender, ...place, ...entryColumns(entry) });
  if (definition === sponsorshipDefinition || definition === cancelSponsorshipDefinition) {
    const cancels = definition === cancelSponsorshipDefinition;
    for (const recipient of recipientsOf(transaction))
      rows.add(tables.sponsorship, { cancels, sender, recipient, ...place });
  }
  if ("script" in transaction)
    rows.add(tables.script, { account: sender, script: transaction.script ?? null, ...place });
  if ("certificate" in transaction)
    rows.add(tables.certificate, { account: sender, certificate: transaction.certificate ?? null, ...place });
}

function addTransferRows(rows: TableRows, transaction: Transaction, place: Place): void {
  const definition = definitionOf(transaction);
  const payouts = definition.payouts?.(transaction);
  if (payouts === undefined) return;
  const attachment = "attachment" in transaction ? transaction.attachment : NO_BYTES;
  const attachmentText = textOf(attachment);
  for (const [index, { recipient, amount }] of payouts.entries())
    rows.add(tables.transfer, {
      index,
      sender: definition.hasSender ? transaction.senderAddress : null,
      recipient,
      amount,
      attachment,
      attachment_text: attachmentText,
      ...place,
    });
}

function addKeyRows(rows: TableRows, effects: UnitEffects, transaction: Transaction, place: Place): void {
  const add = (account: Uint8Array, { keyType, bytes }: PublicKey): void => {
    const key = bytesKey(account);
    if (effects.accountsWithKey.has(key)) return;
    effects.accountsWithKey.add(key);
    rows.add(tables.accountKey, {
      account,
      key_type: keyType,
      public_key: bytes,
      time: calendarTime(transaction.timestamp),
      time_ms: transaction.timestamp,
      ...place,
    });
  };
  add(transaction.senderAddress, transaction.sender);
  for (const [index, key] of definitionOf(transaction).accounts?.(transaction).entries() ?? []) {
    const account = addressOf(key.bytes, transaction.chainId);
    add(account, key);
    rows.add(tables.register, {
      index,
      sender: transaction.senderAddress,
      account,
      key_type: key.keyType,
      public_key: key.bytes,
      ...place,
    });
  }
}

/** Associations and statements, with their data. */
function addRelationRows(
  rows: TableRows,
  effects: UnitEffects,
  transaction: Transaction,
  place: Place,
): void {
  const { association, statement } = definitionOf(transaction);
  const { senderAddress: sender } = transaction;
  let data: readonly DataEntry[] = [];
  if (association !== undefined) {
    const terms = association.terms(transaction);
    const { associationType: type, recipient, subject = null } = terms;
    // In transaction bytes, 0 means that the association does not expire.
    const expires = terms.expires === undefined || terms.expires === 0n ? null : terms.expires;
    rows.add(tables.association, {
      revokes: association.revokes,
      sender,
      type,
      recipient,
      subject,
      expires: expires === null ? null : calendarTime(expires),
      expires_ms: expires,
      ...place,
    });
    effects.associated.push(recipient);
    data = terms.data ?? [];
  }
  if (statement !== undefined) {
    const terms = statement(transaction);
    const { statementType: type, recipient = null, subject = null } = terms;
    rows.add(tables.statement, { sender, type, recipient, subject, ...place });
    data = terms.data ?? [];
  }
  for (const [index, entry] of data.entries())
    rows.add(tables.claim, { index, ...place, ...entryColumns(entry) });
}

function entryColumns({ key, type, value }: DataEntry) {
  return {
    key: encodeUtf8(key),
    key_text: storableText(key),
    type,
    integer_value: type === "integer" ? value : null,
    boolean_value: type === "boolean" ? value : null,
    binary_value: type === "binary" ? value : null,
    string_value: type === "string" ? encodeUtf8(value) : null,
    string_text: type === "string" ? storableText(value) : null,
  };
}

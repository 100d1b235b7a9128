import { bytesEqual, bytesKey } from "../../bytes/compare.ts";
import { getOrInsert } from "../../collections/get-or-insert.ts";
import type {
  CredentialQueries,
  CredentialQuery,
  CredentialStatementInfo,
  CredentialStatusInfo,
  ListPosition,
} from "../../interfaces.ts";
import type { Reader } from "../../storage/kv.ts";
import type { Place } from "../../storage/places.ts";
import { invertedIndexes } from "../../storage/postings/all.ts";
import { postingsAscending } from "../../storage/postings/inverted-index.ts";
import {
  type CredentialStatementRow,
  credentialStatementsValue,
  type MethodRecord,
} from "../../storage/values/indexes.ts";
import { definitionOf, transactionBytes } from "../../transactions/index.ts";
import { methodTypeOf } from "../identities/did-document.ts";
import { byTimestamp, methodsAt } from "../identities/did-methods.ts";
import { type IdentityFacts, identityFacts, relationshipsIn } from "../identities/did-records.ts";
import { Queries, type QuerySource } from "../query-source.ts";
import { credentialKey, FIRST_TYPE_FOR_ANYONE, statementNames } from "./write.ts";

export class CredentialStatusQuery extends Queries implements CredentialQueries {
  status(subject: Uint8Array, query: CredentialQuery): CredentialStatusInfo {
    const source = this.source;
    const facts = identityFacts(source.reader, source.rows("identities"));
    const transactionAt = source.transactionAt.bind(source);
    return credentialStatusOf(source.rows("credentials"), transactionAt, facts, subject, query);
  }
}

/** One statement may have 150 KiB. */
const MAX_PAGE_BYTES = 4_194_304;

/** Page 07 §11.2. */
export function credentialStatusOf(
  reader: Reader,
  transactionAt: QuerySource["transactionAt"],
  facts: IdentityFacts,
  subject: Uint8Array,
  { issuer, after, offset, limit }: CredentialQuery,
): CredentialStatusInfo {
  const all = credentialStatements(reader, subject);
  const selected = issuer === undefined ? all : statementsFor(facts, issuer, all);
  const statements: CredentialStatementInfo[] = [];
  let size = 0;
  const remaining = after === undefined ? selected : selected.filter((row) => isLater(row, after));
  let readCount = 0;
  for (const row of remaining.slice(offset, offset + limit)) {
    const transaction = transactionAt(row)?.transaction;
    // Always defined: rows exist only together with their transactions.
    if (transaction !== undefined) size += transactionBytes(transaction).length;
    if (size > MAX_PAGE_BYTES && statements.length > 0) break;
    readCount++;
    if (transaction === undefined) continue;
    const data = definitionOf(transaction).statement?.(transaction).data ?? [];
    const { name, timestamp, sender, height, position } = row;
    const signerKey = transaction.sender;
    statements.push({
      name,
      timestamp,
      signer: sender,
      signerKey,
      methodType: methodTypeOf(signerKey),
      data,
      height,
      position,
    });
  }
  return {
    isKnown: all.length > 0,
    total: selected.length,
    statements,
    hasMore: offset + readCount < remaining.length,
    ...credentialState(selected),
  };
}

function isLater(statement: CredentialStatement, after: ListPosition): boolean {
  if (statement.timestamp !== after.timestamp) return statement.timestamp > after.timestamp;
  if (statement.height !== after.height) return statement.height > after.height;
  return statement.position > after.position;
}

interface CredentialStatement extends CredentialStatementRow, Place {
  readonly name: string;
}

/** Returns statements sorted by timestamp, then in chain order. */
export function credentialStatements(reader: Reader, subject: Uint8Array): CredentialStatement[] {
  const found: CredentialStatement[] = [];
  for (const { unit, value } of postingsAscending(
    reader,
    invertedIndexes.credentialStatements,
    credentialKey(subject),
  ))
    for (const row of credentialStatementsValue.decode(value))
      found.push({ ...row, height: unit.height, name: statementNames.get(BigInt(row.type)) ?? "" });
  return found.sort(byTimestamp);
}

/**
 * Selects statements that anyone may make, and those whose sender could assert for the issuer when sending.
 * @param issuer null if no account can assert for the issuer
 */
function statementsFor(
  facts: IdentityFacts,
  issuer: Uint8Array | null,
  statements: readonly CredentialStatement[],
): CredentialStatement[] {
  const mayAssert = issuer === null ? () => false : canAssertFor(facts, issuer);
  return statements.filter(
    ({ type, sender, timestamp }) => type >= FIRST_TYPE_FOR_ANYONE || mayAssert(sender, timestamp),
  );
}

/**
 * Returns a function that checks if the DID's document lists a signer's key as assertion method at a time (ms). Page 07
 * §11.2, §15 (BUG-21).
 */
function canAssertFor(facts: IdentityFacts, did: Uint8Array): (signer: Uint8Array, time: bigint) => boolean {
  const key = facts.key(did);
  if (key === undefined) return () => false;
  const deactivation = facts.deactivation(did);
  // Only the records for a signer affect the signer's methods.
  const bySigner = new Map<string, MethodRecord[]>();
  for (const record of facts.methods(did))
    getOrInsert(bySigner, bytesKey(record.recipient), () => []).push(record);
  return (signer, time) => {
    if (key.created > time || (deactivation !== undefined && deactivation.timestamp <= time)) return false;
    return methodsAt(did, bySigner.get(bytesKey(signer)) ?? [], time).some(
      ({ recipient, relationships }) =>
        bytesEqual(recipient, signer) && relationshipsIn(relationships).includes("assertionMethod"),
    );
  };
}

/** Times in ms. */
interface CredentialState {
  readonly issued?: bigint | undefined;
  readonly suspended?: bigint | undefined;
  readonly revoked?: bigint | undefined;
}

/** A revoked credential is not suspended. Page 07 §11.2. */
function credentialState(statements: readonly CredentialStatement[]): CredentialState {
  const firstTime = (statement: string) => statements.find(({ name }) => name === statement)?.timestamp;
  const revoked = firstTime("revoke");
  let suspended: bigint | undefined;
  for (const { name, timestamp } of statements) {
    if (name === "suspend") suspended ??= timestamp;
    else if (name === "reinstate") suspended = undefined;
  }
  return { issued: firstTime("issue"), suspended: revoked === undefined ? suspended : undefined, revoked };
}

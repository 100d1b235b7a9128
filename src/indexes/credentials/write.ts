/** What accounts state about credentials: issued, revoked, suspended, disputed and so on. Page 07 §11. */
import { bytesEqual, bytesKey } from "../../bytes/compare.ts";
import { fastHash } from "../../crypto/hashes.ts";
import type { Reader } from "../../storage/kv.ts";
import type { Place } from "../../storage/places.ts";
import { invertedIndexes } from "../../storage/postings/all.ts";
import { postingsUp, writePostings } from "../../storage/postings/inverted-index.ts";
import { type CredentialNote, credentialNotesValue } from "../../storage/values/indexes.ts";
import { definitionOf } from "../../transactions/index.ts";
import type { IndexMode } from "../anchors/write.ts";
import type { ConfiguredIndex, StoredTransaction, UnitWork } from "../chain-index.ts";
import { GatheredPostings } from "../gathered-postings.ts";
import { byTimestamp, methodsAt } from "../identities/did-methods.ts";
import { type IdentityFacts, type MethodRecord, relationshipBits } from "../identities/did-records.ts";
import { wasGivenRole } from "../trust/write.ts";

/** The statements by their type. Page 07 §11.1. */
const names: ReadonlyMap<bigint, string> = new Map([
  [0x10n, "issue"],
  [0x11n, "revoke"],
  [0x12n, "suspend"],
  [0x13n, "reinstate"],
  [0x14n, "dispute"],
  [0x15n, "acknowledge"],
]);
/** From here on anybody may say so; below, only who may assert in the issuer's name counts. */
const FIRST_OF_ANYBODY = 0x14;

/** Whose statements are kept. */
interface CredentialModes {
  /** Of those that issue, revoke, suspend and reinstate. */
  readonly status: IndexMode;
  /** Of those that dispute and acknowledge. */
  readonly disputes: IndexMode;
}

/**
 * Statements about credentials, by the id of the credential. A mode `trust` works `compositeIndex` with the trust index
 * only, and behind it.
 */
export function credentialIndex({ status, disputes }: CredentialModes): ConfiguredIndex {
  const begin: NonNullable<ConfiguredIndex["begin"]> = (writer, unit): UnitWork => {
    // Most units have none.
    let found: GatheredPostings<CredentialNote> | undefined;
    return {
      add({ transaction, position }: StoredTransaction) {
        const declaration = definitionOf(transaction).declaration?.(transaction);
        if (declaration?.subject === undefined || !names.has(declaration.statementType)) return;
        const type = Number(declaration.statementType);
        const mode = type < FIRST_OF_ANYBODY ? status : disputes;
        const { senderAddress: sender, timestamp } = transaction;
        if (mode === "none" || (mode === "trust" && !wasGivenRole(writer, sender))) return;
        found ??= new GatheredPostings();
        found.list(keyOf(declaration.subject)).push({ position, type, sender, timestamp });
      },
      end() {
        if (found === undefined) return;
        const postings = found.postings(credentialNotesValue);
        writePostings(writer, invertedIndexes.credentialStatements, unit, postings);
      },
    };
  };
  return {
    configuration: { names: ["credentials"], text: `${status}, disputes ${disputes}` },
    apply(writer, unit) {
      const work = begin(writer, unit);
      for (const entry of unit.transactions) work.add(entry);
      work.end();
    },
    begin,
  };
}

/** Ids are up to 256 bytes long, keys of postings one less. */
function keyOf(subject: Uint8Array): Uint8Array {
  return fastHash(subject);
}

/** A statement, and where it stands. */
export interface CredentialStatement extends CredentialNote, Place {
  readonly name: string;
}

/** What is stated about a credential, by timestamp, then in the order of the chain. */
export function credentialStatements(reader: Reader, subject: Uint8Array): CredentialStatement[] {
  const found: CredentialStatement[] = [];
  for (const { unit, value } of postingsUp(reader, invertedIndexes.credentialStatements, keyOf(subject)))
    for (const note of credentialNotesValue.decode(value))
      found.push({ ...note, height: unit.height, name: names.get(BigInt(note.type)) ?? "" });
  return found.sort(byTimestamp);
}

/**
 * Those that count for an issuer: what anybody may say, and what was said by who could assert in his name then.
 * @param issuer null: one in whose name nobody can
 */
export function statementsFor(
  facts: IdentityFacts,
  issuer: Uint8Array | null,
  statements: readonly CredentialStatement[],
): CredentialStatement[] {
  const mayAssert = issuer === null ? () => false : assertersOf(facts, issuer);
  return statements.filter(
    ({ type, sender, timestamp }) => type >= FIRST_OF_ANYBODY || mayAssert(sender, timestamp),
  );
}

/**
 * Whether the document of a DID lists the key of an account as an assertion method, at a time in ms. An account that
 * has no document then lets nobody. Page 07 §11.2, §15 (BUG-21).
 */
function assertersOf(facts: IdentityFacts, did: Uint8Array): (signer: Uint8Array, time: bigint) => boolean {
  const key = facts.key(did);
  if (key === undefined) return () => false;
  const deactivation = facts.deactivation(did);
  // What a document says of one account does not depend on the others.
  const bySigner = new Map<string, MethodRecord[]>();
  for (const record of facts.methods(did)) {
    const signer = bytesKey(record.recipient);
    const known = bySigner.get(signer);
    if (known === undefined) bySigner.set(signer, [record]);
    else known.push(record);
  }
  return (signer, time) => {
    if (key.created > time || (deactivation !== undefined && deactivation.timestamp <= time)) return false;
    return methodsAt(did, bySigner.get(bytesKey(signer)) ?? [], time).some(
      ({ recipient, relationships }) =>
        bytesEqual(recipient, signer) &&
        (relationships & relationshipBits.assertionMethod) === relationshipBits.assertionMethod,
    );
  };
}

/** Times in ms, absent where there is none. */
interface CredentialState {
  readonly issued?: bigint | undefined;
  readonly suspended?: bigint | undefined;
  readonly revoked?: bigint | undefined;
}

/** What statements that count come to, in their order. Page 07 §11.2: nothing is suspended that is revoked. */
export function credentialState(statements: readonly CredentialStatement[]): CredentialState {
  const first = (wanted: string) => statements.find(({ name }) => name === wanted)?.timestamp;
  const revoked = first("revoke");
  let suspended: bigint | undefined;
  for (const { name, timestamp } of statements) {
    if (name === "suspend") suspended ??= timestamp;
    else if (name === "reinstate") suspended = undefined;
  }
  return { issued: first("issue"), suspended: revoked === undefined ? suspended : undefined, revoked };
}

import {
  type CredentialStatement,
  credentialState,
  credentialStatements,
  statementsFor,
} from "../../indexes/credentials/write.ts";
import { methodTypeOf } from "../../indexes/identities/did-document.ts";
import type { IdentityFacts } from "../../indexes/identities/did-records.ts";
import type {
  CredentialQuery,
  CredentialStatementInfo,
  CredentialStatusInfo,
  ListPlace,
} from "../../interfaces.ts";
import type { Reader } from "../../storage/kv.ts";
import { definitionOf, transactionBytes } from "../../transactions/index.ts";
import type { StoredBlockReader } from "./stored-blocks.ts";

/** Where a page ends early, in bytes of transactions: a statement may have 150 KiB. */
const MAX_PAGE_BYTES = 4_194_304;

/** What is stated about a credential. Page 07 §11.2. Of statements that are not listed, only the short note is read. */
export function credentialStatusOf(
  reader: Reader,
  blocks: Pick<StoredBlockReader, "transaction">,
  facts: IdentityFacts,
  subject: Uint8Array,
  { issuer, after, offset, limit }: CredentialQuery,
): CredentialStatusInfo {
  const all = credentialStatements(reader, subject);
  const kept = issuer === undefined ? all : statementsFor(facts, issuer, all);
  const statements: CredentialStatementInfo[] = [];
  let size = 0;
  const behind = after === undefined ? kept : kept.filter((one) => isLater(one, after));
  let taken = 0;
  for (const place of behind.slice(offset, offset + limit)) {
    const transaction = blocks.transaction(place)?.transaction;
    // The row of a unit lives and goes with its transactions.
    if (transaction !== undefined) size += transactionBytes(transaction).length;
    if (size > MAX_PAGE_BYTES && statements.length > 0) break;
    taken++;
    if (transaction === undefined) continue;
    const data = definitionOf(transaction).declaration?.(transaction).data ?? [];
    const { name, timestamp, sender, height, position } = place;
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
    known: all.length > 0,
    total: kept.length,
    statements,
    goesOn: offset + taken < behind.length,
    ...credentialState(kept),
  };
}

/** Whether a statement stands behind a place, in the order of `credentialStatements`. */
function isLater(one: CredentialStatement, after: ListPlace): boolean {
  if (one.timestamp !== after.timestamp) return one.timestamp > after.timestamp;
  return one.height > after.height || (one.height === after.height && one.position > after.position);
}

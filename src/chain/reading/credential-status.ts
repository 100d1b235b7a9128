import { credentialState, credentialStatements, statementsFor } from "../../indexes/credential-status.ts";
import { methodTypeOf } from "../../indexes/did-document.ts";
import type { IdentityFacts } from "../../indexes/did-records.ts";
import type { CredentialQuery, CredentialStatementInfo, CredentialStatusInfo } from "../../interfaces.ts";
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
  { issuer, offset, limit }: CredentialQuery,
): CredentialStatusInfo {
  const all = credentialStatements(reader, subject);
  const kept = issuer === undefined ? all : statementsFor(facts, issuer, all);
  const statements: CredentialStatementInfo[] = [];
  let size = 0;
  for (const place of kept.slice(offset, offset + limit)) {
    const transaction = blocks.transaction(place)?.transaction;
    // The row of a unit lives and goes with its transactions.
    if (transaction === undefined) continue;
    size += transactionBytes(transaction).length;
    if (size > MAX_PAGE_BYTES && statements.length > 0) break;
    const data = definitionOf(transaction).declaration?.(transaction).data ?? [];
    const { name, timestamp, sender } = place;
    const signerKey = transaction.sender;
    statements.push({
      name,
      timestamp,
      signer: sender,
      signerKey,
      methodType: methodTypeOf(signerKey),
      data,
    });
  }
  return { known: all.length > 0, total: kept.length, statements, ...credentialState(kept) };
}

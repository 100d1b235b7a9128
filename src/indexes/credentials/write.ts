import { fastHash } from "../../crypto/hashes.ts";
import { invertedIndexes } from "../../storage/postings/all.ts";
import { writePostings } from "../../storage/postings/inverted-index.ts";
import { type CredentialStatementRow, credentialStatementsValue } from "../../storage/values/indexes.ts";
import { definitionOf } from "../../transactions/index.ts";
import { type ConfiguredIndex, indexByTransaction } from "../chain-index.ts";
import type { IndexMode } from "../modes.ts";
import { PostingCollector } from "../posting-collector.ts";
import { hasRoleGrant } from "../trust/roles.ts";

/** By type. Page 07 §11.1. */
export const statementNames: ReadonlyMap<bigint, string> = new Map([
  [0x10n, "issue"],
  [0x11n, "revoke"],
  [0x12n, "suspend"],
  [0x13n, "reinstate"],
  [0x14n, "dispute"],
  [0x15n, "acknowledge"],
]);
/** Anyone may make statements of this and higher types; lower ones need the right to assert for the issuer. */
export const FIRST_TYPE_FOR_ANYONE = 0x14;

interface CredentialModes {
  readonly status: IndexMode;
  readonly disputes: IndexMode;
}

/** Indexes statements about credentials. Page 07 §11. The mode `trust` needs the trust index in a `compositeIndex`. */
export function credentialIndex({ status, disputes }: CredentialModes): ConfiguredIndex {
  const configuration = { names: ["credentials"], text: `${status}, disputes ${disputes}` } as const;
  return indexByTransaction(configuration, (writer, unit) => {
    let found: PostingCollector<CredentialStatementRow> | undefined;
    return {
      add({ transaction, position }) {
        const statement = definitionOf(transaction).statement?.(transaction);
        if (statement?.subject === undefined || !statementNames.has(statement.statementType)) return;
        const type = Number(statement.statementType);
        const mode = type < FIRST_TYPE_FOR_ANYONE ? status : disputes;
        const { senderAddress: sender, timestamp } = transaction;
        if (mode === "none" || (mode === "trust" && !hasRoleGrant(writer, sender))) return;
        found ??= new PostingCollector();
        found.itemsOf(credentialKey(statement.subject)).push({ position, type, sender, timestamp });
      },
      end() {
        if (found === undefined) return;
        const postings = found.postings(credentialStatementsValue);
        writePostings(writer, invertedIndexes.credentialStatements, unit, postings);
      },
    };
  });
}

/** Hashes an id, which may have 256 bytes: posting keys have at most 255. */
export function credentialKey(subject: Uint8Array): Uint8Array {
  return fastHash(subject);
}

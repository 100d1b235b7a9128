/** Page 07 §11. */
import Type from "typebox";
import { decodeBase58, encodeBase58 } from "../../../bytes/base58.ts";
import { isoSeconds } from "../../../bytes/dates.ts";
import { tryDecode } from "../../../bytes/errors.ts";
import type { JsonOut } from "../../../bytes/json.ts";
import { mapLazily } from "../../../http/responses/chunked-json.ts";
import type { CredentialStatementInfo, CredentialStatusInfo } from "../../../interfaces.ts";
import { entryJson, entryJsonValue } from "../../../transactions/index.ts";
import { cursors } from "../../lists/cursors.ts";
import { pageParameters, pageReply } from "../../lists/pages.ts";
import {
  fileAnswers,
  fileReply,
  formatParameter,
  isFileRequested,
  type Row,
  rowsOf,
} from "../../lists/tables.ts";
import { BASE58_ID, ROOT } from "../../openapi/dev-examples.ts";
import { type Answer, get, indexRoutesOf, type ReadCall } from "../../route.ts";
import { base58, Count, DataEntrySchema, object } from "../../schemas/common.ts";
import { failsInIndex } from "../../schemas/failures.ts";
import { indexError, parseIndexPage, refuseFormat } from "../statistics/index-query.ts";
import { didPrefix, parseAnyAddress } from "./did.ts";

const MAX_PAGE_SIZE = 1_000;
/** 256 bytes in Base58, longer than any credential's id. */
const MAX_ID_TEXT = 352;

/** Members of each statement, which data entries cannot replace. Page 07 §11.1, §15 (BUG-11). */
const RESERVED_MEMBERS = new Set(["type", "timestamp", "signer", "sender"]);

function statementJson(prefix: string, statement: CredentialStatementInfo): JsonOut {
  const { name, timestamp, signer, methodType, signerKey, data } = statement;
  return new Map<string, JsonOut>([
    ["type", name],
    ["timestamp", isoSeconds(timestamp)],
    [
      "signer",
      {
        id: `${prefix}${encodeBase58(signer)}#sign`,
        type: methodType,
        publicKeyMultibase: `z${encodeBase58(signerKey.bytes)}`,
      },
    ],
    ...data
      .filter(({ key }) => !RESERVED_MEMBERS.has(key))
      .map((entry): [string, JsonOut] => [entry.key, entryJsonValue(entry)]),
  ]);
}

function statementRow(prefix: string, { name, timestamp, signer, data }: CredentialStatementInfo): Row {
  return {
    type: name,
    timestamp: isoSeconds(timestamp),
    signer: `${prefix}${encodeBase58(signer)}`,
    data: data.map(entryJson),
  };
}

function parseSubject(text: string): Uint8Array | undefined {
  return tryDecode(() => decodeBase58(text, MAX_ID_TEXT));
}

function timeText(ms: bigint | undefined): string | undefined {
  return ms === undefined ? undefined : isoSeconds(ms);
}

function nextCursorOf({ statements, hasMore }: CredentialStatusInfo): string | undefined {
  const last = statements.at(-1);
  return hasMore && last !== undefined ? cursors.statements.encode(last) : undefined;
}

function answerStatus(call: ReadCall): Answer {
  const id = call.param("id");
  const issuers = call.queryAll("issuer");
  if (issuers.length > 1) throw indexError("issuer: must be given once");
  const page = parseIndexPage(call, cursors.statements, { fallback: MAX_PAGE_SIZE, max: MAX_PAGE_SIZE });
  const prefix = didPrefix(call.info.network);
  const issuer = issuers[0] || undefined;
  const address = issuer?.startsWith(prefix) ? issuer.slice(prefix.length) : issuer;
  const query = {
    issuer: address === undefined ? undefined : (parseAnyAddress(address) ?? null),
    ...page,
  };
  const subject = parseSubject(id);
  isFileRequested(call, refuseFormat);
  return call.read((chain) => {
    const found = subject && chain.credentials.status(subject, query);
    const statements = found?.statements.map((one) => statementJson(prefix, one)) ?? [];
    const hasStatus = issuer !== undefined && found?.isKnown === true;
    const json = {
      id,
      ...(hasStatus && { issuer }),
      statements,
      ...(hasStatus && {
        issued: timeText(found.issued),
        suspended: timeText(found.suspended),
        revoked: timeText(found.revoked),
      }),
    };
    const next = found && nextCursorOf(found);
    const rows = mapLazily(found?.statements ?? [], (one) => statementRow(prefix, one));
    return (
      fileReply(call, chain, table, rows, next) ??
      pageReply(call, json, next, { "x-total": String(found?.total ?? 0) })
    );
  });
}

const Time = Type.String({ description: "ISO 8601 in UTC, without milliseconds." });

const StatementType = Type.Enum(["issue", "revoke", "suspend", "reinstate", "dispute", "acknowledge"]);

const Statement = Type.Object(
  {
    type: StatementType,
    timestamp: Time,
    signer: object({ id: Type.String(), type: Type.String(), publicKeyMultibase: Type.String() }),
  },
  { title: "Credential Statement", description: "Also contains the data entries of the statement." },
);

const table = {
  name: "credential-statements",
  members: {
    type: StatementType,
    timestamp: Time,
    signer: Type.String({ description: "DID of the account that made the statement." }),
    data: Type.Array(DataEntrySchema),
  },
} as const;

const files = fileAnswers(
  object(
    {
      id: Type.String(),
      issuer: Type.Optional(Type.String()),
      statements: Type.Array(Statement),
      issued: Type.Optional(Time),
      suspended: Type.Optional(Time),
      revoked: Type.Optional(Time),
    },
    "CredentialStatus",
  ),
  rowsOf(table),
);

export const credentialRoutes = indexRoutesOf("credentials", [
  get("/credential-status/:id", {
    summary: "Statements about a credential, and its status for an issuer",
    request: {
      params: { id: base58("Id of the credential.", BASE58_ID) },
      query: {
        issuer: Type.String({
          description:
            "Address or DID of an issuer. If set, the answer contains the status of the credential, and only these statements: disputes, acknowledgements, and those made with an assertion key of the issuer.",
          examples: [ROOT],
        }),
        ...pageParameters(cursors.statements, MAX_PAGE_SIZE, 0),
        ...formatParameter,
      },
    },
    answers: {
      ...files,
      headers: { "X-Total": { description: "Number of statements.", schema: Count }, ...files.headers },
      failures: { 400: failsInIndex("A query parameter is not valid.") },
    },
    cost: { cacheable: true, indexes: ["credentials", "identities", "keys"] },
    runsInReader: true,
    handle: answerStatus,
  }),
]);

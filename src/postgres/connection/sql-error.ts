import { BaseError } from "../../errors/base-error.ts";

export type SqlErrorKind =
  /** No connection, or the server ended it. */
  | "unreachable"
  /** A statement missed its deadline. */
  | "timeout"
  /** Wrong user, password, database or certificate. */
  | "access"
  /** A replica, or a server that is read-only. */
  | "read-only"
  | "disk full"
  | "too little memory"
  | "too many connections"
  /** The same transaction may succeed later. */
  | "conflict"
  /** The answer of COMMIT was lost: the transaction may be in the database. */
  | "commit unknown"
  /** The statement is refused. */
  | "statement";

/** Kinds by SQLSTATE. */
const KINDS: readonly (readonly [pattern: RegExp, kind: SqlErrorKind, hint?: string])[] = [
  [/^28/, "access", "check user, password and pg_hba.conf of the server"],
  [/^3D000$/, "access", "create the database, or correct the URL"],
  [/^42501$/, "access", "connect with a role that may do this"],
  [
    /^25006$/,
    "read-only",
    "connect to the primary; if this is the primary, turn off default_transaction_read_only",
  ],
  [/^(53100|58030)$/, "disk full", "free space on the server"],
  [/^53200$/, "too little memory", "give the server more memory, or lower work_mem or max_connections"],
  [/^53300$/, "too many connections", "raise max_connections, or close other connections"],
  [/^(40001|40P01|55P03|55006)$/, "conflict"],
  [/^(08|57P0)/, "unreachable"],
  [/^57014$/, "timeout"],
];

/** Errors of the connection that pg reports without a code. */
const LOST = /terminated unexpectedly|not queryable|closed|timeout expired/i;
const TLS = /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|UNABLE_TO|SELF_SIGNED|ERR_OSSL)|SSL/;

/** A failed connection or statement. Messages never contain passwords or values of parameters. */
export class SqlError extends BaseError {
  readonly kind: SqlErrorKind;
  /** SQLSTATE, or the system's error code. */
  readonly code: string | undefined;

  constructor(
    kind: SqlErrorKind,
    message: string,
    options: { hint?: string; code?: string | undefined } = {},
  ) {
    super(message, options.hint === undefined ? {} : { hint: options.hint });
    this.kind = kind;
    this.code = options.code;
  }
}

/**
 * Converts an error of pg or pglite to a `SqlError`.
 * @param name address without secrets
 */
export function sqlErrorOf(error: unknown, name: string): SqlError {
  if (error instanceof SqlError) return error;
  const message = error instanceof Error ? error.message : String(error);
  const code =
    typeof error === "object" && error !== null && "code" in error && typeof error.code === "string"
      ? error.code
      : undefined;
  const text = `PostgreSQL at ${name}: ${message || code}`;
  const match = KINDS.find(([pattern]) => code !== undefined && pattern.test(code));
  if (match !== undefined) {
    const [, kind, hint] = match;
    return new SqlError(kind, text, hint === undefined ? { code } : { code, hint });
  }
  if (TLS.test(code ?? message))
    return new SqlError("access", text, {
      code,
      hint: "check the certificate, or sslmode and sslrootcert of the URL",
    });
  const isSystem = code !== undefined && /^E[A-Z]/.test(code);
  if (isSystem || LOST.test(message)) return new SqlError("unreachable", text, { code });
  return new SqlError("statement", text, { code });
}

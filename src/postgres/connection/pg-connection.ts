import { setMaxListeners } from "node:events";
import { readFileSync } from "node:fs";
import type { ConnectionOptions } from "node:tls";
import pg from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { reasonOf } from "../../bytes/errors.ts";
import type { Clock } from "../../interfaces.ts";
import { hostText, type PostgresHost, type PostgresTarget, PostgresUrlError } from "./postgres-url.ts";
import type { SqlConnection, SqlOptions, SqlResult, SqlRow, SqlValue } from "./sql-connection.ts";
import { SqlError, sqlErrorOf } from "./sql-error.ts";
import { parsers } from "./values.ts";

const STATEMENT_TIMEOUT_MS = 5_000;
const KEEP_ALIVE_MS = 10_000;

export interface ConnectOptions {
  readonly clock: Clock;
  readonly password?: string | undefined;
  /** Timeout of connecting, and of statements without their own. Default: `STATEMENT_TIMEOUT_MS`. */
  readonly deadlineMs?: number | undefined;
  /** Shown by the server in pg_stat_activity. */
  readonly applicationName: string;
  /** Skips servers in recovery. */
  readonly needsPrimary?: boolean | undefined;
}

/** @throws PostgresUrlError if a file cannot be read */
function tlsOptions(target: PostgresTarget, host: string): false | ConnectionOptions {
  if (!target.isVerified) return false;
  const read = (path: string | undefined): Buffer | undefined => {
    try {
      return path === undefined ? undefined : readFileSync(path);
    } catch (error) {
      throw new PostgresUrlError(`Cannot read ${path}: ${reasonOf(error)}`);
    }
  };
  return {
    rejectUnauthorized: true,
    servername: host,
    ca: read(target.rootCertificate),
    cert: read(target.certificate),
    key: read(target.key),
  };
}

const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: "text" | "binary") =>
    (format !== "binary" && parsers.get(oid)) ||
    pg.types.getTypeParser(oid, format ?? "text")) as typeof pg.types.getTypeParser,
};

/** The part of a stream that pg's parser uses. */
interface MessageStream {
  on(event: "data" | "end", listener: (bytes: Buffer) => void): unknown;
}

/** pg parses messages in a listener of the stream, where an error would end the process. */
function guardParser(client: pg.Client, onInvalid: (error: unknown) => void): void {
  // pg's types omit this method.
  const connection = client.connection as unknown as { attachListeners(stream: MessageStream): void };
  const attach = connection.attachListeners.bind(connection);
  connection.attachListeners = (stream) =>
    attach({
      on: (event, listener) =>
        stream.on(event, (bytes) => {
          try {
            listener(bytes);
          } catch (error) {
            onInvalid(error);
          }
        }),
    });
}

/** Prevents the server from holding locks for a client that vanished. */
const SESSION_SETTINGS = `select set_config('idle_in_transaction_session_timeout', '60s', false),
  set_config('tcp_keepalives_idle', '10', false), set_config('TimeZone', 'UTC', false)`;

class PgConnection implements SqlConnection {
  readonly name: string;
  readonly #client: pg.Client;
  readonly #clock: Clock;
  readonly #deadlineMs: number;
  readonly #lost = new AbortController();
  /** Settles when all sent statements have been answered. */
  #answered: Promise<unknown> = Promise.resolve();
  #closed: Promise<void> | undefined;
  #isInTransaction = false;

  constructor(client: pg.Client, name: string, clock: Clock, deadlineMs: number) {
    this.#client = client;
    this.name = name;
    this.#clock = clock;
    this.#deadlineMs = deadlineMs;
    // Each unanswered statement adds a listener.
    setMaxListeners(0, this.#lost.signal);
    guardParser(client, (error) =>
      this.#markLost(
        new SqlError("unreachable", `PostgreSQL at ${name} sent an invalid message: ${reasonOf(error)}`),
      ),
    );
    client.on("error", (error) => this.#markLost(sqlErrorOf(error, name)));
    client.on("end", () =>
      this.#markLost(new SqlError("unreachable", `PostgreSQL at ${name}: connection ended`)),
    );
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  async connect(): Promise<void> {
    await this.#withDeadline(this.#deadlineMs, () => this.#client.connect());
    await this.query(SESSION_SETTINGS);
  }

  async query<R extends SqlRow>(
    text: string,
    values: readonly SqlValue[] = [],
    { deadlineMs, name }: SqlOptions = {},
  ): Promise<SqlResult<R>> {
    const result = await this.#withDeadline(deadlineMs ?? this.#deadlineMs, () =>
      this.#client.query<R>({ text, values: [...values], ...(name === undefined ? {} : { name }) }),
    );
    // For several statements in one text, pg returns an array, without `rows`.
    return { rows: result.rows ?? [], count: result.rowCount ?? 0 };
  }

  async script(statements: readonly string[], options: SqlOptions = {}): Promise<void> {
    if (statements.length > 0) await this.query(statements.join(";\n"), [], options);
  }

  async copyIn(
    target: string,
    chunks: Iterable<Uint8Array>,
    { deadlineMs }: SqlOptions = {},
  ): Promise<number> {
    // In pipeline mode, pg refuses COPY streams.
    await this.#answered.catch(() => undefined);
    return this.#withDeadline(deadlineMs ?? this.#deadlineMs, () => {
      this.#setPipeline(false);
      return this.#copy(target, chunks).finally(() => {
        this.#setPipeline(true);
      });
    });
  }

  #setPipeline(isOn: boolean): void {
    // Only pg's types say that `pipeline` is read-only.
    (this.#client as { pipeline: boolean }).pipeline = isOn;
  }

  async #copy(target: string, chunks: Iterable<Uint8Array>): Promise<number> {
    const stream = this.#client.query(copyFrom(`COPY ${target} FROM STDIN (FORMAT binary)`));
    const { pipeline } = await import("node:stream/promises");
    const { Readable } = await import("node:stream");
    await pipeline(Readable.from(chunks, { objectMode: true }), stream);
    return stream.rowCount;
  }

  async transaction<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isInTransaction) throw new RangeError("Transactions do not nest");
    this.#isInTransaction = true;
    try {
      await this.query("BEGIN");
      const result = await work();
      await this.#commit();
      return result;
    } catch (error) {
      if (!this.lost.aborted && !isCommitUnknown(error))
        // After a failed rollback, the connection is unusable.
        await this.query("ROLLBACK").catch((failure: unknown) =>
          this.#markLost(sqlErrorOf(failure, this.name)),
        );
      throw error;
    } finally {
      this.#isInTransaction = false;
    }
  }

  async #commit(): Promise<void> {
    try {
      await this.query("COMMIT");
    } catch (error) {
      const failure = sqlErrorOf(error, this.name);
      if (failure.kind !== "unreachable" && failure.kind !== "timeout") throw failure;
      throw new SqlError("commit unknown", failure.shortMessage, { code: failure.code });
    }
  }

  async listen(channel: string, onNotify: () => void): Promise<void> {
    this.#client.on("notification", (message) => {
      if (message.channel === channel) onNotify();
    });
    await this.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
  }

  close(): Promise<void> {
    this.#closed ??= this.#end();
    return this.#closed;
  }

  async #end(): Promise<void> {
    await this.#answered.catch(() => undefined);
    if (!this.lost.aborted) {
      const ended = this.#client.end();
      await Promise.race([ended, new Promise<void>((resolve) => this.#clock.after(1_000, resolve))]);
    }
    this.#markLost(new SqlError("unreachable", `PostgreSQL at ${this.name}: the connection is closed`));
  }

  /** Drops the connection if the server does not answer in time, because the statement's effect is then unknown. */
  #withDeadline<T>(deadlineMs: number, work: () => Promise<T>): Promise<T> {
    if (this.lost.aborted) return Promise.reject(this.lost.reason);
    const cancel = this.#clock.after(deadlineMs, () =>
      this.#markLost(
        new SqlError("timeout", `PostgreSQL at ${this.name}: no answer within ${deadlineMs} ms`),
      ),
    );
    let onLost = (): void => undefined;
    const settled = new Promise<T>((resolve, reject) => {
      onLost = () => reject(this.lost.reason);
      this.lost.addEventListener("abort", onLost);
      work().then(resolve, (error: unknown) => reject(sqlErrorOf(error, this.name)));
    }).finally(() => {
      cancel();
      this.lost.removeEventListener("abort", onLost);
    });
    this.#answered = Promise.allSettled([this.#answered, settled]);
    return settled;
  }

  #markLost(error: SqlError): void {
    if (this.lost.aborted) return;
    this.#lost.abort(error);
    this.#client.connection.stream.destroy();
  }
}

const isCommitUnknown = (error: unknown): boolean =>
  error instanceof SqlError && error.kind === "commit unknown";

async function connectTo(
  target: PostgresTarget,
  host: PostgresHost,
  options: ConnectOptions,
): Promise<PgConnection> {
  const deadlineMs = options.deadlineMs ?? STATEMENT_TIMEOUT_MS;
  const name = `${hostText(host)}/${target.database}`;
  const client = new pg.Client({
    host: host.host,
    port: host.port,
    user: target.user,
    database: target.database,
    // Without a function, pg reads the password from the environment and from ~/.pgpass.
    password: () => options.password ?? "",
    ssl: tlsOptions(target, host.host),
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    application_name: options.applicationName,
    types,
    pipeline: true,
  });
  const connection = new PgConnection(client, name, options.clock, deadlineMs);
  try {
    await connection.connect();
    if (options.needsPrimary === true) {
      const { rows } = await connection.query<{ replica: boolean }>("select pg_is_in_recovery() as replica");
      if (rows[0]?.replica !== false)
        throw new SqlError("read-only", `PostgreSQL at ${name} is a replica`, {
          hint: "connect to the primary",
        });
    }
    return connection;
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/**
 * Connects to the first host that accepts, one host at a time.
 * @throws SqlError with the reasons of all hosts; PostgresUrlError if a file of the URL cannot be read
 */
export async function connectPostgres(
  target: PostgresTarget,
  options: ConnectOptions,
): Promise<SqlConnection> {
  const failed: SqlError[] = [];
  for (const host of target.hosts) {
    try {
      return await connectTo(target, host, options);
    } catch (error) {
      if (!(error instanceof SqlError)) throw error;
      failed.push(error);
    }
  }
  if (failed.length === 1) throw failed[0];
  // Replicas are always read-only, so another host's error says more.
  const { kind, code } = failed.find((one) => one.kind !== "read-only") ?? failed[0];
  throw new SqlError(kind, failed.map(({ message }) => message).join("; "), { code });
}

/** A PostgreSQL connection for the mirror and gateways. Tests implement it with pglite. */

export type SqlValue = string | number | bigint | boolean | Uint8Array | Date | null | readonly SqlValue[];

/** Column names and values: see `ColumnValues`. */
export type SqlRow = Readonly<Record<string, unknown>>;

export interface SqlResult<R extends SqlRow> {
  readonly rows: readonly R[];
  /** Rows that the statement returned or changed. */
  readonly count: number;
}

export interface SqlOptions {
  /** Default: the deadline of the connection. */
  readonly deadlineMs?: number | undefined;
  /** The server parses a named statement once per connection. */
  readonly name?: string | undefined;
}

export interface SqlConnection {
  /** Address without secrets, for log lines. */
  readonly name: string;
  /** Aborted once the connection cannot be used any more. The reason is a `SqlError`. */
  readonly lost: AbortSignal;
  /**
   * Statements run in the order of the calls; a caller may send several before the first is answered.
   * After a missed deadline the connection is lost.
   * @throws SqlError
   */
  query<R extends SqlRow = SqlRow>(
    text: string,
    values?: readonly SqlValue[],
    options?: SqlOptions,
  ): Promise<SqlResult<R>>;
  /** Executes statements without values, in one round trip. @throws SqlError of the first that fails */
  script(statements: readonly string[], options?: SqlOptions): Promise<void>;
  /**
   * Copies rows in PostgreSQL's binary format: header, rows, trailer, in chunks of any length.
   * @param target table and columns: `holdfast_1.anchor (tag, height)`
   * @returns the number of rows
   * @throws SqlError
   */
  copyIn(target: string, chunks: Iterable<Uint8Array>, options?: SqlOptions): Promise<number>;
  /**
   * Runs statements in one transaction, and rolls back if `work` throws. Transactions do not nest.
   * @throws SqlError, and what `work` throws. Kind `commit unknown`: the answer of COMMIT was lost
   */
  transaction<T>(work: () => Promise<T>): Promise<T>;
  /** Calls `onNotify` for each notification on a channel. Servers in recovery refuse this. @throws SqlError */
  listen(channel: string, onNotify: () => void): Promise<void>;
  /** Waits for statements that were sent, at most for their deadlines. Calling it again does nothing. */
  close(): Promise<void>;
}

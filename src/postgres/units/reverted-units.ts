import { decodeBase58 } from "../../bytes/base58.ts";
import { ADDRESS_LENGTH } from "../../crypto/addresses.ts";
import type { RevertedRecord } from "../../interfaces.ts";
import type { SqlConnection } from "../connection/sql-connection.ts";
import { TABLES_SCHEMA } from "../schema/statements.ts";

/** Maximum of a store's log. */
const MAX_UNITS = 4_096;
const MAX_BYTES = 32 * 2 ** 20;
const TIMEOUT_MS = 60_000;

const STATEMENT = `
select id, height, sequence, parent, bytes, fees, payers from (
  select *, sum(octet_length(bytes)) over (order by reverted_at desc, height desc, sequence desc) as total
  from ${TABLES_SCHEMA}.reverted_unit where sequence <> 65535
  order by reverted_at desc, height desc, sequence desc limit ${MAX_UNITS}
) r where total <= ${MAX_BYTES} order by reverted_at, height, sequence`;

interface RevertedRow extends Readonly<Record<string, unknown>> {
  readonly id: Uint8Array;
  readonly height: number;
  readonly sequence: number;
  readonly parent: Uint8Array;
  readonly bytes: Uint8Array;
  readonly fees: readonly bigint[] | null;
  readonly payers: readonly (string | null)[] | null;
}

/** Returns the newest units that left the chain, oldest first, without persist units. @throws SqlError, DecodeError */
export async function readRevertedUnits(sql: SqlConnection): Promise<readonly RevertedRecord[]> {
  const { rows } = await sql.query<RevertedRow>(STATEMENT, [], { deadlineMs: TIMEOUT_MS });
  return rows.map(({ fees, payers, ...unit }) => ({
    ...unit,
    fees: fees ?? [],
    payers: (payers ?? []).map((text) =>
      text === null ? undefined : decodeBase58(text, 2 * ADDRESS_LENGTH),
    ),
  }));
}

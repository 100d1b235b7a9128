import { encodeBase58 } from "../../bytes/base58.ts";
import { bytesKey } from "../../bytes/compare.ts";
import { BoundedCache } from "../../collections/bounded-cache.ts";
import type { SqlConnection } from "../connection/sql-connection.ts";
import { tables } from "../schema/all-tables.ts";
import { tableName } from "../schema/statements.ts";
import { byteaArray } from "./array-literals.ts";
import type { AccountIdOf, TableRows } from "./table-rows.ts";

/** About 20 MB. */
const MAX_CACHED = 150_000;
const ADDRESSES_PER_QUERY = 5_000;

const account = tableName(tables.account);

/** Returns the account numbers of the addresses that the database has, by `bytesKey`. @throws SqlError */
export async function findAccountIds(
  sql: SqlConnection,
  addresses: readonly Uint8Array[],
): Promise<ReadonlyMap<string, bigint>> {
  const ids = new Map<string, bigint>();
  for (let at = 0; at < addresses.length; at += ADDRESSES_PER_QUERY) {
    const found = await sql.query<{ id: bigint; address: Uint8Array }>(
      // With `= ANY`, or a plan made for a smaller table, the server may compare each row with each address.
      `SELECT a.id, a.address FROM unnest($1::text::bytea[]) AS u(address)
       JOIN ${account} a ON a.address = u.address`,
      [byteaArray(addresses.slice(at, at + ADDRESSES_PER_QUERY))],
    );
    for (const { id, address } of found.rows) ids.set(bytesKey(address), id);
  }
  return ids;
}

/** Account numbers within one transaction. */
interface ResolvedIds {
  readonly idOf: AccountIdOf;
  /** Call this after the commit. */
  cacheIds(): void;
}

/** Finds account numbers, and assigns numbers to new addresses. */
export class AccountIds {
  readonly #cache = new BoundedCache<bigint>({ entries: MAX_CACHED });

  /** Call this when the database may have lost commits. */
  clear(): void {
    this.#cache.clear();
  }

  /**
   * Adds account rows to `rows` for its new addresses, within the writer's transaction.
   * @param more further addresses, which are not new
   * @throws SqlError
   */
  async resolve(sql: SqlConnection, rows: TableRows, more: readonly Uint8Array[]): Promise<ResolvedIds> {
    const ids = new Map<string, bigint>();
    const unknown = new Map<string, Uint8Array>();
    const visit = (address: Uint8Array): void => {
      const key = bytesKey(address);
      if (ids.has(key) || unknown.has(key)) return;
      const id = this.#cache.use(key);
      if (id === undefined) unknown.set(key, address);
      else ids.set(key, id);
    };
    rows.addresses(visit);
    for (const address of more) visit(address);
    for (const [key, id] of await findAccountIds(sql, [...unknown.values()])) {
      ids.set(key, id);
      unknown.delete(key);
    }
    if (unknown.size > 0) {
      const { rows: last } = await sql.query<{ id: bigint }>(
        `SELECT coalesce(max(id), 0)::bigint AS id FROM ${account}`,
      );
      let id = last[0].id;
      for (const [key, address] of unknown) {
        id += 1n;
        ids.set(key, id);
        rows.add(tables.account, { id, address, text: encodeBase58(address) });
      }
    }
    return {
      idOf(address) {
        const id = ids.get(bytesKey(address));
        if (id === undefined) throw new RangeError("The address has no number");
        return id;
      },
      cacheIds: () => {
        for (const [key, id] of ids) this.#cache.set(key, id);
      },
    };
  }
}

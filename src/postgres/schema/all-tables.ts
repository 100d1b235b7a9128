import type { Table } from "./table.ts";
import * as accounts from "./tables/account-tables.ts";
import * as positions from "./tables/position-tables.ts";
import * as transactions from "./tables/transaction-tables.ts";

/** All tables of format 1, by the names in code. */
export const tables = { ...positions, ...accounts, ...transactions };

export const allTables: readonly Table[] = Object.values(tables);

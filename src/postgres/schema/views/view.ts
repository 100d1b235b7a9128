import { TABLES_SCHEMA } from "../statements.ts";

export interface View {
  readonly name: string;
  readonly comment: string;
  /** Comments of columns, in order. */
  readonly columns: Readonly<Record<string, string>>;
  readonly query: string;
}

export interface SqlFunction {
  readonly name: string;
  readonly parameters: string;
  readonly comment: string;
  /** `returns …` and everything after it. */
  readonly definition: string;
}

/** Schema of the tables. */
export const T = TABLES_SCHEMA;

/** Column `final`: true for rows of persisted blocks. @param height SQL expression of the height */
export const isFinal = (height: string): string =>
  `${height} <= coalesce((select persisted_height from ${T}.chain), 0) as final`;

/** Time of the newest persisted block, ms: the chain's current time. Numeric, so that sums cannot overflow. */
export const CHAIN_TIME = `coalesce((select b.time_ms::numeric from ${T}.block b join ${T}.chain c on b.height = c.persisted_height), 0)`;

/** Day of a block, UTC. */
export const DAY = "(b.time at time zone 'UTC')::date";

export const FINAL = "True if the block is persisted: micro blocks no longer change it, only a fork can";
export const HEIGHT = "Height of the block";
export const POSITION = "Position of the transaction in its block, from 0";
export const BLOCK_TIME = "Time of the block; null outside the years 1 to 9999";
export const IN_UNITS = "in 10^-8 tokens";

/** Joins an account that always exists. @param number column with the account's number */
export const joinAccount = (alias: string, number: string): string =>
  `join ${T}.account ${alias} on ${alias}.id = ${number}`;
export const leftJoinAccount = (alias: string, number: string): string =>
  `left ${joinAccount(alias, number)}`;

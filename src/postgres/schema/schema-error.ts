import { BaseError } from "../../errors/base-error.ts";

export type SchemaRefusal =
  | "another network"
  /** The database contains tables of another program. */
  | "not ours"
  /** PostgreSQL is older than 14. */
  | "old server"
  /** A newer version of Holdfast wrote the schema. */
  | "newer format"
  /** The schema is missing or older. */
  | "not migrated"
  /** The login may not create missing roles. */
  | "missing role"
  | "not UTF-8"
  /** Views read the tables that should be dropped. */
  | "in use";

/** A database is refused before anything is written. */
export class SchemaError extends BaseError {
  readonly refusal: SchemaRefusal;
  constructor(refusal: SchemaRefusal, message: string, hint?: string) {
    super(message, hint === undefined ? {} : { hint });
    this.refusal = refusal;
  }
}

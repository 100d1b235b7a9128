import { BaseError } from "../../errors/base-error.ts";

export type SchemaRefusal =
  | "another network"
  | "not ours"
  | "old server"
  | "newer format"
  | "not migrated"
  | "missing role"
  | "not UTF-8"
  | "in use";

/** A database is refused before anything is written. */
export class SchemaError extends BaseError {
  readonly refusal: SchemaRefusal;
  constructor(refusal: SchemaRefusal, message: string, hint?: string) {
    super(message, hint === undefined ? {} : { hint });
    this.refusal = refusal;
  }
}

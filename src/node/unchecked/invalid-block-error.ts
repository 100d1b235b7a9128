import { BaseError } from "../../errors/base-error.ts";

/** `--assume-valid` accepted an invalid block: the node must not run with this chain. */
export class InvalidBlockError extends BaseError {
  readonly height: number;
  constructor(height: number, reason?: string) {
    super(
      `Block ${height} is invalid, and was accepted because of --assume-valid${reason === undefined ? "" : `: ${reason}`}. ` +
        `Remove it and all later blocks with \`holdfast rollback ${height - 1}\`, or move the folder chain/ of the data ` +
        "directory away. Then start the node again without --assume-valid.",
    );
    this.height = height;
  }
}

import { type Command, InvalidArgumentError } from "commander";
import { UsageError } from "../exit-codes.ts";

export interface TrustFlags {
  readonly trustedKey?: readonly string[];
  readonly block?: { readonly height: number | undefined; readonly id: string };
  readonly trustSource?: boolean;
}

const ID = /^(?:(\d{1,10}):)?([1-9A-HJ-NP-Za-km-z]{32,100})$/;

function parseBlock(text: string): TrustFlags["block"] {
  const [, height, id] = ID.exec(text) ?? [];
  if (id === undefined) throw new InvalidArgumentError("Expected the id of a block, or HEIGHT:ID.");
  return { height: height === undefined ? undefined : Number(height), id };
}

function collectKeys(text: string, keys: readonly string[] = []): readonly string[] {
  if (!ID.test(text) || text.includes(":"))
    throw new InvalidArgumentError("Expected a public key in Base58.");
  return [...keys, text];
}

/** @throws UsageError if a flag is given */
export function refuseTrustFlags({ trustedKey, block, trustSource }: TrustFlags): void {
  const flags = { "--trusted-key": trustedKey, "--block": block, "--trust-source": trustSource };
  for (const [flag, value] of Object.entries(flags))
    if (value !== undefined) throw new UsageError(`${flag} has no effect without --snapshot: add --snapshot`);
}

export function addTrustFlags(command: Command): Command {
  return command
    .option(
      "--trusted-key <KEY>",
      "public key whose signature of the snapshot is trusted; may be repeated",
      collectKeys,
    )
    .option(
      "--block <[HEIGHT:]ID>",
      "id of a block that the chain must have at HEIGHT. Without HEIGHT, it must be one of the two newest blocks",
      parseBlock,
    )
    .option("--trust-source", "trust the snapshot without a signature or block");
}

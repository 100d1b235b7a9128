import { encodeBase58 } from "../bytes/base58.ts";
import type { JsonValue } from "../bytes/json.ts";
import type { WalletAccount } from "../control/index.ts";
import { addressText } from "../crypto/addresses.ts";
import type { ChainSnapshot } from "../interfaces.ts";
import {
  anchorDefinition,
  buildOwnTransaction,
  cancelSponsorshipDefinition,
  type NetworkRules,
  sponsorshipDefinition,
  type Transaction,
} from "../transactions/index.ts";
import type { Job } from "./tables.ts";

export type JobContent = Pick<Job, "kind" | "content">;

/**
 * Builds an unsigned transaction with the minimum fee.
 * @param jobs hashes and roots, or one start or end of a sponsorship
 * @param time of the transaction, ms since 1970
 * @throws Error if the transaction is invalid
 */
export function transactionOfJobs(
  chain: ChainSnapshot,
  network: NetworkRules,
  { keyType, publicKey }: WalletAccount,
  jobs: readonly JobContent[],
  time: number,
): Transaction {
  const result = buildOwnTransaction(chain, network, {
    ...contentOf(jobs),
    sender: { keyType, publicKey: encodeBase58(publicKey) },
    timestamp: BigInt(time),
  });
  if (!result.ok) throw new Error(`Invalid transaction: ${JSON.stringify(result.error)}`);
  return result.value.transaction;
}

function contentOf(jobs: readonly JobContent[]): {
  readonly type: number;
  readonly members: readonly (readonly [string, JsonValue])[];
} {
  const [{ kind, content }] = jobs;
  if (kind === "hash" || kind === "root") {
    const hashes = jobs.map((job) => encodeBase58(job.content));
    return { type: anchorDefinition.type, members: [["anchors", hashes]] };
  }
  const { type } = kind === "sponsor" ? sponsorshipDefinition : cancelSponsorshipDefinition;
  return { type, members: [["recipient", addressText(content)]] };
}

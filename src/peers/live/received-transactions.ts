import { BlockParseError } from "../../blocks/errors.ts";
import { parseTransactionsAt } from "../../blocks/transactions-section.ts";
import type { Mempool } from "../../mempool/mempool.ts";
import type { NetworkRules, Transaction } from "../../transactions/index.ts";
import type { Peer } from "../connections/peer.ts";
import { invalidMessage } from "../wire/wire-error.ts";

interface ParseContext {
  readonly peer: Peer;
  readonly pool: Pick<Mempool, "preferPooled">;
  readonly rules: NetworkRules;
}

/**
 * Parses the transactions of a block or micro block, and replaces known ones by the pool's copies, whose proofs are
 * checked already. Page 04 §7.
 * @param offsets start and end of each transaction, alternating
 * @returns undefined if the peer was banned
 */
export function parseWithTransactions<T>(
  { peer, pool, rules }: ParseContext,
  bytes: Uint8Array,
  offsets: Int32Array,
  make: (transactions: readonly Transaction[]) => T,
): T | undefined {
  try {
    return make(parseTransactionsAt(bytes, offsets, rules).map((parsed) => pool.preferPooled(parsed)));
  } catch (error) {
    if (!(error instanceof BlockParseError)) throw error;
    peer.blacklist(invalidMessage(error.message).message);
    return undefined;
  }
}

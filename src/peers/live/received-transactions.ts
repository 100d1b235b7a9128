import { BlockParseError } from "../../blocks/errors.ts";
import { parseTransactionsAt } from "../../blocks/transactions-section.ts";
import type { Mempool } from "../../mempool/mempool.ts";
import type { NetworkRules, Transaction } from "../../transactions/index.ts";
import type { Peer } from "../connections/peer.ts";
import { invalidMessage } from "../wire/wire-error.ts";

/** Whose transactions they are, and what they are held against. */
interface ReceivedFrom {
  readonly peer: Peer;
  readonly pool: Pick<Mempool, "ownCopy">;
  readonly rules: NetworkRules;
}

/**
 * What a peer's block or micro block becomes with its transactions, of which those that wait in the pool were checked
 * when they came. A peer whose bytes are no such thing is banned. Page 04 §7.
 * @param offsets start and end of each transaction in the bytes, by turns
 * @param make puts it together
 * @returns undefined when the peer was banned
 */
export function parseWithTransactions<T>(
  { peer, pool, rules }: ReceivedFrom,
  bytes: Uint8Array,
  offsets: Int32Array,
  make: (transactions: readonly Transaction[]) => T,
): T | undefined {
  try {
    return make(parseTransactionsAt(bytes, offsets, rules).map((one) => pool.ownCopy(one)));
  } catch (error) {
    if (!(error instanceof BlockParseError)) throw error;
    peer.blacklist(invalidMessage(error.message).message);
    return undefined;
  }
}

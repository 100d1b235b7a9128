/** What an operator decides about what is exchanged with other nodes: page 04 §23.2. `peers-options.ts` puts them together. */

import { whole } from "../kinds/kinds.ts";
import { DAY, duration, MINUTE, memoryTime, timeout } from "../kinds/quantity-kinds.ts";
import { always } from "./define-setting.ts";

export const exchangeSettings = {
  syncMaxRollback: always(
    {
      name: "sync-max-rollback",
      group: "exchange",
      reference: "synchronization.max-rollback",
      about: "Blocks that a better chain of other nodes may replace. Others refuse to hear of more than 200",
    },
    whole(1, 200),
    100,
  ),
  syncMaxChainLength: always(
    {
      name: "sync-max-chain-length",
      group: "exchange",
      reference: "synchronization.max-chain-length",
      about: "Ids of blocks in one answer of this node. Others refuse more than 199",
    },
    whole(1, 199),
    101,
  ),
  syncTimeoutMs: always(
    {
      name: "synchronization-timeout",
      group: "exchange",
      reference: "synchronization.synchronization-timeout",
      about: "Time that a node has to answer with ids, or with the next block",
    },
    timeout(100),
    MINUTE,
  ),
  invalidBlocksMs: always(
    {
      name: "invalid-blocks-timeout",
      group: "exchange",
      reference: "synchronization.invalid-blocks-storage.timeout",
      about: "How long it is remembered that a block is invalid",
    },
    memoryTime,
    DAY,
  ),
  blockCache: always(
    {
      name: "max-block-cache-size",
      group: "exchange",
      reference: "synchronization.history-replier.max-block-cache-size",
      about: "Blocks kept in memory for nodes that ask for them",
    },
    whole(0, 1_000),
    20,
  ),
  microBlockCache: always(
    {
      name: "max-micro-block-cache-size",
      group: "exchange",
      reference: "synchronization.history-replier.max-micro-block-cache-size",
      about: "Micro blocks kept in memory for nodes that ask for them",
    },
    whole(0, 10_000),
    50,
  ),
  rememberTransactionsMs: always(
    {
      name: "received-txs-cache-timeout",
      group: "exchange",
      reference: "network.received-txs-cache-timeout",
      about:
        "How long a connection remembers the transactions that came or went, to leave out what comes again",
    },
    memoryTime,
    3 * MINUTE,
  ),
  rememberedTransactions: always(
    {
      name: "network-tx-cache-size",
      group: "exchange",
      reference: "synchronization.utx-synchronizer.network-tx-cache-size",
      about: "Transactions that are remembered as already judged, whoever sent them",
    },
    whole(1, 10_000_000),
    1_000_000,
  ),
  gossipRememberMs: always(
    {
      name: "network-tx-cache-time",
      group: "exchange",
      reference: "synchronization.utx-synchronizer.network-tx-cache-time",
      about: "How long they are remembered",
    },
    duration(100, DAY),
    10_000,
  ),
  gossipBatchSize: always(
    {
      name: "tx-buffer-size",
      group: "exchange",
      reference: "synchronization.utx-synchronizer.max-buffer-size",
      about: "Transactions of others that are judged and passed on together at most",
    },
    whole(1, 10_000),
    500,
  ),
  gossipBatchMs: always(
    {
      name: "tx-buffer-time",
      group: "exchange",
      reference: "synchronization.utx-synchronizer.max-buffer-time",
      about: "How long a transaction waits for others to go with it",
    },
    duration(1, MINUTE),
    100,
  ),
  microBlockResponseMs: always(
    {
      name: "micro-block-response-timeout",
      group: "exchange",
      reference: "synchronization.micro-block-synchronizer.wait-response-timeout",
      about: "Time that a node has to send a micro block, before another one is asked",
    },
    timeout(10),
    2_000,
  ),
  microBlockProcessedMs: always(
    {
      name: "processed-micro-blocks-cache-timeout",
      group: "exchange",
      reference: "synchronization.micro-block-synchronizer.processed-micro-blocks-cache-timeout",
      about: "How long a micro block is remembered as had",
    },
    memoryTime,
    3 * MINUTE,
  ),
  microBlockAnnouncementMs: always(
    {
      name: "inv-cache-timeout",
      group: "exchange",
      reference: "synchronization.micro-block-synchronizer.inv-cache-timeout",
      about: "How long it is remembered who announced a micro block",
    },
    memoryTime,
    45_000,
  ),
} as const;

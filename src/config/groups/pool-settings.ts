/** Transactions that wait for a block: how many, how long, and whose. */

import { list, text, whole } from "../kinds/kinds.ts";
import { DAY, duration, size } from "../kinds/quantity-kinds.ts";
import { always } from "./define-setting.ts";

export const poolSettings = {
  poolMaxTransactions: always(
    {
      name: "pool-max-transactions",
      group: "pool",
      reference: "utx.max-size",
      about: "Transactions that wait at most; more are refused",
    },
    whole(1, 10_000_000),
    100_000,
  ),
  poolMaxBytes: always(
    {
      name: "pool-max-bytes",
      group: "pool",
      about: "Bytes of transactions that wait at most; more are refused",
    },
    size(2 ** 20, 2 ** 36),
    128 * 2 ** 20,
  ),
  poolMaxAgeMs: always(
    {
      name: "pool-max-age",
      group: "pool",
      reference: "utx.max-transaction-age",
      about: "Age at which a waiting transaction is dropped",
    },
    duration(1_000, 365 * DAY),
    90 * 60_000,
  ),
  poolBlacklist: always(
    {
      name: "pool-blacklist",
      group: "pool",
      reference: "utx.blacklist-sender-addresses",
      about: "Addresses whose transactions this node does not take into its pool",
      standardText: "none",
    },
    list(text("ADDRESS", 64), "ADDRESS,..."),
    [],
  ),
  poolAllowTransfersTo: always(
    {
      name: "pool-allow-transfers-to",
      group: "pool",
      reference: "utx.allow-blacklisted-transfer-to",
      about: "Addresses to which those may transfer all the same",
      standardText: "none",
    },
    list(text("ADDRESS", 64), "ADDRESS,..."),
    [],
  ),
} as const;

/** Limits of the pool of unconfirmed transactions. */

import { address, list, whole } from "../kinds/kinds.ts";
import { DAY, duration, size } from "../kinds/quantity-kinds.ts";
import { withDefault } from "./define-setting.ts";

export const poolSettings = {
  maxTransactions: withDefault("pool-max-transactions", whole(1, 10_000_000), 100_000, {
    reference: "utx.max-size",
    about: "Transactions that wait at most; more are refused",
  }),
  maxBytes: withDefault("pool-max-bytes", size(2 ** 20, 2 ** 36), 128 * 2 ** 20, {
    about: "Bytes of transactions that wait at most; more are refused",
  }),
  maxAgeMs: withDefault("pool-max-age", duration(1_000, 365 * DAY), 90 * 60_000, {
    reference: "utx.max-transaction-age",
    about: "Age at which a waiting transaction is dropped",
  }),
  blacklist: withDefault("pool-blacklist", list(address, "ADDRESS,..."), [], {
    reference: "utx.blacklist-sender-addresses",
    about: "Addresses whose transactions this node does not take into its pool",
    defaultText: "none",
  }),
  allowTransfersTo: withDefault("pool-allow-transfers-to", list(address, "ADDRESS,..."), [], {
    reference: "utx.allow-blacklisted-transfer-to",
    about: "Addresses to which those may transfer all the same",
    defaultText: "none",
  }),
} as const;

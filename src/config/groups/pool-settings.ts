import { address, list, whole } from "../kinds/kinds.ts";
import { DAY, duration, size } from "../kinds/quantity-kinds.ts";
import { withDefault } from "./define-setting.ts";

export const poolSettings = {
  maxTransactions: withDefault("pool-max-transactions", whole(1, 10_000_000), 100_000, {
    reference: "utx.max-size",
    about: "Maximum number of unconfirmed transactions; more are refused",
  }),
  maxBytes: withDefault("pool-max-bytes", size(2 ** 20, 2 ** 36), 128 * 2 ** 20, {
    about: "Maximum size of all unconfirmed transactions; more are refused",
  }),
  maxAgeMs: withDefault("pool-max-age", duration(1_000, 365 * DAY), 90 * 60_000, {
    reference: "utx.max-transaction-age",
    about: "Maximum age of an unconfirmed transaction; older ones are dropped",
  }),
  blacklist: withDefault("pool-blacklist", list(address, "ADDRESS,..."), [], {
    reference: "utx.blacklist-sender-addresses",
    about: "Senders whose transactions this node refuses",
    defaultText: "none",
  }),
  allowTransfersTo: withDefault("pool-allow-transfers-to", list(address, "ADDRESS,..."), [], {
    reference: "utx.allow-blacklisted-transfer-to",
    about: "Recipients to which the senders of pool-blacklist may still transfer",
    defaultText: "none",
  }),
} as const;

/** The node's own transactions: anchors of `POST /hash` and sponsorships. Page 07 §4.2, §7.8, §18.5. */

import { address, InvalidValueError, type Kind, oneOf, whole, yesNo } from "../kinds/kinds.ts";
import { DAY, duration } from "../kinds/quantity-kinds.ts";
import { optional, withDefault } from "./define-setting.ts";

const modes = oneOf(["off", "batch", "merkle"]);

/** The name of a mode, or a boolean: yes is `batch`. */
const batchMode: Kind<"off" | "batch" | "merkle"> = {
  ...modes,
  read: (value, network) => {
    try {
      return yesNo.read(value, network) ? "batch" : "off";
    } catch (error) {
      if (!(error instanceof InvalidValueError)) throw error;
      return modes.read(value, network);
    }
  },
};

export const anchoringSettings = {
  hashAccount: optional("hash-account", address, {
    about: "Address of the wallet account that signs and pays for `POST /hash`, and is the root of trust",
    defaultText: "the oldest account of the wallet",
  }),
  mode: withDefault("anchor-batch", batchMode, "off", {
    indexer: "ANCHOR_BATCH",
    about:
      "What becomes of the hashes of `POST /hash`: each is sent at once, or they are kept and sent with the next block, " +
      "up to 100 in a transaction (`batch`, `yes`), or made into trees whose roots are sent (`merkle`)",
  }),
  queueLimit: withDefault("anchor-queue-limit", whole(1, 1_000_000), 100_000, {
    about: "How many hashes may wait to be sent; further ones are refused with 503",
  }),
  treeMs: withDefault("anchor-tree-interval", duration(100, DAY), 60_000, {
    about: "How long hashes are gathered for a tree, from the first one on",
  }),
  treeLeaves: withDefault("anchor-tree-leaves", whole(2, 65_536), 10_000, {
    about: "How many hashes a tree has at most; with so many it is made at once",
  }),
  sponsorRoles: withDefault("sponsor-roles", yesNo, false, {
    about:
      "Sponsor accounts that are given a role marked `sponsored`, until they have none left: the account of " +
      "`hash-account` pays",
  }),
  sponsorDepth: withDefault("sponsor-roles-depth", whole(3, 1_000, "a number of blocks"), 10, {
    about:
      "How many blocks must stand upon the one that gives or takes a role before anything is sent for it",
  }),
  sponsorBudget: withDefault("sponsor-roles-budget", whole(0, 10_000_000, "a number of whole tokens"), 100, {
    about:
      "What may be spent in a day (UTC) on the fees of these transactions; the rest waits for the next day",
  }),
} as const;

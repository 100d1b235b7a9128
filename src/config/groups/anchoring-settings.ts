/** Anchors of `POST /hash` and sponsorships. Page 07 §4.2, §7.8, §18.5. */

import { address, booleanKind, InvalidValueError, type Kind, oneOf, whole } from "../kinds/kinds.ts";
import { DAY, duration } from "../kinds/quantity-kinds.ts";
import { optional, withDefault } from "./define-setting.ts";

const modes = oneOf(["off", "batch", "merkle"]);

/** A mode. The boolean yes means `batch`; no means `off`. */
const batchMode: Kind<"off" | "batch" | "merkle"> = {
  ...modes,
  read: (value, network) => {
    try {
      return booleanKind.read(value, network) ? "batch" : "off";
    } catch (error) {
      if (!(error instanceof InvalidValueError)) throw error;
      return modes.read(value, network);
    }
  },
};

export const anchoringSettings = {
  hashAccount: optional("hash-account", address, {
    about: "Address of the wallet account that signs and pays for `POST /hash` and is the root of trust",
    defaultText: "the oldest account of the wallet",
  }),
  mode: withDefault("anchor-batch", batchMode, "off", {
    indexer: "ANCHOR_BATCH",
    about:
      "How hashes of `POST /hash` are anchored. `off`: each immediately. `batch` (or `yes`): with the next block, up to " +
      "100 in a transaction. `merkle`: as leaves of Merkle trees, whose roots are anchored",
  }),
  queueLimit: withDefault("anchor-queue-limit", whole(1, 1_000_000), 100_000, {
    about: "Maximum number of pending hashes; further ones get status 503",
  }),
  treeMs: withDefault("anchor-tree-interval", duration(100, DAY), 60_000, {
    about: "How long hashes are collected for a Merkle tree, counted from the first one",
  }),
  treeLeaves: withDefault("anchor-tree-leaves", whole(2, 65_536), 10_000, {
    about: "Maximum number of hashes in a Merkle tree; a full tree is built immediately",
  }),
  sponsorRoles: withDefault("sponsor-roles", booleanKind, false, {
    about: "Sponsor accounts while they have a role marked `sponsored`. The account of `hash-account` pays",
  }),
  sponsorDepth: withDefault("sponsor-roles-depth", whole(3, 1_000, "a number of blocks"), 10, {
    about: "Number of blocks that must follow a change of roles before the node acts on it",
  }),
  sponsorBudget: withDefault("sponsor-roles-budget", whole(0, 10_000_000, "a number of whole tokens"), 100, {
    about: "Limit for the fees of sponsorship transactions per day (UTC); further ones wait for the next day",
  }),
} as const;

/** What the node puts on the chain of its own: hashes of `POST /hash`, sponsorships. Page 07 §4.2, §7.8, §18.5. */

import { ImpossibleValueError, type Kind, oneOf, whole, yesNo } from "../kinds/kinds.ts";
import { DAY, duration } from "../kinds/quantity-kinds.ts";
import { always } from "./define-setting.ts";

const modes = oneOf(["off", "batch", "merkle"]);

/** The words of the mode, and those of the known switch: yes is `batch`. */
const batchMode: Kind<"off" | "batch" | "merkle"> = {
  ...modes,
  read: (value) => {
    try {
      return yesNo.read(value) ? "batch" : "off";
    } catch (error) {
      if (!(error instanceof ImpossibleValueError)) throw error;
      return modes.read(value);
    }
  },
};

export const anchoringSettings = {
  anchorBatch: always(
    {
      name: "anchor-batch",
      group: "index",
      container: "ANCHOR_BATCH",
      plain: "ANCHOR_BATCH",
      about:
        "What becomes of the hashes of `POST /hash`: each is sent at once, or they are kept and sent with the next block, " +
        "up to 100 in a transaction (`batch`, `yes`), or made into trees whose roots are sent (`merkle`)",
    },
    batchMode,
    "off",
  ),
  anchorQueueLimit: always(
    {
      name: "anchor-queue-limit",
      group: "index",
      about: "How many hashes may wait to be sent; further ones are refused with 503",
    },
    whole(1, 1_000_000),
    100_000,
  ),
  anchorTreeIntervalMs: always(
    {
      name: "anchor-tree-interval",
      group: "index",
      about: "How long hashes are gathered for a tree, from the first one on",
    },
    duration(100, DAY),
    60_000,
  ),
  anchorTreeLeaves: always(
    {
      name: "anchor-tree-leaves",
      group: "index",
      about: "How many hashes a tree has at most; with so many it is made at once",
    },
    whole(2, 65_536),
    10_000,
  ),
  sponsorRoles: always(
    {
      name: "sponsor-roles",
      group: "index",
      about:
        "Sponsor accounts that are given a role marked `sponsored`, until they have none left: the account of " +
        "`hash-account` pays",
    },
    yesNo,
    false,
  ),
  sponsorRolesDepth: always(
    {
      name: "sponsor-roles-depth",
      group: "index",
      about:
        "How many blocks must stand upon the one that gives or takes a role before anything is sent for it",
    },
    whole(3, 1_000, "a number of blocks"),
    10,
  ),
  sponsorRolesBudget: always(
    {
      name: "sponsor-roles-budget",
      group: "index",
      about:
        "What may be spent in a day (UTC) on the fees of these transactions; the rest waits for the next day",
    },
    whole(0, 10_000_000, "a number of whole tokens"),
    100,
  ),
} as const;

import { booleanKind, type Kind, list, oneOf, path, refuse, secret, text } from "../kinds/kinds.ts";
import { DAY, duration } from "../kinds/quantity-kinds.ts";
import { optional, withDefault } from "./define-setting.ts";

const MAX_URL_LENGTH = 1_000;

/**
 * `http://host:port/prefix` or `https://…`, without a final slash; without a query, because a key there would be
 * logged.
 */
export const sourceUrl: Kind<string> = {
  expects:
    "an address such as http://10.0.0.5:6869 or https://node.example.com/node, without user, query or fragment",
  placeholder: "URL",
  read: (value) => {
    if (typeof value !== "string" || value.length > MAX_URL_LENGTH || !URL.canParse(value))
      return refuse(sourceUrl.expects, value);
    const { protocol, username, password, search, hash, origin, pathname } = new URL(value);
    // Do not print a password.
    if (username !== "" || password !== "") return refuse(sourceUrl.expects, "an address with a user");
    const isPlain = (protocol === "http:" || protocol === "https:") && search === "" && hash === "";
    return isPlain ? `${origin}${pathname.replace(/\/+$/, "")}` : refuse(sourceUrl.expects, value);
  },
  write: (value) => value,
};

export const followingSettings = {
  sources: withDefault("follow", list(sourceUrl, "URL,..."), [], {
    basic: true,
    about:
      "Follow the chain of these nodes instead of taking part in the network: no peers, wallet or forging. The node adopts " +
      "those settings of its source that change answers, such as the index settings",
    defaultText: "none",
  }),
  key: optional("follow-key", secret(text("KEY")), {
    about: "API key or token that the sources require for `/units`",
    defaultText: "none",
  }),
  caFile: optional("follow-ca", path, {
    about: "PEM file of the certificate authority that signed the certificates of `https` sources",
    defaultText: "the authorities that Node.js knows",
  }),
  check: withDefault("follow-check", oneOf(["none", "live", "all"]), "live", {
    about:
      "Signatures to check in blocks of a source: none, those at the tip (`live`), or all. The rules of the ledger are always checked",
  }),
  maxLagMs: withDefault("max-lag", duration(1_000, 30 * DAY), 10_000, {
    about:
      "Time after which a follower that does not have the newest block of its source is no longer ready (`/health/ready`)",
  }),
  whenStale: withDefault("when-stale", oneOf(["answer", "refuse"]), "answer", {
    about:
      "What a follower does with reads when it is behind by more than --max-lag: `answer` them with the header `Warning`, or `refuse` them with status 503",
  }),
  forwardsKeyRoutes: withDefault("key-routes", booleanKind, true, {
    about:
      "Forward requests to protected routes from a follower to its source, with the client's API key. Routes that control the process itself use the follower's own key",
    negated: "Answer protected routes of a follower with status 403 instead of forwarding them to its source",
  }),
} as const;

import { type IpNetwork, ipNetwork, ipNetworkText } from "../../bytes/ip.ts";
import { booleanKind, host, type Kind, list, refuse, whole } from "../kinds/kinds.ts";
import { size } from "../kinds/quantity-kinds.ts";
import { optional, withDefault } from "./define-setting.ts";

const MAX_PREFIX_LENGTH = 200;
const SEGMENT = "[A-Za-z0-9_~-][A-Za-z0-9._~-]*";
const PREFIX = new RegExp(`^/?${SEGMENT}(?:/${SEGMENT})*/?$`);

/** A path; slashes at its ends are optional. */
const prefix: Kind<string> = {
  expects: `a path such as /node of at most ${MAX_PREFIX_LENGTH} letters, digits and - . _ ~, or none`,
  placeholder: "PATH",
  read: (value) => {
    if (value === "" || value === "/" || value === "none") return "";
    if (typeof value !== "string" || value.length > MAX_PREFIX_LENGTH || !PREFIX.test(value))
      return refuse(prefix.expects, value);
    return `/${value.replace(/^\/|\/$/g, "")}`;
  },
  write: (value) => (value === "" ? "none" : value),
};

/** `192.0.2.1`, `10.0.0.0/8` or `2001:db8::/32`. */
const ipNetworkKind: Kind<IpNetwork> = {
  expects: "an IP address, or a network such as 10.0.0.0/8",
  placeholder: "NETWORK",
  read: (value) => {
    return (typeof value === "string" ? ipNetwork(value) : undefined) ?? refuse(ipNetworkKind.expects, value);
  },
  write: ipNetworkText,
};

const bytes = size(0, 2 ** 30);

/** A size; `off` means infinity. */
const sizeOrOff: Kind<number> = {
  ...bytes,
  expects: `${bytes.expects}, or off`,
  read: (value, network) => {
    // YAML parses `off` as a boolean.
    if (value === "off" || value === false) return Number.POSITIVE_INFINITY;
    return bytes.read(value, network);
  },
  write: (value) => (value === Number.POSITIVE_INFINITY ? "off" : bytes.write(value)),
};

export const accessSettings = {
  prefix: withDefault("api-prefix", prefix, "", {
    plain: "API_PREFIX",
    about: "Prefix of all paths, such as `/node`, for a proxy that serves several programs on one host",
    defaultText: "none",
  }),
  trustedProxies: withDefault("trusted-proxies", list(ipNetworkKind, "NETWORK,..."), [], {
    about:
      "Addresses and networks of trusted proxies. For their requests, the rate limit counts the client address in " +
      "`X-Forwarded-For`",
    defaultText: "none",
  }),
  compressFrom: withDefault("compress-from", sizeOrOff, 4_096, {
    about:
      "Compress responses of at least this size (Brotli or gzip), if the client supports it. `off`: never",
  }),
  adminPort: optional("admin-port", whole(0, 65_535, "a port"), {
    about:
      "Separate port for routes that need the API key. On --api-port these routes then answer 404. " +
      "0: a free port, which is logged",
    defaultText: "none: these routes are on --api-port",
  }),
  adminHost: withDefault("admin-host", host, "127.0.0.1", {
    about: "Address to listen on for --admin-port. On `dev`, loopback only",
  }),
  requestLog: withDefault("request-log", booleanKind, false, {
    about: "Log each request at level `info`: method, route pattern, status, time and bytes, nothing else",
  }),
} as const;

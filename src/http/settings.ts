/** Settings of the HTTP servers: plain data, copied to the HTTP thread. */
import type { IpNetwork } from "../bytes/ip.ts";

/** Maximum number of requests per address. Loopback addresses have no limit. */
export interface RateLimit {
  readonly requests: number;
  readonly windowMs: number;
}

export interface HttpSettings {
  /** `secureHash` of the API key (page 06 §3), 32 bytes; undefined: none is configured. */
  readonly apiKeyHash?: Uint8Array | undefined;
  /**
   * True if key routes need no key: only on a development network bound to loopback (page 00, part B, 5), and never for
   * web pages of other hosts.
   */
  readonly openKeyRoutes: boolean;
  /** Token of `POST /hash` (page 07 §3.5); empty if none is configured. */
  readonly authToken?: string | undefined;
  /** Maximum request body in bytes; 1 MiB by the protocol. */
  readonly bodyLimit: number;
  /** Maximum number of connections of all ports and clients; 1,024 by default. Page 06 §2.1. */
  readonly maxConnections?: number | undefined;
  readonly rateLimit?: RateLimit | undefined;
  /** Path prefix of all routes, e.g. `/node`; none by default. */
  readonly prefix?: string | undefined;
  /** Proxies that are trusted to name a request's sender. */
  readonly trustedProxies?: readonly IpNetwork[] | undefined;
  /** Minimum size of a compressed answer, bytes; undefined: no compression. */
  readonly compressFrom?: number | undefined;
  /** True if key routes have their own port. */
  readonly hasAdminPort?: boolean | undefined;
  readonly cors: boolean;
  /** True if preflight answers allow the header `X-API-Key`. Page 06 §2.9. */
  readonly apiKeyDifferentHost: boolean;
}

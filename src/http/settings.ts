/** Plain data, copied to the HTTP thread. */
import type { IpNetwork } from "../bytes/ip.ts";

/** Loopback addresses have no limit. */
export interface RateLimit {
  readonly requests: number;
  readonly windowMs: number;
}

export interface HttpSettings {
  /** `secureHash` of the API key (page 06 §3), 32 bytes. */
  readonly apiKeyHash?: Uint8Array | undefined;
  /**
   * True if key routes need no key: only on a development network bound to loopback (page 00, part B, 5), never for web
   * pages of other hosts.
   */
  readonly openKeyRoutes: boolean;
  /** Token of `POST /hash` (page 07 §3.5); may be empty. */
  readonly authToken?: string | undefined;
  /** Bytes; 1 MiB by the protocol. */
  readonly bodyLimit: number;
  /** For all ports and clients; default 1,024. Page 06 §2.1. */
  readonly maxConnections?: number | undefined;
  readonly rateLimit?: RateLimit | undefined;
  /** E.g. `/node`; none by default. */
  readonly prefix?: string | undefined;
  /** Proxies that are trusted to name a request's sender. */
  readonly trustedProxies?: readonly IpNetwork[] | undefined;
  /** Minimum size of a compressed answer, bytes; undefined: no compression. */
  readonly compressFrom?: number | undefined;
  readonly hasAdminPort?: boolean | undefined;
  readonly cors: boolean;
  /** True if preflight answers allow the header `X-API-Key`. Page 06 §2.9. */
  readonly apiKeyDifferentHost: boolean;
}

/** Plain data, copied to the HTTP threads. */
import type { IpNetwork } from "../bytes/ip.ts";

/** Limit of requests per origin (`originOf`), except loopback addresses. */
export interface RateLimit {
  readonly requests: number;
  readonly windowMs: number;
}

export interface HttpSettings {
  /** `secureHash` of the API key (page 06 §3), 32 bytes. */
  readonly apiKeyHash?: Uint8Array | undefined;
  /**
   * True on a development network with the API bound to loopback: local programs then need no key. Page 00, part B, 5.
   */
  readonly hasOpenKeyRoutes: boolean;
  /** Token of `POST /hash` (page 07 §3.5). Without it, only local callers may anchor. */
  readonly authToken?: string | undefined;
  /** 1 MiB in the protocol. */
  readonly maxBodyBytes: number;
  /** Limit for all ports together; default 1,024. Page 06 §2.1. */
  readonly maxConnections?: number | undefined;
  readonly rateLimit?: RateLimit | undefined;
  /** Path prefix, e.g. `/node`; default: none. */
  readonly prefix?: string | undefined;
  readonly trustedProxies?: readonly IpNetwork[] | undefined;
  /** The server compresses answers of at least this many bytes; default: none. */
  readonly compressFrom?: number | undefined;
  readonly hasAdminPort?: boolean | undefined;
  readonly cors: boolean;
  /** True if preflight answers allow the header `X-API-Key`. Page 06 §2.9. */
  readonly apiKeyDifferentHost: boolean;
}

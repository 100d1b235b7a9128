/** Settings of the HTTP layer: plain data, copied into the HTTP thread. */
import type { IpNetwork } from "../bytes/ip.ts";

/** How many requests one address may send; requests from loopback are never counted. */
export interface RateLimit {
  readonly requests: number;
  /** Length of the window, ms. */
  readonly windowMs: number;
}

/** Who may connect and ask, and in what form answers go out. */
export interface HttpSettings {
  /** `secureHash` of the API key (page 06 §3), 32 bytes; undefined: no key is configured. */
  readonly apiKeyHash?: Uint8Array | undefined;
  /**
   * Key routes are open while no key is configured: on a development network bound to loopback only
   * (page 00, part B, 5). Requests of web pages of other hosts are refused then.
   */
  readonly openKeyRoutes: boolean;
  /** Token of `POST /hash` (page 07 §3.5); undefined or empty: none is configured. */
  readonly authToken?: string | undefined;
  /** Largest request body in bytes; 1 MiB by the protocol. */
  readonly bodyLimit: number;
  /** Connections at a time, of all ports and clients; 1,024 by default. Page 06 §2.1. */
  readonly maxConnections?: number | undefined;
  /** Requests a window for each address that is not loopback; undefined: no limit. */
  readonly rateLimit?: RateLimit | undefined;
  /** What stands before all paths, e.g. `/node`; nothing unless given. */
  readonly prefix?: string | undefined;
  /** Who is believed to say for whom it passes a request on; nobody unless given. */
  readonly trustedProxies?: readonly IpNetwork[] | undefined;
  /** Bytes from which on an answer is compressed for who takes it so; none is unless given. */
  readonly compressFrom?: number | undefined;
  /** Whether key routes are served on a port of their own, and on no other one. */
  readonly hasAdminPort?: boolean | undefined;
  /** Whether answers carry `Access-Control-Allow-Origin: *`. */
  readonly cors: boolean;
  /** Whether the pre-flight answer allows the header `X-API-Key`. Page 06 §2.9. */
  readonly apiKeyDifferentHost: boolean;
}

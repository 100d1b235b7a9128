/** What the HTTP layer has to know of node and network: plain data, copied into the HTTP thread. */
import type { IpNetwork } from "../../bytes/ip.ts";
import type { JsonOut } from "../../bytes/json.ts";
import type { NetworkProfile } from "../../profiles/index.ts";
import type { LockedSupply } from "../../profiles/locked-supply.ts";

/** How many requests one address may send; requests from loopback are never counted. */
export interface RateLimit {
  readonly requests: number;
  /** Length of the window, ms. */
  readonly windowMs: number;
}

/** All that the HTTP layer is told at its start. */
export interface ApiInfo {
  readonly network: NetworkProfile;
  /** Version of the package, `x.y.z`. */
  readonly version: string;
  /** `secureHash` of the API key (page 06 §3), 32 bytes; undefined: no key is configured. */
  readonly apiKeyHash?: Uint8Array | undefined;
  /**
   * Key routes are open while no key is configured: on a development network bound to loopback only
   * (page 00, part B, 5). Requests of web pages of other hosts are refused then.
   */
  readonly openKeyRoutes: boolean;
  /** Token of `POST /hash` (page 07 §3.5); undefined or empty: none is configured. */
  readonly authToken?: string | undefined;
  /** Whether hashes of `POST /hash` are gathered, to be anchored together (page 07 §7.8); not unless given. */
  readonly gathersAnchors?: boolean | undefined;
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
  /** Blocks that can be undone; all unless given. */
  readonly rollbackDepth?: number | undefined;
  /** Whether key routes are served on a port of their own, and on no other one. */
  readonly hasAdminPort?: boolean | undefined;
  /** Whether answers carry `Access-Control-Allow-Origin: *`. */
  readonly cors: boolean;
  /** Whether the pre-flight answer allows the header `X-API-Key`. Page 06 §2.9. */
  readonly apiKeyDifferentHost: boolean;
  /** Form of a DID answer when the request's `Accept` does not decide. Page 07 §8.8. */
  readonly didResponse: "document" | "resolution";
  /** What of the supply does not circulate; nothing unless given. Page 07 §18.6. */
  readonly lockedSupply?: LockedSupply | undefined;
  /** The configuration in force, secrets masked, for `/debug/configInfo`. */
  readonly configuration: JsonOut;
  /** Folder of the built page that shows the chain; undefined: it is switched off. */
  readonly explorer?: string | undefined;
  /** How often the interface was opened anew because its thread had ended; 0 unless given. */
  readonly restarts?: number | undefined;
}

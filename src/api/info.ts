/** What the HTTP layer has to know of node and network: plain data, copied into the HTTP thread. */
import type { JsonOut } from "../bytes/json.ts";

/** Facts of the network that answers show. Page 03 §4, §5. */
export interface ApiNetwork {
  /** Name of the profile: `mainnet`, `testnet`, `dev`, `custom`. */
  readonly profile: string;
  /** Name of the network as type texts show it, e.g. `LTO` (`LTODataTransaction`, `did:lto:`). */
  readonly name: string;
  /** Chain id as an unsigned byte. */
  readonly chainId: number;
  /** Whether the type "payment" (2) exists. */
  readonly payment: boolean;
  /** Initial supply in units. Page 06 §7.7. */
  readonly initialBalance: bigint;
  /** Feature voting. Page 03 §5.2; page 06 §7.17. */
  readonly featureVoting: {
    /** Blocks of a window. */
    readonly period: number;
    /** Votes needed in it. */
    readonly votesNeeded: number;
    /** Above this height both figures are doubled. */
    readonly doublePeriodsAfterHeight: number;
  };
}

/** How many requests one address may send; requests from loopback are never counted. */
export interface RateLimit {
  readonly requests: number;
  /** Length of the window, ms. */
  readonly windowMs: number;
}

/** All that the HTTP layer is told at its start. */
export interface ApiInfo {
  readonly network: ApiNetwork;
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
  /** Largest request body in bytes; 1 MiB by the protocol. */
  readonly bodyLimit: number;
  /** Requests a window for each address that is not loopback; undefined: no limit. */
  readonly rateLimit?: RateLimit | undefined;
  /** Whether answers carry `Access-Control-Allow-Origin: *`. */
  readonly cors: boolean;
  /** Whether the pre-flight answer allows the header `X-API-Key`. Page 06 §2.9. */
  readonly apiKeyDifferentHost: boolean;
  /** Whether all transaction types are listed by address (`index-all-transactions`). Page 06 §7.5. */
  readonly indexAll: boolean;
  /** Form of a DID answer when the request's `Accept` does not decide. Page 07 §8.8. */
  readonly didResponse: "document" | "resolution";
  /** The configuration in force, secrets masked, for `/debug/configInfo`. */
  readonly configuration: JsonOut;
}

import type { JsonOut } from "../bytes/json.ts";
import type { HttpSettings } from "../http/settings.ts";
import type { SourceDescription } from "../interfaces.ts";
import type { NetworkProfile } from "../profiles/index.ts";
import type { LockedSupply } from "../profiles/locked-supply.ts";

export interface FollowingInfo {
  /** Empty only if `hasNodeControl`. */
  readonly sources: readonly string[];
  /** True for a gateway: it asks the control ports of its nodes, and `sources` only for other requests. */
  readonly hasNodeControl?: boolean | undefined;
  /** Certificate authorities of `https` sources in PEM; default: those of Node.js. */
  readonly ca?: string | undefined;
  readonly forwardsKeyRoutes: boolean;
  /** Above this lag, answers get a warning, or are refused; ms. */
  readonly maxLagMs: number;
  readonly whenStale: "answer" | "refuse";
  /** Memory of `FollowState`. */
  readonly state: SharedArrayBuffer;
}

export interface ApiInfo extends HttpSettings {
  readonly network: NetworkProfile;
  readonly version: string;
  /** True if `POST /hash` anchors collected hashes together (page 07 §7.8). */
  readonly gathersAnchors?: boolean | undefined;
  /** Blocks that the node can undo; default: unlimited. */
  readonly rollbackDepth?: number | undefined;
  /** Form of a DID answer if the header `Accept` does not decide. Page 07 §8.8. */
  readonly didResponse: "document" | "resolution";
  /** Tokens that are not in circulation. Page 07 §18.6. */
  readonly lockedSupply?: LockedSupply | undefined;
  /** What this node tells its followers; undefined if it serves no unit stream. */
  readonly source?: Pick<SourceDescription, "store" | "trustRoot"> | undefined;
  /** Settings by name, with masked secrets. */
  readonly configuration: JsonOut;
  /** Folder of the built explorer; undefined if disabled. */
  readonly explorer?: string | undefined;
  /** Undefined if this node does not follow another one. */
  readonly following?: FollowingInfo | undefined;
  /** Restarts of HTTP threads before this one started. */
  readonly restarts?: number | undefined;
}

/** What the API has to know of node and network: plain data, copied into the HTTP thread. */
import type { JsonOut } from "../bytes/json.ts";
import type { HttpSettings } from "../http/settings.ts";
import type { NetworkProfile } from "../profiles/index.ts";
import type { LockedSupply } from "../profiles/locked-supply.ts";

/** All that the API is told at its start. */
export interface ApiInfo extends HttpSettings {
  readonly network: NetworkProfile;
  /** Version of the package, `x.y.z`. */
  readonly version: string;
  /** Whether hashes of `POST /hash` are gathered, to be anchored together (page 07 §7.8); not unless given. */
  readonly gathersAnchors?: boolean | undefined;
  /** Blocks that can be undone; all unless given. */
  readonly rollbackDepth?: number | undefined;
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

/** All external dependencies of a node. `createNode` (`node.ts`) is the same on a machine, offline and in tests. */

import type { Resources } from "../control/index.ts";
import type { Clock, Hosts, Log, Random, Transport } from "../interfaces.ts";
import type { PeersFile } from "../peers/database/peers-file.ts";
import type { Supervisor } from "../runtime/supervisor.ts";
import type { OperatorFiles } from "../runtime/system.ts";
import type { Store } from "../storage/store.ts";
import type { NetworkRules } from "../transactions/index.ts";
import type { Verifier } from "../verification/verifier.ts";
import type { Wallet } from "../wallet/wallet.ts";
import type { ApiLauncher } from "./api/api.ts";

export interface World {
  readonly clock: Clock;
  /** Catches errors of timers, listeners and streams, and decides whether the node continues. */
  readonly supervisor: Supervisor;
  /** For numbers visible to other nodes. Keys and passwords use the operating system. */
  readonly random: Random;
  readonly transport: Transport;
  readonly hosts: Hosts;
  readonly log: Log;
  /** The chain store; the node is its only writer. */
  readonly store: Store;
  readonly anchors: Store | undefined;
  readonly wallet: Wallet;
  /** Files that the operator edits at runtime. */
  readonly files: OperatorFiles;
  peersFile(path: string): PeersFile;
  /** Creates signature verification threads; the caller closes them. */
  verifier(network: NetworkRules): Verifier;
  resources(): Promise<Resources>;
  readonly http: ApiLauncher | undefined;
  /** Closes everything opened for this world. Idempotent. */
  close(): Promise<void>;
}

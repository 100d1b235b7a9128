/**
 * Everything that a node gets from outside. `createNode` (`node.ts`) builds the same node in every world: on a
 * machine, for an offline command, and in a test.
 */

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
  /** For numbers that other nodes may learn. Keys and passwords come from the operating system. */
  readonly random: Random;
  readonly transport: Transport;
  readonly hosts: Hosts;
  readonly log: Log;
  /** Store of the chain; the node is its only writer. */
  readonly store: Store;
  readonly anchors: Store | undefined;
  readonly wallet: Wallet;
  /** Files that the operator writes while the node runs. */
  readonly files: OperatorFiles;
  peersFile(path: string): PeersFile;
  /** Creates the threads that check signatures; the caller closes them. */
  verifier(network: NetworkRules): Verifier;
  resources(): Promise<Resources>;
  readonly http: ApiLauncher | undefined;
  /** Closes everything that was opened for this world. Further calls do nothing. */
  close(): Promise<void>;
}

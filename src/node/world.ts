/**
 * What a node is given from outside: everything that is not computed. `createNode` (`node.ts`) builds the same node in
 * every world; on a machine, for a command that works offline, and in a test they differ in what stands here only.
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
  /** Catches what timers, listeners and streams throw, and decides whether the node continues. */
  readonly supervisor: Supervisor;
  /** For all that others may learn; keys and passwords come from the operating system. */
  readonly random: Random;
  readonly transport: Transport;
  readonly hosts: Hosts;
  readonly log: Log;
  /** Where the chain is, and the node is its only writer. */
  readonly store: Store;
  /** Where is kept what waits to be anchored, and the trees; undefined: nothing does, and there are none. */
  readonly anchors: Store | undefined;
  readonly wallet: Wallet;
  /** Files that the operator lays down for a node that runs. */
  readonly files: OperatorFiles;
  /** The file of known peers at a path. */
  peersFile(path: string): PeersFile;
  /** Begins to check signatures ahead of the writer; whoever asks for it closes it. */
  verifier(network: NetworkRules): Verifier;
  /** What the node takes of the machine. */
  resources(): Promise<Resources>;
  /** The HTTP interface, about to be opened; undefined: there is none. */
  readonly http: ApiLauncher | undefined;
  /** Lets go of what was opened for this world. Calling it again does nothing. */
  close(): Promise<void>;
}

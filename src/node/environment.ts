/**
 * Everything outside a node that it uses. `createNode` (`node.ts`) builds the same node from the environment of a
 * machine, of offline commands and of tests.
 */

import type { Resources } from "../control/index.ts";
import type { Clock, Hosts, Log, Random, Transport } from "../interfaces.ts";
import type { PeersFile } from "../peers/database/peers-file.ts";
import type { LogLevels } from "../runtime/logging/log-levels.ts";
import type { Metrics } from "../runtime/metrics.ts";
import type { Supervisor } from "../runtime/supervisor.ts";
import type { OperatorFiles } from "../runtime/system.ts";
import type { Store } from "../storage/store.ts";
import type { NetworkRules } from "../transactions/index.ts";
import type { Verifier } from "../verification/verifier.ts";
import type { Wallet } from "../wallet/wallet.ts";
import type { ApiLauncher } from "./api/api.ts";
import type { MetricsServer } from "./metrics/metrics-server.ts";

export interface Environment {
  readonly clock: Clock;
  /** Returns the error of the machine's clock that is too large for a correction, ms; undefined: none is known. */
  readonly clockErrorMs: () => number | undefined;
  /** Catches errors of timers, listeners and streams, and decides whether the node continues. */
  readonly supervisor: Supervisor;
  /** Source of numbers that other nodes see. Keys and passwords come from the operating system instead. */
  readonly random: Random;
  readonly transport: Transport;
  readonly hosts: Hosts;
  readonly log: Log;
  readonly logLevels: LogLevels;
  /** Receives the metrics of all parts; `noMetrics` if they are off. */
  readonly metrics: Metrics;
  /** Opens the port for Prometheus; undefined if metrics are off. */
  readonly serveMetrics: (() => Promise<MetricsServer>) | undefined;
  /** The chain store; the node is its only writer. */
  readonly store: Store;
  /** The store of pending anchors and their trees; undefined if the settings do not need it and it does not exist. */
  readonly anchors: Store | undefined;
  readonly wallet: Wallet;
  /** Files that the operator edits at runtime. */
  readonly files: OperatorFiles;
  peersFile(path: string): PeersFile;
  /** Creates the verifier of signatures and scripts, which may start threads. The caller closes it. */
  verifier(network: NetworkRules): Verifier;
  resources(): Promise<Resources>;
  readonly http: ApiLauncher | undefined;
  /** Closes everything that was opened for this environment. Idempotent. */
  close(): Promise<void>;
}

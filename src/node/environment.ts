/**
 * What a node uses from outside: clock, network, files, store. `createNode` (`node.ts`) is the same for `holdfast
 * start`, offline commands and tests; only the environment differs.
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
import type { BackupRunner } from "./backups/backup-schedule.ts";
import type { MetricsServer } from "./metrics/metrics-server.ts";
import type { MirrorLauncher } from "./mirroring/mirror-runner.ts";
import type { SignatureChecker } from "./unchecked/signature-check-runner.ts";

/** What every node needs, including followers. */
export interface StoreEnvironment {
  readonly clock: Clock;
  /** Error of the machine's clock if it is too large to correct, ms. */
  readonly clockErrorMs: () => number | undefined;
  readonly supervisor: Supervisor;
  readonly log: Log;
  readonly logLevels: LogLevels;
  /** `noMetrics` if metrics are off. */
  readonly metrics: Metrics;
  readonly serveMetrics: (() => Promise<MetricsServer>) | undefined;
  /** The node is the only writer. */
  readonly store: Store;
  /** Pending anchors. */
  readonly anchors: Store | undefined;
  /** Files that the operator edits at runtime. */
  readonly files: OperatorFiles;
  verifier(network: NetworkRules): Verifier;
  resources(): Promise<Resources>;
  readonly backups: BackupRunner | undefined;
  readonly mirror?: MirrorLauncher | undefined;
  readonly http: ApiLauncher | undefined;
  /** Idempotent. */
  close(): Promise<void>;
}

export interface Environment extends StoreEnvironment {
  /** For numbers that other nodes see, not for secrets. */
  readonly random: Random;
  readonly transport: Transport;
  readonly hosts: Hosts;
  readonly wallet: Wallet;
  peersFile(path: string): PeersFile;
  /** Checks unchecked blocks (`--assume-valid`) in the background; undefined in offline commands. */
  readonly signatureChecker: SignatureChecker | undefined;
}

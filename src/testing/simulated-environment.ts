/** A simulated environment: the same seed gives the same run, and any number of nodes may share a clock. */
import type { Resources } from "../control/index.ts";
import type { Clock, Hosts, Log, Transport } from "../interfaces.ts";
import type { ApiLauncher } from "../node/api/api.ts";
import type { BackupRunner } from "../node/backups/backup-schedule.ts";
import type { Environment } from "../node/environment.ts";
import type { SignatureChecker } from "../node/unchecked/signature-check-runner.ts";
import type { PeersFile } from "../peers/database/peers-file.ts";
import { LogLevels } from "../runtime/logging/log-levels.ts";
import { type Metrics, noMetrics } from "../runtime/metrics.ts";
import { noTransport } from "../runtime/no-transport.ts";
import { Supervisor } from "../runtime/supervisor.ts";
import type { OperatorFiles } from "../runtime/system.ts";
import type { Store } from "../storage/store.ts";
import { inlineVerifier } from "../verification/testing/inline-verifier.ts";
import type { Wallet } from "../wallet/wallet.ts";
import { SeededRandom } from "./seeded-random.ts";
import { silentLog } from "./silent-log.ts";

const noFiles: OperatorFiles = { read: async () => undefined, remove: async () => {} };

/** Resolves no names and has no addresses. */
export const noHosts: Hosts = {
  async resolve(name) {
    throw new Error(`${name} is not found`);
  },
  own: () => [],
};

export class MemoryPeersFile implements PeersFile {
  bytes: Uint8Array | undefined;

  constructor(readonly path: string) {}

  async read(limit: number): Promise<Uint8Array | undefined> {
    return this.bytes?.slice(0, limit);
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.bytes = bytes;
  }

  async setAside(): Promise<string> {
    this.bytes = undefined;
    return `${this.path}.unreadable`;
  }
}

export interface SimulatedEnvironmentOptions {
  readonly clock: Clock;
  readonly wallet: Wallet;
  /** A disk: it outlives the node and stays open. */
  readonly store: Store;
  readonly anchors?: Store | undefined;
  readonly seed?: number | undefined;
  readonly log?: Log | undefined;
  readonly transport?: Transport | undefined;
  readonly hosts?: Hosts | undefined;
  readonly peersFile?: PeersFile | undefined;
  readonly http?: ApiLauncher | undefined;
  /** Memory and disk use, instead of 100 GiB of free space. */
  readonly resources?: (() => Promise<Resources>) | undefined;
  readonly backups?: BackupRunner | undefined;
  readonly signatureChecker?: SignatureChecker | undefined;
  readonly clockErrorMs?: (() => number | undefined) | undefined;
  /** Default: none. */
  readonly metrics?: Metrics | undefined;
}

export const SIMULATED_RESOURCES: Resources = {
  memory: 268_435_456,
  store: 1_048_576,
  diskFree: 107_374_182_400,
  diskTotal: 214_748_364_800,
};

export function simulatedEnvironment(options: SimulatedEnvironmentOptions): Environment {
  const log = options.log ?? silentLog;
  return {
    // Not supervised: a timer that throws fails the test that advances the clock.
    clock: options.clock,
    clockErrorMs: options.clockErrorMs ?? (() => undefined),
    supervisor: new Supervisor(log, options.clock),
    random: new SeededRandom(options.seed ?? 1),
    transport: options.transport ?? noTransport,
    hosts: options.hosts ?? noHosts,
    log,
    metrics: options.metrics ?? noMetrics,
    logLevels: LogLevels.of({ level: "info", areas: {} }),
    serveMetrics: undefined,
    store: options.store,
    anchors: options.anchors,
    wallet: options.wallet,
    files: noFiles,
    peersFile: (path) => options.peersFile ?? new MemoryPeersFile(path),
    verifier: inlineVerifier,
    resources: options.resources ?? (async () => SIMULATED_RESOURCES),
    backups: options.backups,
    signatureChecker: options.signatureChecker,
    http: options.http,
    close: async () => {},
  };
}

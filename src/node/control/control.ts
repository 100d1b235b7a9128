import type { Chain } from "../../chain/chain.ts";
import { newestRecord } from "../../chain/reading/unit-records.ts";
import { ChainBusyError } from "../../chain/writing/write-queue.ts";
import type { ControlFailure, DiskSpace, NodeControlHandlers, Outcome } from "../../control/index.ts";
import { failed, ok } from "../../errors/result.ts";
import type { Forger } from "../../forging/forger.ts";
import type { Clock, Hosts, Log } from "../../interfaces.ts";
import type { Peers } from "../../peers/peers.ts";
import { areaLog } from "../../runtime/area-log.ts";
import type { LogLevels } from "../../runtime/logging/log-levels.ts";
import { DiskError, JournalPrunedError } from "../../storage/store.ts";
import { tables } from "../../storage/tables.ts";
import {
  AccountBasedWalletError,
  AccountExistsError,
  NoPrivateKeyError,
  WalletFileError,
} from "../../wallet/errors.ts";
import type { Wallet } from "../../wallet/wallet.ts";
import { plainAccount } from "./anchoring.ts";
import { peersControl, syncControl } from "./peers-control.ts";
import { type PoolControlDependencies, poolControl } from "./pool-control.ts";
import type { ReorganisationLog } from "./reorganisation-log.ts";

interface ControlDependencies extends PoolControlDependencies {
  readonly chain: Chain;
  readonly wallet: Wallet;
  readonly forger: Forger;
  readonly peers: Peers | undefined;
  readonly hosts: Hosts;
  readonly clock: Pick<Clock, "monotonic" | "after">;
  readonly log: Log;
  readonly logLevels: LogLevels;
  readonly reorganisations: ReorganisationLog;
  readonly resources: NodeControlHandlers["node"]["resources"];
  readonly anchoring: NodeControlHandlers["anchoring"];
  readonly features: readonly number[];
  readonly isDiskFailing: () => boolean;
  readonly diskSpace: () => DiskSpace;
  readonly clockErrorMs: () => number | undefined;
  readonly isStopping: () => boolean;
  readonly stop: () => void;
}

/**
 * Converts a wallet error (page 01 §9.5) to a control failure. Logs failed writes.
 * @throws other errors, which are faults of the node
 */
function walletFailure(log: Log, error: unknown): { readonly ok: false; readonly error: ControlFailure } {
  if (error instanceof NoPrivateKeyError) return failed({ kind: "not-in-wallet" });
  if (error instanceof AccountBasedWalletError) return failed({ kind: "account-based-wallet" });
  if (error instanceof AccountExistsError) return failed({ kind: "account-exists" });
  if (!(error instanceof WalletFileError)) throw error;
  log.error("Cannot write the wallet: it is unchanged", { reason: error.message });
  return failed({ kind: "disk-fault" });
}

function isLate({ clock }: ControlDependencies, deadline = Number.POSITIVE_INFINITY): boolean {
  return clock.monotonic() >= deadline;
}

/** Runs `work` when no other change of the chain is running; does nothing after the deadline. */
async function changeChain<T>(
  dependencies: ControlDependencies,
  deadline: number | undefined,
  work: () => T,
): Promise<Outcome<T>> {
  try {
    return await dependencies.chain.whenFree(() =>
      isLate(dependencies, deadline) ? failed({ kind: "late" }) : ok(work()),
    );
  } catch (error) {
    if (error instanceof ChainBusyError) return failed({ kind: "busy" });
    if (error instanceof JournalPrunedError)
      return failed({ kind: "journal-pruned", height: error.unit.height });
    if (error instanceof DiskError) return failed({ kind: "disk-fault" });
    throw error;
  }
}

function walletControl(dependencies: ControlDependencies): NodeControlHandlers["wallet"] {
  const { wallet, forger } = dependencies;
  const log = areaLog(dependencies.log, "wallet");
  let lastChange: Promise<unknown> = Promise.resolve();
  /** Runs changes one at a time; drops them after their deadline. */
  const change = <T>(deadline: number | undefined, work: () => Promise<T>): Promise<Outcome<T>> => {
    const outcome = lastChange.then(async () => {
      if (isLate(dependencies, deadline)) return failed({ kind: "late" });
      try {
        const value = await work();
        forger.schedule();
        return ok(value);
      } catch (error) {
        return walletFailure(log, error);
      }
    });
    // The caller gets the error; later changes still run.
    lastChange = outcome.catch(() => {});
    return outcome;
  };
  return {
    accounts: async () => wallet.accounts().map(plainAccount),
    async sign(address, message) {
      try {
        return ok(wallet.sign(address, message));
      } catch (error) {
        return walletFailure(log, error);
      }
    },
    createAccount: (deadline) =>
      change(deadline, async () => {
        const { address } = await wallet.addAccount();
        log.info("Account added to the wallet", { address });
        return address;
      }),
    deleteAccount: (address, deadline) =>
      change(deadline, async () => {
        await wallet.deleteAccount(address);
        log.info("Account deleted from the wallet", { address });
        return true;
      }),
  };
}

function forgingControl({ forger, features }: ControlDependencies): NodeControlHandlers["forging"] {
  return {
    miners: async () => forger.minerInfo(),
    state: async () => forger.state,
    feeVote: async () => forger.feeVote,
    setFeeVote: async (vote) => {
      forger.feeVote = vote;
    },
    features: async () => features,
  };
}

function chainControl(dependencies: ControlDependencies): NodeControlHandlers["chain"] {
  const { chain, peers, reorganisations } = dependencies;
  // After an operator removed blocks, peers get the new score at once: page 04 §10.1.
  const announceScore = (): void => peers?.sync.announceScore();
  return {
    async rollback(height, returnTransactions, deadline) {
      return changeChain(dependencies, deadline, () => {
        const id = chain.read((reader) => reader.get(tables.headers, height)?.signature);
        if (id === undefined) return undefined;
        chain.removeAfter(id, { returnTransactions });
        announceScore();
        return id;
      });
    },
    async rollbackTo(id, deadline) {
      return changeChain(dependencies, deadline, () => {
        chain.removeAfter(id, { returnTransactions: false });
        announceScore();
        return id;
      });
    },
    async applyCheckpoint(checkpoint, deadline) {
      // Check first: an invalid checkpoint must not enter the write queue.
      const early = chain.checkCheckpoint(checkpoint);
      if (!early.ok) return failed({ kind: "checkpoint-refused", text: early.error });
      const outcome = await changeChain(dependencies, deadline, () => chain.acceptCheckpoint(checkpoint));
      if (!outcome.ok) return outcome;
      const { value: result } = outcome;
      if (result.ok) announceScore();
      return result.ok ? ok(undefined) : failed({ kind: "checkpoint-refused", text: result.error });
    },
    progress: async () => ({ cursor: chain.read(newestRecord), score: chain.tip.score }),
    reorganisations: async () => reorganisations.info,
  };
}

export function nodeControl(dependencies: ControlDependencies): NodeControlHandlers {
  const {
    forger,
    peers,
    hosts,
    clock,
    anchoring,
    reorganisations,
    resources,
    isDiskFailing,
    diskSpace,
    clockErrorMs,
    isStopping,
    stop,
    log,
    logLevels,
  } = dependencies;
  const syncHandlers = syncControl(peers);
  return {
    pool: poolControl(dependencies),
    wallet: walletControl(dependencies),
    forging: forgingControl(dependencies),
    chain: chainControl(dependencies),
    peers: {
      ...peersControl(peers, hosts, { clock, scoreOf: (peer) => peers?.sync.scoreOf(peer) }),
      ...syncHandlers,
    },
    anchoring,
    node: {
      async health() {
        const { state } = forger;
        const [sync, anchors] = await Promise.all([syncHandlers.sync(), anchoring.info(0)]);
        return {
          startedAt: reorganisations.since,
          forging: state === "disabled" ? "off" : state.startsWith("error") ? "waiting" : "on",
          hasDiskFault: isDiskFailing(),
          diskSpace: diskSpace(),
          knowsPeers: (peers?.database.knownPeers().length ?? 0) > 0,
          sync,
          anchors: anchors && { waiting: anchors.waiting, problem: anchors.problem },
          clockErrorMs: clockErrorMs(),
          isStopping: isStopping(),
        };
      },
      resources,
      logLevels: async () => logLevels.plan,
      async setLogLevel(level, area) {
        logLevels.set(level, area);
        log.info(`Log level changed to ${level} for ${area ?? "all areas"}`);
        return logLevels.plan;
      },
      stop: async () => {
        stop();
      },
    },
  };
}

/** What the HTTP layer asks of the node, done: `NodeControl` over pool, wallet, forging and chain. */

import type { Chain } from "../chain/chain.ts";
import { ChainBusyError } from "../chain/writing/write-queue.ts";
import type { Forger } from "../forging/forger.ts";
import type { Clock, FeeVote, Hosts, Log, NodeControl, Outcome, WalletAccount } from "../interfaces.ts";
import type { Mempool } from "../mempool/mempool.ts";
import type { Peers } from "../peers/peers.ts";
import { DiskError, JournalPrunedError } from "../storage/store.ts";
import { tables } from "../storage/tables.ts";
import type { Transaction } from "../transactions/index.ts";
import {
  AccountBasedWalletError,
  AccountExistsError,
  NoPrivateKeyError,
  WalletFileError,
} from "../wallet/errors.ts";
import type { Wallet } from "../wallet/wallet.ts";
import { hashAccountOf } from "./anchoring.ts";
import type { Intake } from "./intake.ts";
import { done, failed } from "./outcome.ts";
import { peersControl, syncControl } from "./peers-control.ts";
import { poolControl } from "./pool-control.ts";
import { PoolNewsDesk } from "./pool-news.ts";
import type { ReorganisationLog } from "./reorganisation-log.ts";

export interface ControlDependencies {
  readonly chain: Chain;
  readonly pool: Mempool;
  readonly wallet: Wallet;
  readonly forger: Forger;
  readonly intake: Intake;
  /** Told of each transaction that came to the pool over the API. */
  readonly added: (transaction: Transaction) => void;
  /** Undefined: there are no other nodes. */
  readonly peers: Peers | undefined;
  readonly hosts: Hosts;
  readonly clock: Pick<Clock, "monotonic" | "after">;
  readonly log: Log;
  /** What other chains did to this one since the start. */
  readonly reorganisations: ReorganisationLog;
  readonly resources: NodeControl["resources"];
  readonly network: { readonly chainId: number; readonly payment: boolean };
  /** Whether the disk takes nothing at the moment. */
  readonly diskFault: () => boolean;
  readonly anchoring: Pick<NodeControl, "queueAnchor" | "queuedAnchor" | "anchorQueue">;
  /** The account that `POST /hash` uses; undefined: the oldest. */
  readonly hashAccount: Uint8Array | undefined;
  /** Features this node votes for. */
  readonly features: readonly number[];
  /** Ends the node. */
  readonly stop: () => void;
}

/** An account as plain data: without what else the wallet knows of it. */
function plain({ address, keyType, publicKey }: WalletAccount): WalletAccount {
  return { address, keyType, publicKey };
}

/**
 * Errors of the wallet that the protocol knows, page 01 §9.5, and a file that cannot be written, of which the log says
 * why; others are faults of the node.
 */
async function walletOutcome<T>(log: Log, work: () => Promise<T> | T): Promise<Outcome<T>> {
  try {
    return done(await work());
  } catch (error) {
    if (error instanceof NoPrivateKeyError) return failed({ kind: "not-in-wallet" });
    if (error instanceof AccountBasedWalletError) return failed({ kind: "account-based-wallet" });
    if (error instanceof AccountExistsError) return failed({ kind: "account-exists" });
    if (error instanceof WalletFileError) {
      log.error("The wallet stays as it was", { reason: error.message });
      return failed({ kind: "disk-fault" });
    }
    throw error;
  }
}

/**
 * A change of the chain waits for the one that is under way; a rollback deeper than the journal is refused. Where its
 * turn comes behind the deadline nothing is done: whoever asked was told that it failed.
 */
async function changeOutcome<T>(
  { chain, clock }: ControlDependencies,
  deadline: number | undefined,
  work: () => T,
): Promise<Outcome<T>> {
  try {
    return await chain.inTurn(() =>
      deadline === undefined || clock.monotonic() < deadline ? done(work()) : failed({ kind: "late" }),
    );
  } catch (error) {
    if (error instanceof ChainBusyError) return failed({ kind: "busy" });
    if (error instanceof JournalPrunedError)
      return failed({ kind: "journal-pruned", height: error.unit.height });
    if (error instanceof DiskError) return failed({ kind: "disk-fault" });
    throw error;
  }
}

/** Changes of the wallet, one at a time: each writes its file. Those whose turn comes too late are dropped. */
class WalletChanges {
  #last: Promise<unknown> = Promise.resolve();

  constructor(private readonly dependencies: Pick<ControlDependencies, "clock" | "log" | "forger">) {}

  make<T>(deadline: number | undefined, work: () => Promise<T>): Promise<Outcome<T>> {
    const { clock, log, forger } = this.dependencies;
    const made = this.#last.then(async () => {
      if (deadline !== undefined && clock.monotonic() >= deadline) return failed({ kind: "late" });
      const outcome = await walletOutcome(log, work);
      if (outcome.ok) forger.schedule();
      return outcome;
    });
    // What went wrong is told to whoever asked, and is no matter of the next.
    this.#last = made.catch(() => {});
    return made;
  }
}

export function nodeControl(dependencies: ControlDependencies): NodeControl {
  const { chain, pool, wallet, forger, intake, network, added, log } = dependencies;
  // An operator's removal is told at once: page 04 §10.1.
  const removed = (): void => dependencies.peers?.sync.tellScore();
  const walletChanges = new WalletChanges(dependencies);
  const waiting = poolControl(pool, intake, network, added);
  const news = new PoolNewsDesk(pool, dependencies.clock);
  return {
    ...waiting,
    ...peersControl(dependencies.peers, dependencies.hosts, {
      clock: dependencies.clock,
      scoreOf: (peer) => dependencies.peers?.sync.scoreOf(peer),
    }),
    ...syncControl(dependencies.peers),
    ...dependencies.anchoring,
    poolNews: (after) => news.ask(after),
    async broadcast(sent, deadline) {
      // It would wait for a block that cannot be made, in memory only.
      return dependencies.diskFault() ? failed({ kind: "disk-fault" }) : waiting.broadcast(sent, deadline);
    },

    async walletAccounts() {
      return wallet.accounts().map(plain);
    },
    async anchorAccount() {
      const account = hashAccountOf(wallet, dependencies.hashAccount);
      return account && plain(account);
    },
    async sign(address, message) {
      return walletOutcome(log, () => wallet.sign(address, message));
    },
    createAccount(deadline) {
      return walletChanges.make(deadline, async () => (await wallet.addAccount()).address);
    },
    deleteAccount(address, deadline) {
      return walletChanges.make(deadline, async () => {
        await wallet.deleteAccount(address);
        return true;
      });
    },

    async minerInfo() {
      return forger.minerInfo();
    },
    async minerState() {
      return forger.state;
    },
    async feeVote() {
      return forger.feeVote;
    },
    async setFeeVote(vote: FeeVote) {
      forger.feeVote = vote;
    },
    async supportedFeatures() {
      return dependencies.features;
    },

    async rollback(height, returnTransactions, deadline) {
      return changeOutcome(dependencies, deadline, () => {
        const id = chain.read((reader) => reader.get(tables.headers, height)?.signature);
        if (id === undefined) return undefined;
        chain.removeAfter(id, { returnTransactions });
        removed();
        return id;
      });
    },
    async rollbackTo(id, deadline) {
      return changeOutcome(dependencies, deadline, () => {
        chain.removeAfter(id, { returnTransactions: false });
        removed();
        return id;
      });
    },
    async applyCheckpoint(checkpoint, deadline) {
      // An unsigned checkpoint must not get into the queue of changes.
      const early = chain.checkpointRefusal(checkpoint);
      if (early !== undefined) return failed({ kind: "checkpoint-refused", text: early });
      const outcome = await changeOutcome(dependencies, deadline, () => chain.acceptCheckpoint(checkpoint));
      if (!outcome.ok) return outcome;
      const { value: text } = outcome;
      if (text === undefined) removed();
      return text === undefined ? done(undefined) : failed({ kind: "checkpoint-refused", text });
    },
    async reorganisations() {
      return dependencies.reorganisations.info;
    },
    async health() {
      const { state } = forger;
      return {
        startedAt: dependencies.reorganisations.since,
        forging: state === "disabled" ? "off" : state.startsWith("error") ? "waiting" : "on",
        diskFault: dependencies.diskFault(),
        knowsPeers: (dependencies.peers?.database.knownPeers().length ?? 0) > 0,
      };
    },
    resources: dependencies.resources,
    async stop() {
      dependencies.stop();
    },
  };
}

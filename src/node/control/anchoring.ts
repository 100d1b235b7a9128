/** Wires the queue of pending anchors. Page 07 §7.8, §18.5. */

import { JobQueue } from "../../anchoring/job-queue.ts";
import { JobSender } from "../../anchoring/job-sender.ts";
import { leafProofsOf, rootOfLeaf } from "../../anchoring/leaves.ts";
import { RoleSponsoring } from "../../anchoring/role-sponsoring.ts";
import { bytesEqual } from "../../bytes/compare.ts";
import type { Chain } from "../../chain/chain.ts";
import { chainReader } from "../../chain/snapshot.ts";
import type { Settings } from "../../config/settings.ts";
import { MAX_LEAF_HASHES } from "../../control/anchoring.ts";
import type { NodeControlHandlers, WalletAccount } from "../../control/index.ts";
import { failed, ok } from "../../errors/result.ts";
import type { ReaderContext } from "../../indexes/query-source.ts";
import type { Log } from "../../interfaces.ts";
import type { Mempool } from "../../mempool/mempool.ts";
import type { Peers } from "../../peers/peers.ts";
import { areaLog } from "../../runtime/area-log.ts";
import { yieldBetween } from "../../runtime/time-sliced-queue.ts";
import { DiskError } from "../../storage/disk/disk-error.ts";
import { openStore, type Store } from "../../storage/store.ts";
import type { Transaction } from "../../transactions/index.ts";
import type { Wallet } from "../../wallet/wallet.ts";
import { anchorDirectory, hasNoStore, networkIdentity } from "../composition.ts";
import type { Environment } from "../environment.ts";
import type { Intake } from "../intake.ts";
import { upgradeLog } from "../upgrade-log.ts";

type StoreSettings = Pick<Settings, "dataDir" | "profile" | "anchoring">;

/**
 * Opens the store of pending anchors if it exists or the settings need it.
 * @throws what `openStore` throws
 */
export async function openAnchorStore(settings: StoreSettings, log?: Log): Promise<Store | undefined> {
  const directory = anchorDirectory(settings);
  const network = networkIdentity(settings.profile);
  const isNeeded = settings.anchoring.mode !== "off" || settings.anchoring.sponsorRoles;
  if (!isNeeded && (await hasNoStore(settings, directory))) return undefined;
  return openStore(directory, { network, onUpgrade: log && upgradeLog(log, directory) });
}

function hashAccountOf(wallet: Wallet, hashAccount: Uint8Array | undefined): WalletAccount | undefined {
  if (hashAccount === undefined) return wallet.oldest();
  return wallet.accounts().find(({ address }) => bytesEqual(address, hashAccount));
}

interface AnchoringParts {
  readonly environment: Environment;
  readonly settings: Settings;
  readonly context: ReaderContext;
  readonly chain: Chain;
  readonly pool: Mempool;
  readonly intake: Intake;
  readonly peers: Peers | undefined;
  /** True while peers' blocks on the chain are unchecked (`--assume-valid`). */
  readonly isProvisional: () => boolean;
  readonly giveUp: (error: DiskError) => void;
}

const UNITS_PER_TOKEN = 100_000_000n;

/** The checker threads treat all anchor transactions as one source. */
const SOURCE = "anchors";

export function createSender({ environment, settings, ...parts }: AnchoringParts): JobSender | undefined {
  const { anchors: store, clock, metrics, wallet } = environment;
  const log = areaLog(environment.log, "anchoring");
  if (store === undefined) return undefined;
  const { chain, pool, intake, peers, context } = parts;
  const { anchoring } = settings;
  const dependencies = {
    clock,
    log,
    metrics,
    reader: chainReader(chain, context),
    network: settings.profile,
    inPool: (id: Uint8Array) => pool.has(id),
    offer: async (transaction: Transaction) => {
      const outcome = await intake.offer(SOURCE, transaction);
      if (outcome.ok && outcome.value.added) peers?.transactionAdded(transaction);
      return outcome;
    },
    account: () => hashAccountOf(wallet, anchoring.hashAccount),
    sign: (address: Uint8Array, message: Uint8Array) => wallet.sign(address, message),
    isBehind: () => parts.isProvisional() || peers?.sync.progress.target !== undefined,
    yieldToOthers: yieldBetween(),
  };
  const queue = new JobQueue(store, anchoring.queueLimit, parts.giveUp);
  const options = {
    ...anchoring,
    // With mode `off`, jobs that are still queued are sent as in `batch`.
    mode: anchoring.mode === "merkle" ? "merkle" : "batch",
    rollbackDepth: settings.chain.rollbackDepth,
  } as const;
  if (!anchoring.sponsorRoles) return new JobSender(queue, dependencies, options);
  const sponsoring = new RoleSponsoring(queue, dependencies, {
    depth: anchoring.sponsorDepth,
    budget: BigInt(anchoring.sponsorBudget) * UNITS_PER_TOKEN,
    roles: settings.index.trustNetwork,
  });
  return new JobSender(queue, dependencies, options, sponsoring);
}

/** Copies only the public fields. */
export function plainAccount({ address, keyType, publicKey }: WalletAccount): WalletAccount {
  return { address, keyType, publicKey };
}

/**
 * @param sender undefined without an anchor store
 * @param isPaused returns true while the disk has too little space
 */
export function anchoringControl(
  sender: JobSender | undefined,
  wallet: Wallet,
  { mode, hashAccount }: Settings["anchoring"],
  isPaused: () => boolean = () => false,
  anchorStore?: Pick<Store, "read"> | undefined,
): NodeControlHandlers["anchoring"] {
  return {
    async account() {
      const account = hashAccountOf(wallet, hashAccount);
      return account && plainAccount(account);
    },
    async add(hash) {
      // Only gateways call this if anchoring is off.
      if (sender === undefined || mode === "off") return failed({ kind: "anchors-off" });
      if (isPaused()) return failed({ kind: "disk-fault" });
      try {
        return (await sender.add(hash)) === "full" ? failed({ kind: "anchors-full" }) : ok(undefined);
      } catch (error) {
        if (error instanceof DiskError) return failed({ kind: "disk-fault" });
        throw error;
      }
    },
    queued: async (hash) => sender?.findQueued(hash),
    leafProof: async (hash) => anchorStore && leafProofsOf(anchorStore)(hash),
    leafRoots: async (hashes) =>
      anchorStore?.read((reader) => hashes.slice(0, MAX_LEAF_HASHES).map((hash) => rootOfLeaf(reader, hash))),
    info: async (limit) => sender && { mode, ...sender.info(limit) },
  };
}

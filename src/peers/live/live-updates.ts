/** Page 04 §13.1, §14 to §16. */
import { signAnnouncement } from "../../blocks/announcement.ts";
import { blockBytes } from "../../blocks/block.ts";
import type { MicroBlock } from "../../blocks/micro-block.ts";
import type { Tip } from "../../chain/reading/tip.ts";
import { addressOf } from "../../crypto/addresses.ts";
import type { ForgedListener } from "../../forging/forger.ts";
import type { ForgingAccounts } from "../../forging/options.ts";
import type { Transaction } from "../../transactions/index.ts";
import type { Peer } from "../connections/peer.ts";
import type { PeerContext } from "../context.ts";
import { TransactionGossip, type TransactionIntake } from "../gossip/transaction-gossip.ts";
import type { GossipOptions, MicroBlockOptions } from "../options.ts";
import type { ReceivedMessage } from "../wire/messages.ts";
import { handleCheckpoints } from "./checkpoints.ts";
import { MicroBlocks } from "./micro-blocks.ts";
import { PushedBlocks } from "./pushed-blocks.ts";

export interface LiveUpdatesDependencies extends PeerContext {
  readonly intake: TransactionIntake;
  readonly accounts: Pick<ForgingAccounts, "keyPair">;
  readonly options: { readonly gossip: GossipOptions; readonly microBlocks: MicroBlockOptions };
  /** Maximum age of the chain for accepting transactions of peers, ms; undefined: any age. */
  readonly maxChainAgeMs: number | undefined;
}

export interface LiveUpdates {
  takePushedBlock(peer: Peer, message: ReceivedMessage<"Block">): Promise<void> | undefined;
  readonly forged: ForgedListener;
  transactionAdded(transaction: Transaction): void;
  readonly microBlocks: Pick<MicroBlocks, "sizes">;
  start(): void;
  stop(): void;
}

export function createLiveUpdates(dependencies: LiveUpdatesDependencies): LiveUpdates {
  const { network, chain, accounts, rules, clock, options, maxChainAgeMs } = dependencies;
  const microBlocks = new MicroBlocks({ ...dependencies, options: options.microBlocks });
  const pushed = new PushedBlocks(dependencies);
  const gossip = new TransactionGossip({
    ...dependencies,
    options: options.gossip,
    isReady: () => isReady(chain.tip, clock.now(), maxChainAgeMs),
  });
  handleCheckpoints(dependencies);
  return {
    takePushedBlock: (peer, message) => pushed.handle(peer, message),
    forged: {
      block: (block) => network.broadcast({ type: "Block", bytes: blockBytes(block) }),
      microBlock: (micro: MicroBlock) => {
        const keyPair = accounts.keyPair(addressOf(micro.generator, rules.chainId));
        const announcement = signAnnouncement(micro, keyPair, rules.chainId);
        network.broadcast({ type: "MicroBlockInv", announcement });
      },
    },
    transactionAdded: (transaction) => gossip.send(transaction),
    microBlocks,
    start: () => microBlocks.start(),
    stop: () => {
      microBlocks.stop();
      pushed.stop();
      gossip.stop();
    },
  };
}

/** Page 04 §9. */
function isReady({ keyBlock, microBlocks }: Tip, now: number, maxAgeMs: number | undefined): boolean {
  if (maxAgeMs === undefined) return true;
  const newest = microBlocks.at(-1);
  return (
    Number(keyBlock.timestamp) + maxAgeMs > now || (newest !== undefined && newest.arrivedAt + maxAgeMs > now)
  );
}

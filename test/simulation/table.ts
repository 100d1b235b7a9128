/** The network of the simulation: fast blocks, several forgers, and the settings of its nodes. */
import type { Settings } from "../../src/config/settings.ts";
import { addressOf } from "../../src/crypto/addresses.ts";
import type { KeyPair } from "../../src/crypto/signatures.ts";
import type { PeersOptions } from "../../src/peers/options.ts";
import { dev, type NetworkProfile } from "../../src/profiles/index.ts";
import { keyPairOf } from "../../src/testing/dev-node.ts";
import { spenders, trustOfSpenders } from "../../src/testing/random-transactions.ts";
import { settingsOf } from "../../src/testing/settings.ts";

const LTO = 100_000_000n;
const SECOND = 1_000;
/** Port on which nodes listen. */
export const PORT = 6863;
/** Mean time between two blocks, s. */
export const BLOCK_SECONDS = 12;
/** Maximum depth at which a better chain may replace ours: page 04 §23.2. The reference has 100. */
export const MAX_ROLLBACK = 20;
/** Number of blocks that the stores can undo. */
export const ROLLBACK_DEPTH = 40;
/** Base target at which a single forger with `STAKE` would forge at about that rate. */
const BASE_TARGET = 35_000;

const STAKE = 1_000_000n * LTO;

/** The forger of a node. Each seed has different keys, since keys decide who forges when. */
export function forgerOf(seed: number, node: number): KeyPair {
  return keyPairOf(`forger ${seed} ${node}`);
}

/** IP address of a node. */
export function addressOfNode(node: number): string {
  return `10.0.0.${node + 1}`;
}

/** A network with these forgers, whose stakes differ. */
export function tableOf(forgers: readonly KeyPair[]): NetworkProfile {
  return {
    ...dev,
    name: "custom",
    functionality: {
      ...dev.functionality,
      feeVoteBlocksPeriod: 5,
      leaseUnbondingPeriod: 3,
      featureCheckBlocksPeriod: 10,
      blocksForFeatureActivation: 8,
    },
    genesis: {
      ...dev.genesis,
      averageBlockDelaySeconds: BLOCK_SECONDS,
      initialBaseTarget: BigInt(Math.floor(BASE_TARGET / forgers.length)),
      signature: undefined,
      transactions: [
        ...forgers.map(({ publicKey }, i) => ({
          recipient: addressOf(publicKey, dev.chainId),
          amount: (STAKE * BigInt(10 + i)) / 10n,
        })),
        ...spenders.map(({ publicKey }) => ({
          recipient: addressOf(publicKey, dev.chainId),
          amount: 10_000n * LTO,
        })),
      ],
    },
    forging: { ...dev.forging, microBlockIntervalMs: 4 * SECOND, minMicroBlockAgeMs: SECOND },
    rollbackDepth: ROLLBACK_DEPTH,
  };
}

/**
 * Settings of a node that knows some of the other nodes and forges with a quorum of peers. Its timeouts are shorter than on a real network because its
 * blocks are faster.
 */
export function settingsOfNode(
  node: number,
  profile: NetworkProfile,
  known: readonly number[],
  quorum: number,
): Settings {
  const trust = trustOfSpenders(profile.chainId);
  const own = { host: addressOfNode(node), port: PORT };
  const peers: PeersOptions = {
    connections: {
      listen: own,
      declaredAddress: own,
      nodeName: `node-${node}`,
      nonce: BigInt(1_000 + node),
      knownPeers: known.map((other) => ({ host: addressOfNode(other), port: PORT })),
      peersFile: undefined,
      knownPeerMs: 86_400 * SECOND,
      blacklistMs: 60 * SECOND,
      suspensionMs: 5 * SECOND,
      idleTimeoutMs: 120 * SECOND,
      dialTimeoutMs: 10 * SECOND,
      handshakeTimeoutMs: 10 * SECOND,
      peerRequestIntervalMs: 30 * SECOND,
      rememberTransactionsMs: 180 * SECOND,
      maxInbound: 30,
      maxOutbound: 5,
      maxInboundOfHost: 3,
      maxUnverified: 100,
      exchange: true,
      blacklisting: true,
      quietWhenSent: [],
      quietWhenReceived: [],
    },
    sync: {
      maxRollback: MAX_ROLLBACK,
      maxChainLength: MAX_ROLLBACK + 1,
      timeoutMs: 20 * SECOND,
      invalidBlocksMs: 3_600 * SECOND,
      microBlockCache: 50,
      blockCache: 20,
    },
    gossip: { rememberedTransactions: 10_000, rememberMs: 10 * SECOND, batchSize: 500, batchMs: 100 },
    microBlocks: { responseTimeoutMs: 2 * SECOND, processedMs: 180 * SECOND, announcementMs: 45 * SECOND },
  };
  return settingsOf(profile, {
    api: {
      enabled: false,
    },
    peers,
    chain: {
      rollbackDepth: ROLLBACK_DEPTH,
    },
    forging: {
      quorum,
      microBlockIntervalMs: profile.forging.microBlockIntervalMs,
    },
    index: {
      trustNetwork: trust.network,
    },
    anchoring: {
      hashAccount: trust.root,
    },
  });
}

/** Networks that are simulated. */
import { forgeQuorum } from "../../src/cli/network/forecast.ts";
import { planNetwork } from "../../src/cli/network/genesis-plan.ts";
import { addressOf } from "../../src/crypto/addresses.ts";
import type { KeyPair } from "../../src/crypto/signatures.ts";
import { dev, implementedFeatures, type NetworkProfile } from "../../src/profiles/index.ts";
import { spenders } from "../../src/testing/random-transactions.ts";
import { ROLLBACK_DEPTH, tableOf } from "./table.ts";

const SECOND_MS = 1_000;
const LTO = 100_000_000n;

export interface Scenario {
  readonly profileOf: (forgers: readonly KeyPair[]) => NetworkProfile;
  /** Minimum number of connected peers for forging, for a number of nodes. */
  readonly quorumOf: (nodes: number) => number;
  /** Maximum number of peers that lie. */
  readonly maxLiars: number;
  /** Approximate time between two transactions. */
  readonly transactionIntervalMs: number;
  /** Height of the tallest chain before the last phase. */
  readonly minHeight: number;
  /** Duration of the last phase, which has no faults, ms. After it, all nodes must be on one chain. */
  readonly recoveryMs: number;
}

/** Forgers of different stakes, with fast blocks, and byzantine peers. */
export const mixed: Scenario = {
  profileOf: tableOf,
  quorumOf: () => 0,
  maxLiars: 2,
  transactionIntervalMs: 2_500,
  minHeight: 0,
  // About twelve blocks.
  recoveryMs: 140 * SECOND_MS,
};

/**
 * Forgers of equal stake in a network like those of `holdfast network up`. With delays that the command
 * refuses, they tie.
 */
export function equalForgers(averageBlockDelayMs: number, minHeight = 200): Scenario {
  return {
    profileOf: (forgers) => equalNetwork(forgers, averageBlockDelayMs),
    quorumOf: forgeQuorum,
    maxLiars: 0,
    transactionIntervalMs: 20 * SECOND_MS,
    minHeight,
    recoveryMs: 120 * SECOND_MS,
  };
}

function equalNetwork(forgers: readonly KeyPair[], averageBlockDelayMs: number): NetworkProfile {
  const address = (publicKey: Uint8Array): Uint8Array => addressOf(publicKey, dev.chainId);
  const { profile } = planNetwork({
    name: "LTO",
    chainId: String.fromCharCode(dev.chainId),
    averageBlockDelayMs,
    timestamp: dev.genesis.blockTimestamp,
    features: new Map(Array.from(implementedFeatures, (id) => [id, 0])),
    founders: [
      ...forgers.map(({ publicKey }) => ({
        address: address(publicKey),
        publicKey,
        amount: 1_000_000n * LTO,
      })),
      ...spenders.map(({ publicKey }) => ({
        address: address(publicKey),
        publicKey: undefined,
        amount: 10_000n * LTO,
      })),
    ],
    baseTarget: undefined,
  });
  return { ...profile, rollbackDepth: ROLLBACK_DEPTH };
}

/**
 * Two branches of a chain, built with the keys of the recorded chain `load`, for nodes that start on different
 * branches.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { encodeBase58 } from "../../src/bytes/base58.ts";
import { addressOf } from "../../src/crypto/addresses.ts";
import { customProfile } from "../../src/profiles/index.ts";
import { memoryStore } from "../../src/storage/memory-store.ts";
import { buildTransaction } from "../../src/testing/build-transaction.ts";
import { type Transaction, transactionId } from "../../src/transactions/index.ts";
import { forgeNext, openWorkshop, recordedKeyPair } from "./long-chain.ts";

const COMMON_BLOCKS = 10;
/** Enough blocks for a switch between the branches to take some time. */
const PER_BLOCK = 100;
const FEE = 100_000_000n;

export interface Branch {
  /** Blocks 2, 3, … in the format of `holdfast import`. */
  readonly file: string;
  readonly height: number;
  /** Id of the newest block, Base58. */
  readonly id: string;
  /** Sum of the scores of all blocks: the better of two chains is the one with the higher score. */
  readonly score: bigint;
  /** A transaction that only this branch has, Base58. */
  readonly transaction: string;
}

/**
 * Writes blocks to a file: ten blocks that all branches share, then those of the branch.
 * @param folder folder of the recorded chain, with `genesis.json` and `accounts.json`
 * @param forger label of the account that forges the branch
 */
export function makeBranch(folder: string, file: string, forger: string, blocks: number): Branch {
  const profile = customProfile(readFileSync(join(folder, "genesis.json"), "utf8"));
  const { chainId } = profile;
  const workshop = openWorkshop(profile, memoryStore());
  const sender = recordedKeyPair(folder, "U1");
  const recipient = addressOf(sender.publicKey, chainId);
  let newest: Transaction | undefined;
  const transfer = (timestamp: bigint): Transaction => {
    const members = { recipient, amount: 1n, attachment: new Uint8Array(0) };
    newest = buildTransaction({ type: 4, version: 3, sender, fee: FEE, timestamp, chainId, members });
    return newest;
  };
  const trunkForger = recordedKeyPair(folder, "F1");
  const trunk = Array.from({ length: COMMON_BLOCKS }, () => forgeNext(workshop, trunkForger, () => []));
  const keyPair = recordedKeyPair(folder, forger);
  const branch = Array.from({ length: blocks }, () =>
    forgeNext(workshop, keyPair, (timestamp) =>
      Array.from({ length: PER_BLOCK }, (_, i) => transfer(timestamp - BigInt(i))),
    ),
  );
  if (newest === undefined) throw new Error("A branch has at least one block");
  writeFileSync(file, Buffer.concat([...trunk, ...branch]));
  const { tip } = workshop.chain;
  return {
    file,
    height: tip.height,
    id: encodeBase58(tip.id),
    score: tip.score,
    transaction: encodeBase58(transactionId(newest)),
  };
}

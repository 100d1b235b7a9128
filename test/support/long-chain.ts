/** A long chain of transfers and anchors like the recorded chain `load`, built with the keys of its accounts. */

import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { blockBytes, buildBlock } from "../../src/blocks/block.ts";
import { decodeBase58 } from "../../src/bytes/base58.ts";
import { Chain } from "../../src/chain/chain.ts";
import { atOnce } from "../../src/chain/testing/at-once.ts";
import { addressOf } from "../../src/crypto/addresses.ts";
import type { KeyPair } from "../../src/crypto/signatures.ts";
import { customProfile, type NetworkProfile } from "../../src/profiles/index.ts";
import { memoryStore } from "../../src/storage/memory-store.ts";
import { openStore, type Store } from "../../src/storage/store.ts";
import { buildTransaction } from "../../src/testing/build-transaction.ts";
import { SeededRandom } from "../../src/testing/seeded-random.ts";
import { silentLog } from "../../src/testing/silent-log.ts";
import { VirtualClock } from "../../src/testing/virtual-clock.ts";
import type { Transaction } from "../../src/transactions/index.ts";

/** As in `load`: about 300 per block, seven in ten transfers, and the same fees. */
const PER_BLOCK = 300;
const TRANSFERS_IN_100 = 70;
const TRANSFER_FEE = 100_000_000n;
const ANCHOR_FEE = 35_000_000n;

interface RecordedAccount {
  readonly label: string;
  readonly publicKey: string;
  readonly privateKey: string;
}

/** The ed25519 key pairs of a recorded chain, by label. */
export function recordedKeyPairs(folder: string): ReadonlyMap<string, KeyPair> {
  const accounts = JSON.parse(readFileSync(join(folder, "accounts.json"), "utf8")) as RecordedAccount[];
  return new Map(
    accounts.map(({ label, publicKey, privateKey }) => [
      label,
      {
        keyType: "ed25519",
        publicKey: decodeBase58(publicKey, 1_000),
        privateKey: decodeBase58(privateKey, 1_000),
      },
    ]),
  );
}

/** Returns the key pair with this label. @throws Error if there is none */
export function recordedKeyPair(folder: string, label: string): KeyPair {
  const keyPair = recordedKeyPairs(folder).get(label);
  if (keyPair === undefined) throw new Error(`Unknown account ${label}`);
  return keyPair;
}

/** Builds a chain. */
export interface Workshop {
  readonly profile: NetworkProfile;
  readonly clock: VirtualClock;
  readonly chain: Chain;
}

/** The chain in a store; a genesis file defines its network. */
export function openWorkshop(profile: NetworkProfile, store: Store): Workshop {
  const clock = new VirtualClock(Number(profile.genesis.blockTimestamp));
  const options = { stopOnUnsupportedFeature: true };
  return {
    profile,
    clock,
    chain: Chain.open({ store, profile, indexes: [], clock, log: silentLog, options }),
  };
}

/** Forges the next block a second after it is due. @returns the block in the format of block files */
export function forgeNext(
  { profile, clock, chain }: Workshop,
  forger: KeyPair,
  transactions: (timestamp: bigint) => readonly Transaction[],
): Uint8Array {
  const { publicKey } = forger;
  const balance = chain.forging.generatingBalance(addressOf(publicKey, profile.chainId));
  const timestamp = chain.tip.keyBlock.timestamp + chain.forging.blockDelay(publicKey, balance) + 1_000n;
  clock.jump(Number(timestamp));
  const draft = chain.forging.draftBlock(publicKey, timestamp, clock.now());
  const block = buildBlock(
    { ...draft, features: [], feeVote: 0, transactions: transactions(timestamp) },
    forger,
  );
  // Signed just now, so the check is unnecessary.
  const result = atOnce(chain.accept(block, { signature: true, verdicts: () => true }));
  if (!result.ok) throw new Error(result.error.printed);
  const bytes = blockBytes(block);
  const length = Buffer.alloc(4);
  length.writeInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** Creates a transaction of one of the chain's accounts. */
export type Build = (type: number, fee: bigint, members: Readonly<Record<string, unknown>>) => Transaction;

/**
 * Writes blocks 2, 3, … with at least this many transactions to a file.
 * @param folder folder of the recorded chain, with `genesis.json` and `accounts.json`
 * @param next creates the next transaction with the given `build`
 */
export async function writeChain(
  folder: string,
  file: string,
  { transactions, perBlock }: { readonly transactions: number; readonly perBlock: number },
  next: (workshop: Workshop, build: Build) => Transaction,
): Promise<void> {
  const profile = customProfile(readFileSync(join(folder, "genesis.json"), "utf8"));
  const forger = recordedKeyPair(folder, "F1");
  const others = ordinaryKeyPairs(folder);
  const random = new SeededRandom(1);
  const home = mkdtempSync(join(tmpdir(), "holdfast-chain-"));
  const output = openSync(file, "w");
  const store = await openStore(join(home, "chain"), { network: "long", rollbackDepth: 100 });
  try {
    const workshop = openWorkshop(profile, store);
    for (let made = 0; made < transactions; ) {
      // The first block has no transactions, as in `load`.
      const count = workshop.chain.tip.height === 1 ? 0 : perBlock;
      const block = forgeNext(workshop, forger, (timestamp) =>
        Array.from({ length: count }, (_, i) =>
          next(workshop, (type, fee, members) =>
            buildTransaction({
              type,
              version: 3,
              sender: random.pick(others),
              fee,
              timestamp: timestamp - BigInt(count - i),
              chainId: profile.chainId,
              members,
            }),
          ),
        ),
      );
      writeSync(output, block);
      made += count;
    }
  } finally {
    closeSync(output);
    await store.close();
    rmSync(home, { recursive: true, force: true });
  }
}

/** Accounts of a recorded chain that forge no blocks. */
function ordinaryKeyPairs(folder: string): KeyPair[] {
  return [...recordedKeyPairs(folder)]
    .filter(([label]) => !/^F\d$/.test(label))
    .map(([, keyPair]) => keyPair);
}

/** Accounts that receive transfers in a chain of `makeLongChain`. */
export interface Recipients {
  /** 0 for the accounts of the recorded chain, otherwise a number of accounts without a known key. */
  readonly count: number;
  /** In a power law, the account of rank r receives a share proportional to 1/r. */
  readonly drawn?: "uniformly" | "by power law";
}

/** Writes a chain of transfers and anchors, the same each time. */
export async function makeLongChain(
  folder: string,
  file: string,
  transactions: number,
  { count, drawn = "uniformly" }: Recipients = { count: 0 },
): Promise<void> {
  const random = new SeededRandom(3);
  let addresses: readonly Uint8Array[] | undefined;
  const drawFrom = (list: readonly Uint8Array[]): Uint8Array => {
    if (drawn === "uniformly") return random.pick(list);
    const fraction = random.below(2 ** 30) / 2 ** 30;
    return list[Math.floor(list.length ** fraction) - 1];
  };
  await writeChain(folder, file, { transactions, perBlock: PER_BLOCK }, ({ profile: { chainId } }, build) => {
    addresses ??=
      count === 0
        ? ordinaryKeyPairs(folder).map(({ publicKey }) => addressOf(publicKey, chainId))
        : Array.from({ length: count }, () => addressOf(random.bytes(32), chainId));
    if (!random.chance(TRANSFERS_IN_100)) return build(15, ANCHOR_FEE, { anchors: [random.bytes(32)] });
    const recipient = drawFrom(addresses);
    const amount = BigInt(1 + random.below(100_000_000));
    return build(4, TRANSFER_FEE, { recipient, amount, attachment: new Uint8Array(0) });
  });
}

/**
 * Writes a chain of light blocks, the same each time.
 * @param transferPercent blocks in a hundred that have one transfer; the others are empty
 */
export function makeLightChain(folder: string, file: string, blocks: number, transferPercent: number): void {
  const profile = customProfile(readFileSync(join(folder, "genesis.json"), "utf8"));
  const workshop = openWorkshop(profile, memoryStore({ rollbackDepth: 2 }));
  const forger = recordedKeyPair(folder, "F1");
  const others = ordinaryKeyPairs(folder);
  const random = new SeededRandom(5);
  const output = openSync(file, "w");
  const transfer = (timestamp: bigint): Transaction =>
    buildTransaction({
      type: 4,
      version: 3,
      sender: random.pick(others),
      fee: TRANSFER_FEE,
      timestamp: timestamp - 1n,
      chainId: profile.chainId,
      members: {
        recipient: addressOf(random.pick(others).publicKey, profile.chainId),
        amount: BigInt(1 + random.below(1_000_000)),
        attachment: new Uint8Array(0),
      },
    });
  try {
    for (let made = 0; made < blocks; made++)
      writeSync(
        output,
        forgeNext(workshop, forger, (timestamp) =>
          made > 0 && random.chance(transferPercent) ? [transfer(timestamp)] : [],
        ),
      );
  } finally {
    closeSync(output);
  }
}

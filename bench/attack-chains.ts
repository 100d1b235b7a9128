/** Builds the chains that attacks start from, as block files that `holdfast import` of any version reads. */
import { closeSync, mkdtempSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { addressOf } from "../src/crypto/addresses.ts";
import type { KeyPair } from "../src/crypto/signatures.ts";
import { dev } from "../src/profiles/index.ts";
import { openStore } from "../src/storage/store.ts";
import { buildTransaction } from "../src/testing/build-transaction.ts";
import { rootKeyPair } from "../src/testing/dev-node.ts";
import { SeededRandom } from "../src/testing/seeded-random.ts";
import type { Transaction } from "../src/transactions/index.ts";
import { forgeNext, openWorkshop, type Workshop } from "../test/support/long-chain.ts";
import { walletKeys } from "../test/support/sign-request.ts";
import {
  addressOfKeys,
  associatedKeys,
  type ChainName,
  LTO,
  SMALL_STAKE_LTO,
  smallStakeKeys,
  sponsoredKeys,
} from "./attack-setup.ts";

/** The chain for forks: full blocks at its end, transfers per block, and recipients. */
const FULL_BLOCKS = 105;
const TRANSFERS = 3_500;
const RECIPIENTS = 2_000;
/** A balance counts for forging after this many blocks. Page 05 §21.4. */
const STAKE_BLOCKS = 1_001;
const ASSOCIATIONS = 50_400;
const SPONSORS = 24_000;
/** Transactions per block of the other chains. */
const PER_BLOCK = 3_000;

const { chainId } = dev;
const attachment = new Uint8Array(0);

type Make = (at: number, timestamp: bigint) => Transaction;

const transaction = (
  type: number,
  sender: KeyPair,
  timestamp: bigint,
  fee: number,
  members: Record<string, unknown>,
  sponsor?: KeyPair,
): Transaction =>
  buildTransaction({ type, sender, sponsor, fee: BigInt(fee) * BigInt(LTO), timestamp, chainId, members });

const transferTo = (recipient: Uint8Array, amount: number, timestamp: bigint): Transaction =>
  transaction(4, rootKeyPair, timestamp, 1, { recipient, amount: BigInt(amount) * BigInt(LTO), attachment });

/** Forges blocks one after another. */
class Writer {
  constructor(
    private readonly workshop: Workshop,
    private readonly file: number,
  ) {}

  /** Appends a block with this many transactions, whose timestamps are one millisecond apart. */
  block(count: number, make: Make): void {
    const bytes = forgeNext(this.workshop, rootKeyPair, (time) =>
      Array.from({ length: count }, (_, i) => make(i, time - BigInt(count - i))),
    );
    writeSync(this.file, bytes);
  }

  /** Appends all transactions, in as many blocks as necessary. */
  blocks(count: number, make: Make): void {
    for (let from = 0; from < count; from += PER_BLOCK)
      this.block(Math.min(PER_BLOCK, count - from), (i, timestamp) => make(from + i, timestamp));
  }
}

/** @param scale fraction of the usual size, above 0 */
const chains: Readonly<Record<ChainName, (write: Writer, scale: number) => void>> = {
  /** A stake that is old enough, then 105 blocks of 3,500 transfers. */
  forks(write, scale) {
    const recipients = Array.from({ length: RECIPIENTS }, (_, i) => addressOfKeys(walletKeys("fed", i)));
    write.block(1, (_, timestamp) => transferTo(addressOfKeys(smallStakeKeys()), SMALL_STAKE_LTO, timestamp));
    for (let i = 0; i < STAKE_BLOCKS; i++)
      write.block(0, (_, timestamp) => transferTo(recipients[0], 1, timestamp));
    for (let i = 0; i < FULL_BLOCKS; i++)
      write.block(Math.ceil(TRANSFERS * scale), (at, timestamp) =>
        transaction(4, rootKeyPair, timestamp, 1, {
          recipient: recipients[(i * 7 + at) % RECIPIENTS],
          amount: BigInt(1 + at),
          attachment,
        }),
      );
  },

  /** An account with 50,400 associations. `root` is associated with it. */
  associations(write, scale) {
    const keys = associatedKeys();
    const count = Math.ceil(ASSOCIATIONS * scale);
    const state = (sender: KeyPair, recipient: Uint8Array, timestamp: bigint): Transaction =>
      transaction(16, sender, timestamp, 1, { associationType: 1n, recipient, data: [] });
    write.block(1, (_, timestamp) => transferTo(addressOfKeys(keys), 2 * count + 1_000, timestamp));
    write.block(1, (_, timestamp) => state(rootKeyPair, addressOfKeys(keys), timestamp));
    const random = new SeededRandom(1);
    write.blocks(count, (_, timestamp) => state(keys, addressOf(random.bytes(32), chainId), timestamp));
  },

  /** An account whose 24,000 sponsors have no balance: `root` paid the fees of their sponsorships. */
  sponsors(write, scale) {
    const recipient = addressOfKeys(sponsoredKeys());
    write.block(1, (_, timestamp) => transferTo(recipient, 100_000, timestamp));
    write.blocks(Math.ceil(SPONSORS * scale), (at, timestamp) =>
      transaction(18, walletKeys("penniless", at), timestamp, 10, { recipient }, rootKeyPair),
    );
  },
};

/** Writes the blocks of a chain to a file. @param scale fraction of the usual size */
export async function writeAttackChain(name: ChainName, scale: number, path: string): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), "holdfast-chain-"));
  const draft = `${path}.${process.pid}`;
  const file = openSync(draft, "w");
  try {
    const store = await openStore(join(home, "chain"), { network: "attack", rollbackDepth: 100 });
    try {
      chains[name](new Writer(openWorkshop(dev, store), file), scale);
    } finally {
      await store.close();
    }
    renameSync(draft, path);
  } finally {
    closeSync(file);
    rmSync(draft, { force: true });
    rmSync(home, { recursive: true, force: true });
  }
}

/** A long chain of transfers and anchors, like the recorded chain `load`, made with the keys of its accounts. */
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { blockBytes, buildBlock } from "../../src/blocks/block.ts";
import { decodeBase58 } from "../../src/bytes/base58.ts";
import { Chain } from "../../src/chain/chain.ts";
import { addressOf } from "../../src/crypto/addresses.ts";
import type { KeyPair } from "../../src/crypto/signatures.ts";
import { customProfile } from "../../src/profiles/index.ts";
import { openStore } from "../../src/storage/store.ts";
import { buildTransaction } from "../../src/testing/build-transaction.ts";
import { SeededRandom } from "../../src/testing/seeded-random.ts";
import { silentLog } from "../../src/testing/silent-log.ts";
import { VirtualClock } from "../../src/testing/virtual-clock.ts";
import type { Transaction } from "../../src/transactions/index.ts";

/** As in `load`: about 300 a block, seven in ten transfers, fees as there. */
const PER_BLOCK = 300;
const TRANSFERS_IN_100 = 70;
const TRANSFER_FEE = 100_000_000n;
const ANCHOR_FEE = 35_000_000n;

interface RecordedAccount {
  readonly label: string;
  readonly publicKey: string;
  readonly privateKey: string;
}

function keyPairsOf(folder: string): { readonly forger: KeyPair; readonly others: readonly KeyPair[] } {
  const accounts = JSON.parse(readFileSync(join(folder, "accounts.json"), "utf8")) as RecordedAccount[];
  const keyPairs = accounts.map(({ label, publicKey, privateKey }) => ({
    label,
    keyPair: {
      keyType: "ed25519" as const,
      publicKey: decodeBase58(publicKey, 1_000),
      privateKey: decodeBase58(privateKey, 1_000),
    },
  }));
  const forger = keyPairs.find(({ label }) => label === "F1")?.keyPair;
  if (forger === undefined) throw new Error("There is no account F1");
  return {
    forger,
    others: keyPairs.filter(({ label }) => !/^F\d$/.test(label)).map(({ keyPair }) => keyPair),
  };
}

/**
 * Writes blocks 2, 3, … with at least so many transactions into a file. The same every time.
 * @param folder that of the recorded chain, with `genesis.json` and `accounts.json`
 */
export async function makeLongChain(folder: string, file: string, transactions: number): Promise<void> {
  const profile = customProfile(readFileSync(join(folder, "genesis.json"), "utf8"));
  const { forger, others } = keyPairsOf(folder);
  const random = new SeededRandom(1);
  const addresses = others.map(({ publicKey }) => addressOf(publicKey, profile.chainId));
  const make = (timestamp: bigint): Transaction => {
    const sender = random.pick(others);
    const common = { version: 3, sender, timestamp, chainId: profile.chainId };
    if (!random.chance(TRANSFERS_IN_100))
      return buildTransaction({
        ...common,
        type: 15,
        fee: ANCHOR_FEE,
        members: { anchors: [random.bytes(32)] },
      });
    const members = {
      recipient: random.pick(addresses),
      amount: BigInt(1 + random.below(100_000_000)),
      attachment: new Uint8Array(0),
    };
    return buildTransaction({ ...common, type: 4, fee: TRANSFER_FEE, members });
  };
  const home = mkdtempSync(join(tmpdir(), "holdfast-chain-"));
  const output = openSync(file, "w");
  const store = await openStore(join(home, "chain"), { network: "long", rollbackDepth: 100 });
  try {
    const clock = new VirtualClock(Number(profile.genesis.blockTimestamp));
    const chain = Chain.open({
      store,
      profile,
      indexes: [],
      clock,
      log: silentLog,
      options: { maxTransactionsInMicroBlock: 255, stopOnUnsupportedFeature: true },
    });
    const forgerAddress = addressOf(forger.publicKey, profile.chainId);
    for (let made = 0; made < transactions; ) {
      const balance = chain.forging.generatingBalance(forgerAddress);
      const delay = chain.forging.blockDelay(forger.publicKey, balance);
      const timestamp = chain.tip.keyBlock.timestamp + delay + 1_000n;
      clock.jump(Number(timestamp));
      // The first block comes without transactions, as in `load`.
      const count = chain.tip.height === 1 ? 0 : PER_BLOCK;
      const draft = chain.forging.draftBlock(forger.publicKey, timestamp, clock.now());
      const block = buildBlock(
        {
          ...draft,
          features: [],
          feeVote: 0,
          transactions: Array.from({ length: count }, (_, i) => make(timestamp - BigInt(count - i))),
        },
        forger,
      );
      // Signed a moment ago: there is nothing to check.
      const result = chain.accept(block, { signature: true, verdicts: () => true });
      if (!result.ok) throw new Error(result.refusal.printed);
      const bytes = blockBytes(block);
      const length = Buffer.alloc(4);
      length.writeInt32BE(bytes.length);
      writeSync(output, Buffer.concat([length, bytes]));
      made += count;
    }
  } finally {
    closeSync(output);
    await store.close();
    rmSync(home, { recursive: true, force: true });
  }
}

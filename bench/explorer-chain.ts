/** A chain of the development network with many blocks, for the explorer's benchmark. */
import { writeFileSync } from "node:fs";
import { addressOf, addressText } from "../src/crypto/addresses.ts";
import { dev } from "../src/profiles/index.ts";
import { memoryStore } from "../src/storage/memory-store.ts";
import { buildTransaction } from "../src/testing/build-transaction.ts";
import { keyPairOf, rootKeyPair } from "../src/testing/dev-node.ts";
import { forgeNext, openWorkshop } from "../test/support/long-chain.ts";

const FEE = 100_000_000n;

/**
 * Writes blocks 2, 3, … to a file in the format of `holdfast import`, with transfers spread over them.
 * @returns the recipient of all transfers
 */
export function writeDevChain(file: string, blocks: number, transfers: number): string {
  const { chainId } = dev;
  const workshop = openWorkshop(dev, memoryStore());
  const recipient = addressOf(keyPairOf("somebody").publicKey, chainId);
  const members = { recipient, amount: 12_345_678n, attachment: new Uint8Array(0) };
  const sender = rootKeyPair;
  const before = (block: number): number => Math.floor((block * transfers) / blocks);
  const output = Array.from({ length: blocks }, (_, i) => {
    const count = before(i + 1) - before(i);
    return forgeNext(workshop, rootKeyPair, (time) =>
      Array.from({ length: count }, (_, at) =>
        buildTransaction({ type: 4, sender, fee: FEE, timestamp: time - BigInt(at), chainId, members }),
      ),
    );
  });
  writeFileSync(file, Buffer.concat(output));
  return addressText(recipient);
}

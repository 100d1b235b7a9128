import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { addressOf } from "../../src/crypto/addresses.ts";
import { dev } from "../../src/profiles/index.ts";
import { memoryStore } from "../../src/storage/memory-store.ts";
import { buildTransaction } from "../../src/testing/build-transaction.ts";
import { rootKeyPair } from "../../src/testing/dev-node.ts";
import { SeededRandom } from "../../src/testing/seeded-random.ts";
import { forgeNext, openWorkshop } from "./long-chain.ts";
import { removeFolder, runCli } from "./node-process.ts";

/**
 * Imports a chain of the network `dev` into a new data directory.
 * @param transfers number of transfers in each block, from block 2
 * @param args flags of the import
 */
export async function importChain(
  dataDir: string,
  transfers: readonly number[],
  args: readonly string[] = [],
): Promise<void> {
  const random = new SeededRandom(1);
  const { chainId } = dev;
  const workshop = openWorkshop(dev, memoryStore());
  const blocks = transfers.map((count) =>
    forgeNext(workshop, rootKeyPair, (timestamp) =>
      Array.from({ length: count }, (_, i) =>
        buildTransaction({
          type: 4,
          version: 3,
          sender: rootKeyPair,
          fee: 100_000_000n,
          timestamp: timestamp - BigInt(count - i),
          chainId,
          members: {
            recipient: addressOf(random.bytes(32), chainId),
            amount: 1n,
            attachment: new Uint8Array(0),
          },
        }),
      ),
    ),
  );
  mkdirSync(dataDir, { recursive: true });
  const file = join(dataDir, "blocks.bin");
  writeFileSync(file, Buffer.concat(blocks));
  const { code, stderr } = await runCli(["import", file, "--data-dir", dataDir, ...args]);
  if (code !== 0) throw new Error(`The import ended with code ${code}: ${stderr}`);
  removeFolder(file);
}

/** Measures requests for hashes and identities, with a million anchors and 100,000 identities in the store. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { encodeBase58 } from "../src/bytes/base58.ts";
import { encodeHex } from "../src/bytes/hex.ts";
import { addressOf } from "../src/crypto/addresses.ts";
import { ed25519KeyPair } from "../src/crypto/native.ts";
import { typeOf } from "../src/testing/build-transaction.ts";
import { SeededRandom } from "../src/testing/seeded-random.ts";
import { writeChain } from "../test/support/long-chain.ts";
import { compareRoutes, withNode } from "./route-speed.ts";
import { inHome } from "./support.ts";

const VECTORS = process.env.HOLDFAST_VECTORS ?? fileURLToPath(new URL("../../test/vectors", import.meta.url));
const ANCHORS = 1_000_000;
const IDENTITIES = 100_000;
/** Maximum entries of a transaction of either kind. */
const IN_A_TRANSACTION = 100;
const TRANSACTIONS_A_BLOCK = 100;
const FEE = 10_000_000_000n;
/** Number of different requests of each kind, spread over the chain: more than the response cache holds. */
const SUBJECTS = 2_000;
/** Target: fraction of the bare route's speed. */
const WANTED = 0.6;

export function compareIndexRoutes(): Promise<boolean> {
  return inHome(async (home) => {
    const folder = join(VECTORS, "chains", "load");
    const blocks = join(home, "blocks.bin");
    const random = new SeededRandom(2);
    const hashes: string[] = [];
    const addresses: string[] = [];
    let made = 0;
    const total = (ANCHORS + IDENTITIES) / IN_A_TRANSACTION;
    await writeChain(
      folder,
      blocks,
      { transactions: total, perBlock: TRANSACTIONS_A_BLOCK },
      ({ profile }, build) => {
        made++;
        // One transaction in eleven registers identities.
        const isRegister = made % (1 + ANCHORS / IDENTITIES) === 0;
        const items = Array.from({ length: IN_A_TRANSACTION }, () => {
          const bytes = random.bytes(32);
          return isRegister ? ed25519KeyPair(bytes).publicKey : bytes;
        });
        const shown = made % Math.floor(total / SUBJECTS / 2) === 0 || isRegister;
        if (isRegister)
          for (const key of items.slice(0, 2)) addresses.push(encodeBase58(addressOf(key, profile.chainId)));
        else if (shown) hashes.push(encodeHex(items[0]));
        return isRegister
          ? build(typeOf("register"), FEE, {
              accounts: items.map((bytes) => ({ keyType: "ed25519", bytes })),
            })
          : build(typeOf("anchor"), FEE, { anchors: items });
      },
    );
    let isWell = true;
    await withNode(home, { genesis: join(folder, "genesis.json"), blocks }, async (node) => {
      isWell = await compareRoutes(home, node, [
        {
          route: "/hash/:hash",
          urls: hashes.slice(0, SUBJECTS).map((hash) => `/hash/${hash}`),
          wanted: WANTED,
        },
        {
          route: "/identities/:address",
          urls: addresses.slice(0, SUBJECTS).map((address) => `/identities/${address}`),
          wanted: WANTED,
        },
      ]);
    });
    return isWell;
  });
}

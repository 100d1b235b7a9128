/** ed25519 verifications a second: the limit that the other figures are held against. */
import { createPublicKey, verify as nodeVerify } from "node:crypto";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { accountSeed, keyPairFromAccountSeed } from "../src/crypto/seeds.ts";
import { sign, verify } from "../src/crypto/signatures.ts";
import { compare, print, rate } from "./support.ts";

/** Signed messages of the length of a transfer, from as many keys as a busy block has. */
const cases = Array.from({ length: 256 }, (_, index) => {
  const keys = keyPairFromAccountSeed(accountSeed(new TextEncoder().encode("bench"), index));
  const message = new Uint8Array(120).fill(index);
  const publicKey = createPublicKey({
    key: { kty: "OKP", crv: "Ed25519", x: Buffer.from(keys.publicKey).toString("base64url") },
    format: "jwk",
  });
  return {
    key: { keyType: "ed25519" as const, bytes: keys.publicKey },
    publicKey,
    message,
    signature: sign(keys, message),
  };
});

let next = 0;
function nextCase() {
  next = (next + 1) % cases.length;
  return cases[next] as (typeof cases)[number];
}

const ms = 300;
const workers = availableParallelism();
const pool = await Promise.all(
  Array.from({ length: workers }, async () => {
    const worker = new Worker(new URL("./verify-worker.js", import.meta.url), { workerData: { ms } });
    await once(worker, "message");
    return worker;
  }),
);

const standings = await compare(
  [
    {
      name: "node:crypto, one core, key objects cached",
      measure: () =>
        rate(() => {
          const { publicKey, message, signature } = nextCase();
          if (!nodeVerify(null, message, publicKey, signature))
            throw new Error("A good signature was refused");
        }, ms),
    },
    {
      name: "holdfast, one core",
      measure: () =>
        rate(() => {
          const { key, message, signature } = nextCase();
          if (!verify(key, message, signature)) throw new Error("A good signature was refused");
        }, ms),
    },
    {
      name: `holdfast, ${workers} workers`,
      measure: async () => {
        const rates = await Promise.all(
          pool.map(async (worker) => {
            worker.postMessage("go");
            const [figure] = await once(worker, "message");
            return figure as number;
          }),
        );
        return rates.reduce((sum, figure) => sum + figure, 0);
      },
    },
  ],
  9,
);
print(standings, "verifications/s");
for (const worker of pool) await worker.terminate();

/** ed25519 verifications per second: the baseline of the other benchmarks. */
import { createPublicKey, verify as nodeVerify } from "node:crypto";
import { availableParallelism } from "node:os";
import { accountSeed, keyPairFromAccountSeed } from "../src/crypto/seeds.ts";
import { sign, verify } from "../src/crypto/signatures.ts";
import { report } from "./figures.ts";
import { compare, print, rate, verifiers } from "./support.ts";

/** Signed messages with the length of a transfer, from as many keys as a busy block has. */
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
const all = await verifiers(workers, ms);

const standings = await compare(
  [
    {
      name: "node:crypto, one core, key objects cached",
      measure: () =>
        rate(() => {
          const { publicKey, message, signature } = nextCase();
          if (!nodeVerify(null, message, publicKey, signature))
            throw new Error("A valid signature was rejected");
        }, ms),
    },
    {
      name: "holdfast, one core",
      measure: () =>
        rate(() => {
          const { key, message, signature } = nextCase();
          if (!verify(key, message, signature)) throw new Error("A valid signature was rejected");
        }, ms),
    },
    {
      name: `holdfast, ${workers} workers`,
      measure: all.measure,
    },
  ],
  9,
);
print(standings, "verifications/s");
for (const { name, median, ratio } of standings.slice(1))
  report(
    `ed25519 verifications of ${name}, against node:crypto on one core`,
    ratio,
    "times",
    undefined,
    `${Math.round(median).toLocaleString("en")} per second`,
  );
await all.close();

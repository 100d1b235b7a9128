/** Verifies signatures for a while on each request, on its own core. */
import { parentPort, workerData } from "node:worker_threads";
import { accountSeed, keyPairFromAccountSeed } from "../src/crypto/seeds.ts";
import { sign, verify } from "../src/crypto/signatures.ts";
import { rate } from "./support.ts";

const { ms } = workerData as { ms: number };
const keys = keyPairFromAccountSeed(accountSeed(new TextEncoder().encode("bench worker"), 0));
const key = { keyType: "ed25519" as const, bytes: keys.publicKey };
const message = new Uint8Array(120);
const signature = sign(keys, message);

parentPort?.on("message", () => {
  parentPort?.postMessage(
    rate(() => {
      if (!verify(key, message, signature)) throw new Error("A valid signature was rejected");
    }, ms),
  );
});
parentPort?.postMessage("ready");

/**
 * Compares verifications per second of a transaction whose sender has the usual signature script with the bare check of
 * the same signature.
 */

import { addressOf } from "../src/crypto/addresses.ts";
import { accountSeed, keyPairFromAccountSeed } from "../src/crypto/seeds.ts";
import { verify } from "../src/crypto/signatures.ts";
import { compileScript, evaluateScript, parseScript, storedScript } from "../src/script/index.ts";
import {
  bodyBytes,
  scriptView,
  signTransaction,
  type TransferTransaction,
} from "../src/transactions/index.ts";
import { report } from "./figures.ts";
import { compare, print, rate } from "./support.ts";

const chainId = 0x54;
const ms = 300;

/** Signed transfers of different senders. */
const cases = Array.from({ length: 256 }, (_, index) => {
  const keys = keyPairFromAccountSeed(accountSeed(new TextEncoder().encode("bench"), index));
  const transfer: TransferTransaction = {
    type: 4,
    version: 3,
    chainId,
    timestamp: BigInt(index),
    sender: { keyType: "ed25519", bytes: keys.publicKey },
    senderAddress: addressOf(keys.publicKey, chainId),
    fee: 100_000_000n,
    proofs: [],
    recipient: addressOf(new Uint8Array(32).fill(index), chainId),
    amount: 1n,
    attachment: new Uint8Array(0),
  };
  const transaction = signTransaction(transfer, keys);
  return { transaction, seen: scriptView(transaction), body: bodyBytes(transaction) };
});

const compiled = compileScript("sigVerify(tx.bodyBytes, tx.proofs[0], tx.senderPublicKey)");
if (!compiled.ok) throw new Error(compiled.error);
const { value: script } = compiled;

let next = 0;
function nextCase() {
  next = (next + 1) % cases.length;
  return cases[next] as (typeof cases)[number];
}

const standings = await compare(
  [
    {
      name: "the signature alone",
      measure: () =>
        rate(() => {
          const { transaction, body } = nextCase();
          const [proof] = transaction.proofs;
          if (!verify(transaction.sender, body, proof)) throw new Error("A valid signature was rejected");
        }, ms),
    },
    {
      name: "sigVerify script",
      measure: () =>
        rate(() => {
          const verdict = evaluateScript(script, { transaction: nextCase().seen, height: 1, chainId });
          if (verdict.outcome !== "allowed") throw new Error(`The script's verdict: ${verdict.outcome}`);
        }, ms),
    },
    {
      name: "sigVerify script, read from its bytes",
      measure: () =>
        rate(() => {
          const stored = storedScript(script.bytes);
          const verdict = evaluateScript(stored, { transaction: nextCase().seen, height: 1, chainId });
          if (verdict.outcome !== "allowed") throw new Error(`The script's verdict: ${verdict.outcome}`);
        }, ms),
    },
  ],
  15,
);
print(standings, "verifications/s");
for (const { name, ratio } of standings.slice(1)) report(`${name}, against the bare check`, 100 * ratio, "%");

const reading = await compare(
  [{ name: "reading and checking that script", measure: () => rate(() => parseScript(script.bytes), ms) }],
  5,
);
print(reading, "scripts/s");

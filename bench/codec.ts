/**
 * Compares parsing and serializing a transaction, per type, with one ed25519 verification in the same run. Target for a
 * transfer: a twentieth of a verification.
 */
import fc from "fast-check";
import { keyPairFromSeed } from "../src/crypto/seeds.ts";
import { verify } from "../src/crypto/signatures.ts";
import {
  bodyBytes,
  copyTransaction,
  definitions,
  parseTransaction,
  signTransaction,
  type Transaction,
  transactionBytes,
} from "../src/transactions/index.ts";
import { transactionArbitrary } from "../src/transactions/testing/arbitrary.ts";
import { report } from "./figures.ts";
import { type Contender, compare, rate } from "./support.ts";

const network = { chainId: 0x54, payment: true };
const keyPair = keyPairFromSeed(new TextEncoder().encode("bench"));
const sender = { keyType: keyPair.keyType, bytes: keyPair.publicKey };
const SAMPLES = 256;
const ms = 60;

/** Like most transactions: one signature, no sponsor. */
function samples(type: number, version: number): Transaction[] {
  const choice = { network, types: [type], versions: [version], senders: [sender] };
  return fc
    .sample(transactionArbitrary(choice), { seed: type * 10 + version, numRuns: SAMPLES })
    .map((tx) =>
      type === 1 ? tx : signTransaction(copyTransaction(tx, { sponsor: undefined, proofs: [] }), keyPair),
    );
}

function contender(
  name: string,
  transactions: readonly Transaction[],
  task: (tx: Transaction) => void,
): Contender {
  let next = 0;
  return {
    name,
    measure: () =>
      rate(() => {
        next = (next + 1) % transactions.length;
        task(transactions[next] as Transaction);
      }, ms),
  };
}

const verification = contender("one ed25519 verification", samples(4, 3), (tx) => {
  if (!verify(tx.sender, bodyBytes(tx), tx.proofs[0] as Uint8Array))
    throw new Error("A valid signature was rejected");
});

const contenders = definitions.flatMap(({ type, name, layouts }) =>
  [...layouts.keys()].map((version) => {
    const encoded = new Map(samples(type, version).map((tx) => [tx, transactionBytes(tx)]));
    return contender(`${name} ${version}`, [...encoded.keys()], (tx) => {
      transactionBytes(parseTransaction(encoded.get(tx) as Uint8Array, network));
    });
  }),
);

for (const { name, median, ratio } of await compare([verification, ...contenders], 9)) {
  const ns = Math.round(1e9 / median).toLocaleString("en");
  console.log(`${name.padEnd(28)} ${ns.padStart(10)} ns   1/${ratio.toFixed(1)} of a verification`);
  if (name === "transfer 3")
    report(
      "a transfer read and written, in times per verification",
      ratio,
      "times",
      { atLeast: 20 },
      `${ns} ns each`,
    );
}

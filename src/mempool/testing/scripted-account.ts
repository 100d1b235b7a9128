/** A node of the dev network with a scripted account. */
import { expect } from "vitest";
import { addressOf } from "../../crypto/addresses.ts";
import { dev } from "../../profiles/index.ts";
import { compileScript, type Script } from "../../script/index.ts";
import { buildTransaction } from "../../testing/build-transaction.ts";
import { DevNode, keyPairOf, rootKeyPair } from "../../testing/dev-node.ts";
import type { Transaction } from "../../transactions/index.ts";
import { Mempool, type PoolOptions } from "../mempool.ts";

const { chainId } = dev;
const LTO = 100_000_000n;
export const owner = keyPairOf("owner");
export const options: PoolOptions = {
  maxTransactions: 100,
  maxBytes: 100_000,
  maxAgeMs: 5_400_000,
  blacklist: [],
  allowTransfersTo: [],
};
export const ownerAddress = addressOf(owner.publicKey, chainId);

function compiled(source: string): Script {
  const result = compileScript(source);
  if (!result.ok) throw new Error(result.error);
  return result.value;
}

/** Returns script text that hashes parts of 64 KiB, about 0.2 ms each. */
export function hashes(count: number): string {
  const doubled = Array.from({ length: 11 }, (_, i) => `let m${i + 1} = m${i} + m${i}`);
  const terms = Array.from({ length: count }, (_, i) => `size(keccak256(drop(m11, ${i}))) == 32`);
  return ["let m0 = tx.id", ...doubled, `let work = ${terms.join(" && ")}`].join("\n");
}

/** Starts a forging node, and gives the account `owner` money and a script. */
export function nodeWith(source: string): DevNode {
  const node = new DevNode();
  node.forger.start();
  node.clock.advance(10_000);
  const send = (sender: typeof owner, type: number, members: Record<string, unknown>): void => {
    const timestamp = node.clock.now();
    const transaction = buildTransaction({ type, sender, fee: 10n * LTO, timestamp, chainId, members });
    expect(node.pool.add(transaction)).toEqual({ ok: true, value: { added: true } });
    node.clock.advance(200);
  };
  const attachment = new Uint8Array(0);
  send(rootKeyPair, 4, { recipient: ownerAddress, amount: 10_000n * LTO, attachment });
  send(owner, 13, { script: compiled(source).bytes });
  expect(node.pool.size).toBe(0);
  return node;
}

let lastAmount = 0n;

export function transfer(node: DevNode, sender = owner): Transaction {
  return buildTransaction({
    type: 4,
    sender,
    fee: LTO,
    timestamp: node.clock.now(),
    chainId,
    members: { recipient: ownerAddress, amount: ++lastAmount, attachment: new Uint8Array(0) },
  });
}

/** Returns a second pool on the node's chain, from which the forger packs nothing. */
export function poolBeside(node: DevNode): Mempool {
  return new Mempool(node.chain, node.clock, options);
}

import fc from "fast-check";
import { signAnnouncement } from "../../blocks/announcement.ts";
import { blockBytes, buildBlock } from "../../blocks/block.ts";
import { buildMicroBlock, microBlockBytes } from "../../blocks/micro-block.ts";
import { signCheckpoint } from "../../blocks/testing/sign-checkpoint.ts";
import { ipText } from "../../bytes/ip.ts";
import { keyPairFromSeed } from "../../crypto/seeds.ts";
import { transactionBytes } from "../../transactions/index.ts";
import { transactionArbitrary } from "../../transactions/testing/arbitrary.ts";
import type { PeerAddress } from "../peer-address.ts";
import type { Handshake } from "./handshake.ts";
import type { Message } from "./messages.ts";

const network = { chainId: 90, payment: true };
const keys = keyPairFromSeed(Uint8Array.of(1));

const bytesOf = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const id = bytesOf(64);
const ids = fc.array(id, { maxLength: 200 });
const int32 = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const port = fc.integer({ min: 0, max: 65_535 });
const transaction = transactionArbitrary({ network });

function address(ipLength: number): fc.Arbitrary<PeerAddress> {
  return fc.record({ host: bytesOf(ipLength).map(ipText), port });
}

const block = fc
  .record({
    timestamp: int64,
    reference: id,
    baseTarget: int64,
    generationSignature: bytesOf(32),
    transactions: fc.array(transaction, { maxLength: 3 }),
    features: fc.array(fc.integer({ min: -32_768, max: 32_767 }), { maxLength: 8 }),
    feeVote: fc.integer({ min: -128, max: 127 }),
  })
  .map((template) => buildBlock({ ...template, version: 4 }, keys));

const microBlock = fc
  .tuple(block, fc.array(transaction, { minLength: 1, maxLength: 3 }))
  .map(([base, transactions]) => buildMicroBlock(base, transactions, keys).micro);

export const messageArbitrary: fc.Arbitrary<Message> = fc.oneof(
  fc.constant({ type: "GetPeers" as const }),
  fc.record({ type: fc.constant("Peers" as const), addresses: fc.array(address(4), { maxLength: 1_000 }) }),
  fc.record({ type: fc.constant("GetSignatures" as const), ids }),
  fc.record({ type: fc.constant("Signatures" as const), ids }),
  fc.record({ type: fc.constant("GetBlock" as const), id }),
  block.map((value) => ({ type: "Block" as const, bytes: blockBytes(value) })),
  fc.record({ type: fc.constant("Score" as const), score: fc.bigInt({ min: 0n, max: 2n ** 511n - 1n }) }),
  transaction.map((value) => ({ type: "Transaction" as const, bytes: transactionBytes(value) })),
  microBlock.map((micro) => ({
    type: "MicroBlockInv" as const,
    announcement: signAnnouncement(micro, keys, network.chainId),
  })),
  fc.record({ type: fc.constant("MicroBlockRequest" as const), id }),
  microBlock.map((micro) => ({ type: "MicroBlockResponse" as const, bytes: microBlockBytes(micro) })),
  fc.array(fc.record({ height: int32, id }), { maxLength: 9 }).map((items) => ({
    type: "Checkpoint" as const,
    checkpoint: signCheckpoint(items, keys),
  })),
);

/** At most 127 bytes of UTF-8. */
const name = fc.string({ unit: "binary", maxLength: 31 });

export const handshakeArbitrary: fc.Arbitrary<Handshake> = fc.record({
  applicationName: name,
  version: fc.record({ major: int32, minor: int32, patch: int32 }),
  nodeName: name,
  nonce: int64,
  declaredAddress: fc.option(fc.oneof(address(4), address(16)), { nil: undefined }),
  time: int64,
});

export function pieces(bytes: Uint8Array): fc.Arbitrary<Uint8Array[]> {
  return fc.array(fc.nat(bytes.length), { maxLength: 20 }).map((cuts) => {
    const ends = [...cuts, bytes.length].sort((a, b) => a - b);
    return ends.map((end, i) => bytes.slice(i === 0 ? 0 : ends[i - 1], end));
  });
}

/** Habits of liars that claim scores: with worthless branches, or without blocks. */
import { type Block, blockBytes, buildBlock } from "../../../src/blocks/block.ts";
import { bytesKey } from "../../../src/bytes/compare.ts";
import { keyPairFromSeed } from "../../../src/crypto/seeds.ts";
import { phantom } from "../../../src/testing/forged-blocks.ts";
import { MAX_ROLLBACK } from "../table.ts";
import { branchTemplate } from "./forgery.ts";
import type { Habit, Liar } from "./liar.ts";

const SECOND = 1_000;
/** A single block, even if valid, does not outweigh this many. */
const MIN_DEPTH = 4;

/** Claims a score that no chain has, to all peers. */
function claim(liar: Liar): void {
  const score = liar.options.spy()?.chain.tip.score ?? 0n;
  const claimed = score + (1n << 64n) + BigInt(liar.random.below(1_000_000));
  for (const end of liar.ends) end.send({ type: "Score", score: claimed });
}

/**
 * Creates a fork some blocks below the tip that declares the claimed score.
 * @param make returns the fork's blocks on top of one of the node's blocks, oldest first
 */
function showing(name: string, make: (liar: Liar, reference: Uint8Array) => readonly Block[]): Habit {
  const blocks = new Map<string, Block>();
  return {
    name,
    everyMs: 8 * SECOND,
    act: claim,
    answer(liar, end, message) {
      if (message.type === "GetSignatures") {
        const back = MIN_DEPTH + liar.random.below(MAX_ROLLBACK - MIN_DEPTH);
        const reference = message.ids.at(Math.min(back, message.ids.length - 1));
        if (reference === undefined || message.ids.length <= MIN_DEPTH) return;
        const shown = make(liar, reference);
        for (const block of shown) blocks.set(bytesKey(block.signature), block);
        liar.log(`shows a fork from ${back} blocks back`);
        end.send({ type: "Signatures", ids: [reference, ...shown.map(({ signature }) => signature)] });
      } else if (message.type === "GetBlock") {
        const block = blocks.get(bytesKey(message.id));
        if (block !== undefined) end.send({ type: "Block", bytes: blockBytes(block) });
      }
    },
  };
}

/** A block of a key without stake that claims its declared score. */
function phantomBlock(liar: Liar, reference: Uint8Array, timestamp: bigint, keyPair = liar.keyPair): Block {
  const block = phantom(reference, timestamp, keyPair, liar.random);
  liar.options.phantom(block.signature);
  return block;
}

/** One block of an unknown key. */
const phantomForks = (): Habit =>
  showing("forks with phantoms", (liar, reference) => {
    const stranger = keyPairFromSeed(liar.random.bytes(32));
    return [phantomBlock(liar, reference, BigInt(liar.now()), stranger)];
  });

/** A block that the liar's stake allows, followed by blocks that it does not allow. */
const halfTrueForks = (): Habit =>
  showing("forks with one true block", (liar, reference) => {
    const { keyPair, options } = liar;
    const node = options.spy();
    const template = node && branchTemplate(node, reference, keyPair, liar.now());
    const shown: Block[] = template === undefined ? [] : [buildBlock(template, keyPair)];
    for (let i = liar.random.below(3); i >= 0; i--) {
      const parent = shown.at(-1);
      const timestamp = parent === undefined ? BigInt(liar.now()) : parent.timestamp + 6_000n;
      shown.push(phantomBlock(liar, parent?.signature ?? reference, timestamp));
    }
    return shown;
  });

/**
 * Raises its claim every few seconds without sending blocks: it does not answer, or answers that there is nothing new.
 */
const claims = (): Habit => {
  let isSilent: boolean | undefined;
  return {
    name: "claims scores",
    everyMs: 4 * SECOND,
    act: claim,
    answer(liar, end, message) {
      isSilent ??= liar.random.chance(50);
      if (message.type === "GetSignatures" && !isSilent)
        end.send({ type: "Signatures", ids: message.ids.slice(0, 1) });
    },
  };
};

export const claimants: readonly (() => Habit)[] = [phantomForks, halfTrueForks, claims];

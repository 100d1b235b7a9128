/** The habits of liars. Each habit is one kind of misbehaviour at random moments. */
import { signAnnouncement } from "../../../src/blocks/announcement.ts";
import { type Block, blockBytes, buildBlock } from "../../../src/blocks/block.ts";
import { buildMicroBlock, type MicroBlock, microBlockBytes } from "../../../src/blocks/micro-block.ts";
import { bytesKey } from "../../../src/bytes/compare.ts";
import { encodeFrame } from "../../../src/peers/wire/frame.ts";
import type { Message, ReceivedMessage } from "../../../src/peers/wire/messages.ts";
import { transactionBytes } from "../../../src/transactions/index.ts";
import {
  childTemplate,
  faults,
  faulty,
  foreignMicroBlock,
  overspending,
  spoiled,
  untilDue,
} from "./forgery.ts";
import type { Habit, Liar } from "./liar.ts";
import { claimants } from "./phantoms.ts";
import type { WireEnd } from "./wire-end.ts";

const SECOND = 1_000;

const toAll = (liar: Liar, message: Message): void => {
  for (const end of liar.ends) end.send(message);
};

/** Bytes that are not a message, or a corrupted message. */
const garbage = (): Habit => ({
  name: "sends garbage",
  everyMs: 4 * SECOND,
  act(liar) {
    const { random } = liar;
    const end = random.pick(liar.ends);
    const frame = encodeFrame({ type: "Score", score: BigInt(random.below(1_000_000)) });
    end.sendBytes(random.chance(50) ? random.bytes(1 + random.below(500)) : spoiled(frame, random));
  },
});

/** Many requests and transactions at once, most of them useless. */
const flood = (): Habit => ({
  name: "floods",
  everyMs: 2 * SECOND,
  act(liar) {
    const { random, keyPair, options } = liar;
    const invalid = transactionBytes(overspending(keyPair, options.chainId, liar.now()));
    const tip = options.spy()?.chain.tip.id ?? random.bytes(64);
    const messages: readonly (() => Message)[] = [
      () => ({ type: "GetPeers" }),
      () => ({ type: "GetBlock", id: random.chance(50) ? tip : random.bytes(64) }),
      () => ({ type: "GetSignatures", ids: [tip] }),
      () => ({ type: "MicroBlockRequest", id: random.chance(50) ? tip : random.bytes(64) }),
      () => ({ type: "Transaction", bytes: invalid }),
      () => ({ type: "Score", score: BigInt(random.below(1_000_000)) }),
      () => ({ type: "Signatures", ids: [random.bytes(64)] }),
    ];
    const end = random.pick(liar.ends);
    const kind = random.pick(messages);
    for (let i = random.below(200); i >= 0; i--)
      end.send(random.chance(80) ? kind() : random.pick(messages)());
  },
});

/** Claims a score that no chain has. On request it then sends nothing, unknown ids, or invalid blocks. */
function boast(): Habit {
  const blocks = new Map<string, Block>();
  /** The real tip, followed by blocks that are invalid from some point on. */
  const branch = (liar: Liar, known: readonly Uint8Array[]): readonly Uint8Array[] => {
    const { random, keyPair, options } = liar;
    const node = options.spy();
    if (node === undefined || known.length === 0) return [];
    const parent = known[random.below(Math.min(known.length, 4))];
    const now = liar.now();
    const ids = [parent];
    let template = { ...childTemplate(node, keyPair, now), reference: parent };
    for (let length = 1 + random.below(4); length > 0; length--) {
      const facts = { chainId: options.chainId, random, now };
      const block = random.chance(30)
        ? buildBlock(template, keyPair)
        : faulty(template, random.pick(faults), keyPair, facts);
      blocks.set(bytesKey(block.signature), block);
      ids.push(block.signature);
      template = { ...template, timestamp: template.timestamp + 6_000n, reference: block.signature };
    }
    return ids;
  };
  return {
    name: "boasts",
    everyMs: 6 * SECOND,
    act(liar) {
      const score = liar.options.spy()?.chain.tip.score ?? 0n;
      toAll(liar, { type: "Score", score: score * 2n + BigInt(liar.random.below(1_000_000)) });
    },
    answer(liar, end, message) {
      const { random } = liar;
      if (message.type === "GetSignatures") {
        const { ids } = message;
        const way = random.below(10);
        if (way < 2) return;
        liar.log(`answers with ${way < 4 ? "nothing" : way < 6 ? "ids of no block" : "a branch"}`);
        const unknown = [...ids.slice(0, 1), random.bytes(64), random.bytes(64)];
        end.send({ type: "Signatures", ids: way < 4 ? [] : way < 6 ? unknown : branch(liar, ids) });
      } else if (message.type === "GetBlock") {
        const block = blocks.get(bytesKey(message.id));
        if (block !== undefined && random.chance(90)) end.send({ type: "Block", bytes: blockBytes(block) });
      }
    },
  };
}

/** Sends unrequested blocks, which are invalid or from another place of the chain. */
const push = (): Habit => ({
  name: "pushes bad blocks",
  everyMs: 5 * SECOND,
  act(liar) {
    const { random, keyPair, options } = liar;
    const node = options.spy();
    if (node === undefined) return;
    const now = liar.now();
    const template = childTemplate(node, keyPair, now);
    const reference = random.chance(20) ? node.chain.tip.keyBlock.reference : template.reference;
    const facts = { chainId: options.chainId, random, now };
    const block = faulty({ ...template, reference }, random.pick(faults), keyPair, facts);
    toAll(liar, { type: "Block", bytes: blockBytes(block) });
  },
});

/** Announces micro blocks that do not exist or are invalid. Nodes request the first announcement at each position. */
function whisper(): Habit {
  let micro: MicroBlock | undefined;
  return {
    name: "announces bad micro blocks",
    everyMs: 3 * SECOND,
    act(liar) {
      const { random, keyPair, options } = liar;
      const node = options.spy();
      if (node === undefined) return;
      micro = foreignMicroBlock(node, keyPair, options.chainId, liar.now());
      const announcement = signAnnouncement(micro, keyPair, options.chainId);
      const signature = random.chance(20) ? spoiled(announcement.signature, random) : announcement.signature;
      toAll(liar, { type: "MicroBlockInv", announcement: { ...announcement, signature } });
    },
    answer(liar, end, message: ReceivedMessage) {
      const { random } = liar;
      if (message.type !== "MicroBlockRequest" || micro === undefined || random.chance(40)) return;
      const signature = random.chance(30) ? spoiled(micro.signature, random) : micro.signature;
      end.send({ type: "MicroBlockResponse", bytes: microBlockBytes({ ...micro, signature }) });
    },
  };
}

/**
 * Forges when it may, and sends different blocks to different nodes; or announces a block and sends it late or never.
 */
function twins(): Habit {
  let forgedUpon = "";
  const blocks = new Map<string, Block>();
  const micros = new Map<string, MicroBlock>();
  /** Sends one micro block to some peers and a different one to the others. */
  const microTwins = (liar: Liar, block: Block): void => {
    const { random, keyPair, options } = liar;
    for (const end of liar.ends) {
      const serial = random.below(3);
      const transaction = random.chance(30)
        ? overspending(keyPair, options.chainId, liar.now() + serial)
        : options.transaction();
      const { micro } = buildMicroBlock(block, [transaction], keyPair);
      micros.set(bytesKey(micro.totalSignature), micro);
      end.send({ type: "MicroBlockInv", announcement: signAnnouncement(micro, keyPair, options.chainId) });
    }
  };
  const tell = (liar: Liar, end: WireEnd, block: Block): void => {
    if (liar.random.chance(60)) end.send({ type: "Block", bytes: blockBytes(block) });
    const score = (liar.options.spy()?.chain.tip.score ?? 0n) + (1n << 64n) / block.baseTarget;
    end.send({ type: "Score", score });
  };
  return {
    name: "forges twins",
    everyMs: SECOND,
    act(liar) {
      const { random, keyPair, options } = liar;
      const node = options.spy();
      if (node === undefined) return;
      const now = liar.now();
      const upon = bytesKey(node.chain.tip.keyBlock.id);
      if (upon === forgedUpon || untilDue(node, keyPair, options.chainId, now) > 0) return;
      forgedUpon = upon;
      const template = childTemplate(node, keyPair, now);
      const pair = [0, 1].map((feeVote) => buildBlock({ ...template, feeVote }, keyPair));
      for (const block of pair) blocks.set(bytesKey(block.signature), block);
      liar.log(`forged twins at ${node.chain.tip.height + 1}`);
      for (const end of liar.ends) {
        const block = random.pick(pair);
        if (random.chance(70)) tell(liar, end, block);
        else liar.later(random.below(30 * SECOND), () => tell(liar, end, block));
      }
      liar.later(3 * SECOND, () => microTwins(liar, random.pick(pair)));
    },
    answer(liar, end, message) {
      if (message.type === "GetBlock") {
        const block = blocks.get(bytesKey(message.id));
        if (block !== undefined) end.send({ type: "Block", bytes: blockBytes(block) });
      } else if (message.type === "GetSignatures") {
        const block = [...blocks.values()].findLast(({ reference }) =>
          message.ids.some((id) => bytesKey(id) === bytesKey(reference)),
        );
        if (block !== undefined) end.send({ type: "Signatures", ids: [block.reference, block.signature] });
      } else if (message.type === "MicroBlockRequest") {
        const micro = micros.get(bytesKey(message.id));
        if (micro !== undefined && liar.random.chance(80))
          end.send({ type: "MicroBlockResponse", bytes: microBlockBytes(micro) });
      }
    },
  };
}

export const habits: readonly (() => Habit)[] = [garbage, flood, boast, push, whisper, twins, ...claimants];

/** Attacks by peers, by kind. Each attacker uses its own address, since a ban applies to an address. */
import { signAnnouncement } from "../src/blocks/announcement.ts";
import { type Block, blockBytes, buildBlock } from "../src/blocks/block.ts";
import type { MicroBlock } from "../src/blocks/micro-block.ts";
import { decodeBase58, encodeBase58 } from "../src/bytes/base58.ts";
import { bytesKey } from "../src/bytes/compare.ts";
import { hitSourceHeight } from "../src/consensus/proof-of-stake.ts";
import { keyPairFromSeed } from "../src/crypto/seeds.ts";
import type { KeyPair } from "../src/crypto/signatures.ts";
import type { Received } from "../src/peers/wire/connection-decoder.ts";
import { dev } from "../src/profiles/index.ts";
import { earliestChild, phantom } from "../src/testing/forged-blocks.ts";
import { CHAIN_ID, LTO, SMALL_STAKE_LTO, smallStakeKeys } from "./attack-setup.ts";
import { ask, count, crowd, freshAddress, isOver, p2pPort, random, read, rest } from "./attack-tools.ts";
import { WirePeer } from "./wire-peer.ts";

/** Depth below the tip at which forks begin, in blocks. */
const MIN_FORK_DEPTH = 20;
const MAX_FORK_DEPTH = 100;
/** Concurrent attackers, so that another one is connected when one is banned. */
const LIARS = 4;
/** Time before a banned attacker is replaced, s. */
const PAUSE_S = 1;
/** Maximum time that an attacker stays connected, s. */
const VISIT_S = 30;
/** Concurrent peers in attacks where all do the same. */
const PEERS = 25;

/**
 * Connects from an address. @param hear called with each message of the node @returns undefined if the node rejected it
 */
async function come(
  from: string,
  hear: (message: Received, peer: WirePeer) => void = () => {},
): Promise<WirePeer | undefined> {
  let come: WirePeer | undefined;
  try {
    come = await WirePeer.to(
      p2pPort,
      (message) => {
        if (come !== undefined) hear(message, come);
      },
      from,
    );
    count("taken in");
    return come;
  } catch {
    // The node refused the connection, or closed it before the handshake.
    count("turned away");
    return undefined;
  }
}

/** Stays until the node closes the connection, or for the given number of seconds. */
async function stay(peer: WirePeer, seconds: number): Promise<void> {
  const end = performance.now() + seconds * 1_000;
  while (!peer.isClosed && performance.now() < end && !isOver()) await rest(0.05);
  if (peer.isClosed) count("put out");
  peer.close();
}

const randomKeys = (): KeyPair => keyPairFromSeed(random.bytes(32));
const claim = (): bigint => (1n << 80n) + BigInt(random.below(2 ** 30));

interface HeaderJson {
  readonly version: number;
  readonly timestamp: number;
  readonly "nxt-consensus": { readonly "base-target": number; readonly "generation-signature": string };
}

/** The block that the account with the small stake may forge on top of a block of the chain. */
async function smallStakeBlock(common: Uint8Array): Promise<Block> {
  const header = (height: number): Promise<HeaderJson> => read(`/blocks/headers/at/${height}`);
  const source = ({ "nxt-consensus": consensus }: HeaderJson): Uint8Array =>
    decodeBase58(consensus["generation-signature"], 100);
  const { height } = await read<{ height: number }>(`/blocks/height/${encodeBase58(common)}`);
  const keys = smallStakeKeys();
  const parent = await header(height);
  const template = earliestChild(
    {
      reference: common,
      version: parent.version,
      timestamp: BigInt(parent.timestamp),
      baseTarget: BigInt(parent["nxt-consensus"]["base-target"]),
      generationSignature: source(parent),
      hitSource: source(await header(hitSourceHeight(height))),
      greatGrandparentTimestamp: BigInt((await header(height - 2)).timestamp),
      averageBlockDelaySeconds: dev.genesis.averageBlockDelaySeconds,
    },
    keys.publicKey,
    BigInt(SMALL_STAKE_LTO) * BigInt(LTO),
  );
  return buildBlock(template, keys);
}

/**
 * Connects an attacker that claims a score and sends a branch on request. @param branch blocks on top of one of our
 * ids, newest first
 */
async function showBranch(branch: (ids: readonly Uint8Array[]) => Promise<readonly Block[]>): Promise<void> {
  const blocks = new Map<string, Block>();
  const answer = async (message: Received, peer: WirePeer): Promise<void> => {
    if (message.type === "GetSignatures") {
      const shown = await branch(message.ids);
      for (const block of shown) blocks.set(bytesKey(block.signature), block);
      count("branches shown");
      const ids = [shown[0]?.reference ?? random.bytes(64), ...shown.map(({ signature }) => signature)];
      await peer.say({ type: "Signatures", ids });
    } else if (message.type === "GetBlock") {
      const block = blocks.get(bytesKey(message.id));
      if (block !== undefined) await peer.say({ type: "Block", bytes: blockBytes(block) });
    }
  };
  // Sequential: each message waits for room in the socket's buffer.
  let answered = Promise.resolve();
  const peer = await come(freshAddress(), (message, from) => {
    answered = answered.then(() => answer(message, from)).catch(() => count("answers given up"));
  });
  if (peer !== undefined) {
    await peer.say({ type: "Score", score: claim() });
    await stay(peer, VISIT_S);
  }
  await rest(PAUSE_S);
}

/** Returns an id from this many blocks below the tip. */
function commonOf(
  ids: readonly Uint8Array[],
  back = MIN_FORK_DEPTH + random.below(MAX_FORK_DEPTH - MIN_FORK_DEPTH),
): Uint8Array {
  return ids[Math.min(back, ids.length - 1)] ?? random.bytes(64);
}

export const peerKinds: Readonly<Record<string, () => Promise<void>>> = {
  /** One block of a key without stake, at the maximum fork depth. */
  "phantom-fork": () =>
    crowd(LIARS, () =>
      showBranch(async (ids) => [
        phantom(commonOf(ids, MAX_FORK_DEPTH - 1), BigInt(Date.now()), randomKeys(), random),
      ]),
    ),

  /** 20 to 100 blocks of a key with a small stake: only the first block is valid. */
  "small-stake-fork": () =>
    crowd(LIARS, () =>
      showBranch(async (ids) => {
        const blocks = [await smallStakeBlock(commonOf(ids))];
        for (let i = 0; i < 3; i++) {
          const { signature, timestamp } = blocks[i] as Block;
          blocks.push(phantom(signature, timestamp + 10_000n, smallStakeKeys(), random));
        }
        return blocks;
      }),
    ),

  /** A hundred blocks each, with invalid signatures. */
  "badly-signed-blocks": () =>
    crowd(LIARS, () =>
      showBranch(async (ids) => {
        const blocks: Block[] = [];
        const keys = randomKeys();
        let reference = commonOf(ids);
        for (let i = 0; i < 100; i++) {
          const block = {
            ...phantom(reference, BigInt(Date.now()), keys, random),
            signature: random.bytes(64),
          };
          blocks.push(block);
          reference = block.signature;
        }
        return blocks;
      }),
    ),

  /**
   * Three peers that raise their claimed score every 4 s and send no blocks. Meanwhile this reads the node's status,
   * and anchors.
   */
  "claimed-scores": async () => {
    let score = claim();
    const claiming = crowd(3, async () => {
      const peer = await come(freshAddress());
      for (; peer?.isClosed === false && !isOver(); await rest(4)) {
        score += 1n << 70n;
        await peer.say({ type: "Score", score });
      }
      peer?.close();
      await rest(PAUSE_S);
    });
    const hashes: { readonly hash: string; readonly at: number }[] = [];
    const looking = crowd(1, async () => {
      const { state } = await read<{ state: string }>("/node/health").catch(() => ({ state: "not told" }));
      count(`health ${state}`);
      const hash = Buffer.from(random.bytes(32)).toString("hex");
      const body = JSON.stringify({ hash });
      const { status } = await ask("POST", "/hash", { body });
      // The hash was accepted, to be sent in a batch.
      if (status === 202) hashes.push({ hash, at: performance.now() });
      await rest(1);
    });
    await Promise.all([claiming, looking]);
    // Two blocks are enough if nothing delays them.
    const old = hashes.filter(({ at }) => performance.now() - at > 20_000);
    count("hashes older than 20 s", old.length);
    for (const { hash } of old) {
      const { status } = await ask("GET", `/hash/${hash}`);
      if (status === 200) count("of these anchored");
    }
  },

  /** Connections from 254 addresses of one network, each of which provokes a ban. */
  "banned-connections": () =>
    crowd(20, async () => {
      const peer = await come(`127.9.9.${1 + random.below(254)}`);
      if (peer !== undefined) {
        peer.sayBytes(random.bytes(200));
        await stay(peer, 5);
      }
      await rest(0.1);
    }),

  /** Occupies all inbound slots, sends a valid message now and then, and counts what happens to new peers. */
  "inbound-places": async () => {
    const holding = crowd(30, async (number) => {
      const peer = await come(`127.${101 + number}.0.1`);
      for (; peer?.isClosed === false && !isOver(); await rest(20)) await peer.say({ type: "GetPeers" });
      peer?.close();
      await rest(PAUSE_S);
    });
    const coming = crowd(1, async () => {
      await rest(5);
      let isGreeted = false;
      try {
        const peer = await WirePeer.to(p2pPort, () => {}, `127.${1 + random.below(99)}.7.1`);
        isGreeted = true;
        await rest(4);
        count(peer.isClosed ? "newcomers put out again" : "newcomers with a place");
        peer.close();
      } catch {
        // It was closed during or before that time.
        count(isGreeted ? "newcomers put out again" : "newcomers turned away");
      }
    });
    await Promise.all([holding, coming]);
  },

  /** Requests the successors of 200 unknown ids, from 25 peers, as fast as the node reads. */
  "signature-questions": () =>
    crowd(PEERS, async () => {
      const peer = await come(freshAddress());
      while (peer?.isClosed === false && !isOver()) {
        const ids = Array.from({ length: 200 }, () => random.bytes(64));
        await peer.say({ type: "GetSignatures", ids });
        count("questions");
        await rest(0.02);
      }
      peer?.close();
      await rest(PAUSE_S);
    }),

  /** Announces micro blocks signed by a key that forged no block, from 25 peers, as fast as the node reads. */
  "micro-announcements": () =>
    crowd(PEERS, async () => {
      const keys = randomKeys();
      const peer = await come(freshAddress());
      while (peer?.isClosed === false && !isOver()) {
        // Only the announcement exists.
        const micro = { totalSignature: random.bytes(64), reference: random.bytes(64) } as MicroBlock;
        await peer.say({ type: "MicroBlockInv", announcement: signAnnouncement(micro, keys, CHAIN_ID) });
        count("announcements");
        await rest(0.005);
      }
      peer?.close();
      await rest(PAUSE_S);
    }),
};

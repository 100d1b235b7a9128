/** A node among scripted peers, and blocks that an account could forge for it. */

import { signAnnouncement } from "../../blocks/announcement.ts";
import { type Block, type BlockTemplate, buildBlock } from "../../blocks/block.ts";
import { buildMicroBlock } from "../../blocks/micro-block.ts";
import { atOnce } from "../../chain/testing/at-once.ts";
import { addressOf } from "../../crypto/addresses.ts";
import { Intake } from "../../node/intake.ts";
import { buildTransaction } from "../../testing/build-transaction.ts";
import { DevNode, type DevNodeOptions, keyPairOf, rootKeyPair } from "../../testing/dev-node.ts";
import { SeededRandom } from "../../testing/seeded-random.ts";
import type { Transaction } from "../../transactions/index.ts";
import { Preverifier } from "../../verification/ahead.ts";
import { inlineVerifier } from "../../verification/testing/inline-verifier.ts";
import { createLiveUpdates, type LiveUpdates, type LiveUpdatesDependencies } from "../live/live-updates.ts";
import { DEFAULT_PEER_OPTIONS } from "../options.ts";
import { ScriptedNetwork } from "./scripted-network.ts";

export const LTO = 100_000_000n;

/** Waits until all pending promises have settled. */
export async function settled(): Promise<void> {
  for (let i = 0; i < 12; i++) await new Promise((resolve) => setImmediate(resolve));
}

/** Returns a verifier whose threads are always busy, so that the writer makes all checks. */
export function busyVerifier(): Preverifier {
  const busy = () => Promise.reject(new Error("busy"));
  return new Preverifier({
    verifyTransactions: busy,
    verifySignatures: busy,
    verifyMessages: busy,
    runScripts: busy,
  });
}

export interface LiveWorldOptions extends DevNodeOptions {
  readonly live?: Partial<Pick<LiveUpdatesDependencies, "checks" | "options" | "maxChainAgeMs" | "intake">>;
}

export class LiveWorld {
  readonly node: DevNode;
  readonly network = new ScriptedNetwork();
  readonly live: LiveUpdates;
  readonly chainId: number;

  constructor({ live = {}, ...options }: LiveWorldOptions = {}) {
    const node = new DevNode(options);
    const { chain, pool, clock, log, profile } = node;
    const checks = new Preverifier(inlineVerifier(profile), log);
    this.node = node;
    this.chainId = profile.chainId;
    this.live = createLiveUpdates({
      network: this.network,
      chain,
      pool,
      intake: new Intake(pool, checks, clock),
      checks,
      accounts: { keyPair: () => rootKeyPair },
      rules: profile,
      clock,
      random: new SeededRandom(1),
      log,
      options: DEFAULT_PEER_OPTIONS,
      maxChainAgeMs: undefined,
      ...live,
    });
    this.live.start();
    this.network.on("Block", (peer, message) => this.live.takePushedBlock(peer, message));
  }

  /** Advances the clock and settles promises. */
  async pass(ms: number): Promise<void> {
    const { clock } = this.node;
    const end = clock.monotonic() + ms;
    await settled();
    while (clock.step(end)) await settled();
    clock.advance(end - clock.monotonic());
    await settled();
  }

  /** Returns a block that the root account could forge on the tip now. @param changes members to change */
  block(changes: Partial<BlockTemplate> = {}, signer = rootKeyPair): Block {
    const { chain, clock } = this.node;
    const { publicKey } = rootKeyPair;
    const balance = chain.forging.generatingBalance(addressOf(publicKey, this.chainId));
    const due = Number(chain.tip.keyBlock.timestamp + chain.forging.blockDelay(publicKey, balance)) + 1;
    if (due > clock.now()) clock.advance(due - clock.now());
    const timestamp = changes.timestamp ?? BigInt(clock.now());
    const draft = chain.forging.draftBlock(publicKey, timestamp, clock.now());
    return buildBlock({ ...draft, transactions: [], features: [], feeVote: 0, ...changes }, signer);
  }

  /** Applies a block of `block()` and returns it. */
  forged(): Block {
    const block = this.block();
    const result = atOnce(this.node.chain.accept(block));
    if (!result.ok) throw new Error(result.error.printed);
    return block;
  }

  /** Returns a micro block on a block or total, its announcement, and the next total. */
  micro(base: Block, transactions: readonly Transaction[] = [this.transfer()]) {
    const { micro, total } = buildMicroBlock(base, transactions, rootKeyPair);
    return { micro, total, announcement: signAnnouncement(micro, rootKeyPair, this.chainId) };
  }

  #serial = 0;

  /** Returns a unique transfer. */
  transfer(sender = rootKeyPair, fee = LTO): Transaction {
    const serial = this.#serial++;
    return buildTransaction({
      type: 4,
      sender,
      fee,
      timestamp: this.node.clock.now(),
      chainId: this.chainId,
      members: {
        recipient: addressOf(keyPairOf("alice").publicKey, this.chainId),
        amount: 1n,
        attachment: Uint8Array.of(serial >> 16, serial >> 8, serial),
      },
    });
  }
}

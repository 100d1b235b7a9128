/**
 * Asks peers for the block of `--assume-valid`. The node skips transaction signatures only in blocks of a peer that sends
 * it.
 */
import { bytesEqual } from "../../bytes/compare.ts";
import type { Chain } from "../../chain/chain.ts";
import type { ReceivedBlock } from "../../chain/checking/extension-intake.ts";
import type { AssumedBlock } from "../../chain/reading/unchecked.ts";
import { isSmallOrder } from "../../crypto/ed25519.ts";
import type { Log } from "../../interfaces.ts";
import { contain } from "../../runtime/contain.ts";
import type { NetworkRules } from "../../transactions/index.ts";
import type { Preverifier } from "../../verification/ahead.ts";
import type { Peer } from "../connections/peer.ts";

interface SearchDependencies {
  readonly chain: Pick<Chain, "heightOf">;
  readonly checks: Pick<Preverifier, "isReceivedSigned">;
  readonly rules: NetworkRules;
  readonly log: Log;
}

export class AssumedBlockSearch {
  readonly #dependencies: SearchDependencies;
  readonly #id: Uint8Array | undefined;
  readonly #answers = new WeakMap<Peer, "asked" | "in check" | AssumedBlock>();
  #isReported = false;

  /** @param id undefined: nothing is assumed */
  constructor(dependencies: SearchDependencies, id: Uint8Array | undefined) {
    this.#dependencies = dependencies;
    this.#id = id;
  }

  ask(peer: Peer): void {
    const id = this.#id;
    if (id === undefined || this.#answers.has(peer) || this.#dependencies.chain.heightOf(id) !== undefined)
      return;
    this.#answers.set(peer, "asked");
    peer.send({ type: "GetBlock", id });
  }

  /** @returns false for a block that was not requested */
  takeBlock(peer: Peer, block: ReceivedBlock): boolean {
    const id = this.#id;
    const { header } = block.scan;
    if (id === undefined || this.#answers.get(peer) !== "asked" || !bytesEqual(header.signature, id))
      return false;
    this.#answers.set(peer, "in check");
    const { log, checks, rules } = this.#dependencies;
    contain({ log, message: "Cannot check the block of assume-valid" }, async () => {
      const isSigned = await checks.isReceivedSigned(peer.label, block, rules);
      // With a key of small order, one signature is valid for any content.
      if (isSigned !== true || isSmallOrder(header.generator)) return;
      this.#answers.set(peer, { id, timestamp: header.timestamp });
      if (this.#isReported) return;
      this.#isReported = true;
      log.warn("A peer has the block of assume-valid: signatures of transactions before it are not checked", {
        peer: peer.label,
        timestamp: Number(header.timestamp),
      });
    });
    return true;
  }

  receivedFrom(peer: Peer): AssumedBlock | undefined {
    const answer = this.#answers.get(peer);
    return typeof answer === "object" ? answer : undefined;
  }
}

/** A recorded chain from which a peer answers requests. */
import { blockBytes } from "../../src/blocks/block.ts";
import { microBlockBytes } from "../../src/blocks/micro-block.ts";
import { bytesEqual } from "../../src/bytes/compare.ts";
import type { Received } from "../../src/peers/wire/connection-decoder.ts";
import { encodePayload, messageDefinitions } from "../../src/peers/wire/message-definitions.ts";
import type { Message } from "../../src/peers/wire/messages.ts";
import { idOf, parentOf, type Unit, type UnitPool } from "../p2p/transcript.ts";
import type { Sample } from "./corpus.ts";

/** Maximum ids per answer, as in the reference. */
const MAX_IDS = 101;

export function sampleOf(message: Message): Sample {
  return { code: messageDefinitions[message.type].code, payload: encodePayload(message) };
}

export class ServedChain {
  readonly tip: Unit;
  readonly score: bigint;
  readonly #pool: UnitPool;
  /** Oldest first, starting with the genesis block. */
  readonly #ids: readonly Uint8Array[];

  constructor(pool: UnitPool, tip: Unit) {
    this.#pool = pool;
    this.tip = tip;
    this.score = tip.score;
    this.#ids = [pool.genesis.signature, ...pool.pathTo(idOf(tip)).map(idOf)];
  }

  /** Returns the answer of a node with this chain to a request; the node has all recorded blocks. */
  answer(message: Received): Sample | undefined {
    if (message.type === "GetSignatures") {
      for (const id of message.ids) {
        const at = this.#ids.findIndex((own) => bytesEqual(own, id));
        if (at >= 0) return sampleOf({ type: "Signatures", ids: this.#ids.slice(at, at + MAX_IDS) });
      }
      return sampleOf({ type: "Signatures", ids: [] });
    }
    if (message.type !== "GetBlock" && message.type !== "MicroBlockRequest") return undefined;
    const unit = this.#pool.get(message.id);
    if (message.type === "GetBlock")
      return unit?.kind === "block" ? sampleOf({ type: "Block", bytes: blockBytes(unit.block) }) : undefined;
    return unit?.kind === "micro block"
      ? sampleOf({ type: "MicroBlockResponse", bytes: microBlockBytes(unit.micro) })
      : undefined;
  }
}

/** The recorded chains that consist of whole blocks and that no other recorded chain extends. */
export function servedChains(pool: UnitPool): ServedChain[] {
  const whole = [...pool.all()].filter((unit) =>
    pool.pathTo(idOf(unit)).every(({ kind }) => kind === "block"),
  );
  return whole
    .filter((unit) => unit.height > 1 && !whole.some((other) => bytesEqual(parentOf(other), idOf(unit))))
    .map((unit) => new ServedChain(pool, unit));
}

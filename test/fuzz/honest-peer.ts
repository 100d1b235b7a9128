/** A peer that follows the protocol, and that the node must always serve. */
import { bytesEqual, bytesKey } from "../../src/bytes/compare.ts";
import type { Received } from "../../src/peers/wire/connection-decoder.ts";
import { ConnectionDecoder } from "../../src/peers/wire/connection-decoder.ts";
import { encodeFrame } from "../../src/peers/wire/frame.ts";
import { encodeHandshake } from "../../src/peers/wire/handshake.ts";
import type { Message } from "../../src/peers/wire/messages.ts";
import type { VirtualClock } from "../../src/testing/virtual-clock.ts";
import { type FarSide, NearEnd } from "./loose-transport.ts";
import { framed } from "./mutations.ts";
import type { ServedChain } from "./served-chain.ts";

/** By the virtual clock. */
const RESPONSE_TIMEOUT_MS = 5_000;

interface PendingRequest {
  readonly what: string;
  readonly since: number;
  readonly isAnswer: (message: Received) => boolean;
  /** Whether an answer may still be expected. */
  readonly isOpen: () => boolean;
}

export interface HonestPeerOptions {
  readonly host: string;
  readonly applicationName: string;
  readonly chain: ServedChain;
  readonly clock: VirtualClock;
  readonly fault: (error: unknown) => void;
}

export class HonestPeer implements FarSide {
  chain: ServedChain;
  readonly end: NearEnd;
  /** The slowest answer so far, ms. */
  slowest = 0;
  answers = 0;
  #pendingRequests: PendingRequest[] = [];
  readonly #options: HonestPeerOptions;
  readonly #decoder: ConnectionDecoder;

  constructor(options: HonestPeerOptions) {
    this.#options = options;
    this.chain = options.chain;
    this.#decoder = new ConnectionDecoder(options.clock, 0);
    this.end = new NearEnd(options.host, 40_000, this, options.fault);
  }

  /** Call this once the node has accepted the connection. */
  introduce(): void {
    const { host, applicationName, clock } = this.#options;
    this.end.arrive(
      encodeHandshake({
        applicationName,
        version: { major: 1, minor: 8, patch: 0 },
        nodeName: "honest",
        nonce: 1n,
        declaredAddress: { host, port: 6_863 },
        time: BigInt(Math.floor(clock.now() / 1_000)),
      }),
    );
    this.tellScore();
  }

  data(bytes: Uint8Array): void {
    try {
      for (const message of this.#decoder.decode(bytes)) this.#hear(message);
    } catch (error) {
      this.#options.fault(error);
    }
  }

  turnedAway(): void {
    this.#options.fault(new Error(`The honest peer ${this.end.host} was rejected`));
  }

  say(message: Message): void {
    this.end.arrive(encodeFrame(message));
  }

  tellScore(): void {
    this.say({ type: "Score", score: this.chain.score });
  }

  /** Requests the ids after one, unless a request is pending: nodes send one such request at a time. */
  askIds(id: Uint8Array): void {
    if (this.#pendingRequests.some(({ what }) => what === "GetSignatures")) return;
    this.say({ type: "GetSignatures", ids: [id] });
    this.#await(
      "GetSignatures",
      (message) => message.type === "Signatures" && message.ids.length > 0 && bytesEqual(message.ids[0], id),
    );
  }

  /** @param isThere returns true while the node has the block */
  askBlock(id: Uint8Array, isThere: () => boolean): void {
    this.say({ type: "GetBlock", id });
    this.#await(
      "GetBlock",
      (message) => message.type === "Block" && bytesEqual(message.scan.header.signature, id),
      isThere,
    );
  }

  askPeers(): void {
    this.say({ type: "GetPeers" });
    this.#await("GetPeers", (message) => message.type === "Peers");
  }

  /** Expects a transaction that another peer sends. @param isThere returns true while the node's pool has it */
  awaitTransaction(bytes: Uint8Array, isThere: () => boolean): void {
    const key = bytesKey(bytes);
    this.#await(
      "a transaction",
      (message) => message.type === "Transaction" && bytesKey(message.bytes) === key,
      isThere,
    );
  }

  /** @throws Error if an answer is overdue */
  check(): void {
    const now = this.#options.clock.monotonic();
    this.#pendingRequests = this.#pendingRequests.filter(({ isOpen }) => isOpen());
    const late = this.#pendingRequests.find(({ since }) => now - since > RESPONSE_TIMEOUT_MS);
    if (late !== undefined)
      throw new Error(
        `The honest peer ${this.end.host} has no answer to ${late.what} after ${now - late.since} ms`,
      );
  }

  #await(what: string, isAnswer: PendingRequest["isAnswer"], isOpen = () => true): void {
    this.#pendingRequests.push({ what, since: this.#options.clock.monotonic(), isAnswer, isOpen });
  }

  #hear(message: Received): void {
    const at = this.#pendingRequests.findIndex(({ isAnswer }) => isAnswer(message));
    if (at >= 0) {
      const [{ since }] = this.#pendingRequests.splice(at, 1);
      this.slowest = Math.max(this.slowest, this.#options.clock.monotonic() - since);
      this.answers++;
    }
    if (message.type === "GetPeers") this.say({ type: "Peers", addresses: [] });
    const answer = this.chain.answer(message);
    if (answer !== undefined) this.end.arrive(framed(answer));
  }
}

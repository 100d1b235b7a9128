/** Somebody who says mutated things to the node, from one address after the other. */
import { concatBytes } from "../../src/bytes/compare.ts";
import { ConnectionDecoder } from "../../src/peers/wire/connection-decoder.ts";
import { encodeHandshake } from "../../src/peers/wire/handshake.ts";
import { definitionByCode } from "../../src/peers/wire/message-definitions.ts";
import type { MessageType } from "../../src/peers/wire/messages.ts";
import type { SeededRandom } from "../../src/testing/seeded-random.ts";
import type { VirtualClock } from "../../src/testing/virtual-clock.ts";
import type { Corpus, Sample, Story } from "./corpus.ts";
import { type FarSide, NearEnd } from "./loose-transport.ts";
import { framed, mutatedFrame, mutatedHandshake } from "./mutations.ts";
import type { ServedChain } from "./served-chain.ts";

/** What a system keeps for a node that does not read. */
const WINDOW = 65_536;
/** Answers that wait for their turn. */
const MAX_REPLIES = 300;

/** What strangers share. */
export interface Crowd {
  readonly corpus: Corpus;
  readonly chains: readonly ServedChain[];
  readonly random: SeededRandom;
  readonly clock: VirtualClock;
  /** Connects to the node. */
  connect(end: NearEnd): void;
  /** The node has done what it must not do. */
  fault(error: unknown): void;
  /** The node has ended a connection. */
  turnedAway(): void;
  /** An input is about to be sent: its kind (of a message as it was before), and bytes. */
  input(kind: MessageType | "Handshake", bytes: Uint8Array): void;
}

export class Stranger implements FarSide {
  readonly #crowd: Crowd;
  #end: NearEnd | undefined;
  #decoder: ConnectionDecoder;
  #chain: ServedChain;
  #replies: Sample[] = [];
  /** What is told; undefined: this and that. */
  #story: Story | undefined;
  #at = 0;

  constructor(crowd: Crowd) {
    this.#crowd = crowd;
    this.#decoder = new ConnectionDecoder(crowd.clock, 0);
    this.#chain = crowd.chains[0];
  }

  get isConnected(): boolean {
    return this.#end?.isClosed === false;
  }

  data(bytes: Uint8Array): void {
    try {
      for (const message of this.#decoder.decode(bytes)) {
        const answer = this.#chain.answer(message);
        if (answer !== undefined && this.#replies.length < MAX_REPLIES) this.#replies.push(answer);
      }
    } catch (error) {
      this.#crowd.fault(error);
    }
  }

  turnedAway(): void {
    this.#replies = [];
    this.#crowd.turnedAway();
  }

  hangUp(): void {
    this.#end?.hangUp();
  }

  /** Takes a connection that the node opens. */
  answer(host: string, port: number): NearEnd {
    const end = this.#begin(host, port);
    end.arrive(this.#introduction(host));
    return end;
  }

  /** Sends one input, if the node reads. @returns whether it was sent */
  step(): boolean {
    const { random } = this.#crowd;
    if (this.#end === undefined || this.#end.isClosed) {
      const host = `${1 + random.below(126)}.${random.below(256)}.${random.below(256)}.${1 + random.below(254)}`;
      const end = this.#begin(host, 1_024 + random.below(60_000));
      this.#crowd.connect(end);
      if (random.chance(15)) {
        this.#send("Handshake", this.#mutatedHandshake());
        return true;
      }
      end.arrive(this.#introduction(host));
    }
    if ((this.#end?.waiting ?? 0) > WINDOW) return false;
    const { sample, isMutated } = this.#choose();
    // A frame is of a kind that is known: it was read.
    const kind = definitionByCode(sample.code)?.type ?? "GetPeers";
    this.#send(kind, isMutated ? mutatedFrame(sample, () => this.#any(), random) : framed(sample));
    return true;
  }

  #begin(host: string, port: number): NearEnd {
    const { clock, chains, corpus, random, fault } = this.#crowd;
    this.#decoder = new ConnectionDecoder(clock, 0);
    this.#chain = random.pick(chains);
    this.#replies = [];
    this.#story = random.chance(40) ? random.pick(corpus.stories) : undefined;
    this.#at = 0;
    // Whatever comes for a connection that was left behind is nobody's.
    const end: NearEnd = new NearEnd(
      host,
      port,
      {
        data: (bytes) => (this.#end === end ? this.data(bytes) : undefined),
        turnedAway: () => (this.#end === end ? this.turnedAway() : undefined),
      },
      fault,
    );
    this.#end = end;
    return end;
  }

  #introduction(host: string): Uint8Array {
    const { random, clock, corpus } = this.#crowd;
    return encodeHandshake({
      applicationName: `lto${String.fromCharCode(corpus.profile.chainId)}`,
      version: { major: 1, minor: 8, patch: 0 },
      nodeName: "stranger",
      nonce: BigInt(random.below(2 ** 31)),
      declaredAddress: random.chance(20) ? { host, port: 1 + random.below(65_535) } : undefined,
      time: BigInt(Math.floor(clock.now() / 1_000)),
    });
  }

  #mutatedHandshake(): Uint8Array {
    const { random, corpus } = this.#crowd;
    const other = () => (random.chance(50) ? random.pick(corpus.handshakes) : framed(this.#any()));
    const bytes = mutatedHandshake(random.pick(corpus.handshakes), other, random);
    // Frames right behind it are not read before it is judged.
    return random.chance(50) ? concatBytes(bytes, framed(this.#any())) : bytes;
  }

  /** Any valid message; every kind is as frequent as the others. */
  #any(): Sample {
    const { random, corpus } = this.#crowd;
    return random.pick(random.pick([...corpus.samples.values()]));
  }

  #choose(): { readonly sample: Sample; readonly isMutated: boolean } {
    const { random } = this.#crowd;
    const reply = this.#replies.shift();
    if (reply !== undefined && !random.chance(5)) return { sample: reply, isMutated: random.chance(15) };
    const story = this.#story;
    if (story !== undefined && !random.chance(5)) {
      if (random.chance(5)) this.#at = random.below(story.length);
      for (; this.#at < story.length; ) {
        const step = story[this.#at++];
        if (!(step instanceof Uint8Array)) return { sample: step, isMutated: random.chance(15) };
      }
    }
    return { sample: this.#any(), isMutated: random.chance(80) };
  }

  #send(kind: MessageType | "Handshake", bytes: Uint8Array): void {
    const { random } = this.#crowd;
    this.#crowd.input(kind, bytes);
    if (!random.chance(10)) {
      this.#end?.arrive(bytes);
      return;
    }
    const at = random.below(bytes.length + 1);
    this.#end?.arrive(bytes.slice(0, at));
    this.#end?.arrive(bytes.slice(at));
  }
}

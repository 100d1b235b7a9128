/** A peer that sends mutated messages to the node, from changing addresses. */
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

/** Size of the socket buffer towards a node that does not read. */
const WINDOW = 65_536;
/** Maximum number of queued answers. */
const MAX_REPLIES = 300;

/** State that all strangers share. */
export interface Crowd {
  readonly corpus: Corpus;
  readonly chains: readonly ServedChain[];
  readonly random: SeededRandom;
  readonly clock: VirtualClock;
  /** Connects to the node. */
  connect(end: NearEnd): void;
  /** Reports a failure of the node. */
  fault(error: unknown): void;
  /** The node closed a connection. */
  turnedAway(): void;
  /** Called before an input is sent, with its kind (that of the message before the mutation) and bytes. */
  input(kind: MessageType | "Handshake", bytes: Uint8Array): void;
}

export class Stranger implements FarSide {
  readonly #crowd: Crowd;
  #end: NearEnd | undefined;
  #decoder: ConnectionDecoder;
  #chain: ServedChain;
  #replies: Sample[] = [];
  /** What it currently sends; undefined for random messages. */
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

  /** Accepts a connection that the node opens. */
  answer(host: string, port: number): NearEnd {
    const end = this.#begin(host, port);
    end.arrive(this.#introduction(host));
    return end;
  }

  /** Sends one input if the node reads. @returns true if it was sent */
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
    // The frame's kind is known because the frame was parsed.
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
    // Ignore events of an abandoned connection.
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
    // The node does not read the next frames before it has judged this one.
    return random.chance(50) ? concatBytes(bytes, framed(this.#any())) : bytes;
  }

  /** Returns any valid message. All kinds are equally frequent. */
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

/** The valid inputs that mutations start from: everything recorded or computed of the network protocol. */
import { genesisBlock } from "../../src/blocks/genesis.ts";
import { decodeHex } from "../../src/bytes/hex.ts";
import { FrameDecoder } from "../../src/peers/wire/frame.ts";
import { readHandshake } from "../../src/peers/wire/handshake.ts";
import { definitionByCode } from "../../src/peers/wire/message-definitions.ts";
import type { MessageType } from "../../src/peers/wire/messages.ts";
import type { NetworkProfile } from "../../src/profiles/index.ts";
import { type RecordedEvent, type Transcript, transcripts, UnitPool } from "../p2p/transcript.ts";
import { loadVectors } from "../vectors.ts";

/** A message in the form that a frame contains. */
export interface Sample {
  readonly code: number;
  readonly payload: Uint8Array;
}

/** What one side of a recorded connection sent, in order: the bytes of its handshake, then messages. */
export type Story = readonly (Uint8Array | Sample)[];

export interface Corpus {
  readonly profile: NetworkProfile;
  /** Blocks and micro blocks of all recorded chains. */
  readonly pool: UnitPool;
  readonly handshakes: readonly Uint8Array[];
  /** Messages of every kind. */
  readonly samples: ReadonlyMap<MessageType, readonly Sample[]>;
  readonly stories: readonly Story[];
  /** The time of the last recording, ms since 1970. All recorded blocks are older. */
  readonly end: number;
}

interface FrameVectors {
  readonly handshake: { readonly valid: readonly { readonly hex: string; readonly do_not_send?: boolean }[] };
  readonly frames: readonly { readonly frame: string; readonly do_not_send?: boolean }[];
}

/** Returns the messages of complete frames; an empty list for invalid bytes. */
function samplesOf(bytes: Uint8Array): Sample[] {
  try {
    return Array.from(new FrameDecoder().decode(bytes), ({ definition: { code }, payload }) => ({
      code,
      payload,
    }));
  } catch {
    // The recordings also contain messages that lead to a ban.
    return [];
  }
}

function isHandshake(bytes: Uint8Array): boolean {
  try {
    return readHandshake(bytes) !== undefined;
  } catch {
    // Recorded as a message that the reference rejects.
    return false;
  }
}

function stepsOf({ hex, type }: RecordedEvent): Story {
  if (hex === undefined) return [];
  const bytes = decodeHex(hex);
  return type === "Handshake" ? [bytes] : samplesOf(bytes);
}

function storiesOf({ connections }: Transcript): Story[] {
  return connections.flatMap(({ events }) =>
    (["in", "out"] as const)
      .map((side) => events.filter(({ dir }) => dir === side).flatMap(stepsOf))
      .filter(({ length }) => length > 0),
  );
}

/** Reads the vectors; undefined if there are no transcripts. */
export function loadCorpus(): Corpus | undefined {
  const all = transcripts();
  if (all.length === 0) return undefined;
  const [{ profile }] = all;
  const vectors = loadVectors<FrameVectors>("network.json");
  const stories = all.flatMap(storiesOf);
  const said = stories.flat();
  const handshakes = said.filter((step) => step instanceof Uint8Array).filter(isHandshake);
  const samples = new Map<MessageType, Sample[]>();
  const sent = vectors.frames.filter((one) => one.do_not_send !== true);
  for (const sample of [
    ...sent.flatMap(({ frame }) => samplesOf(decodeHex(frame))),
    ...said.flatMap((step) => (step instanceof Uint8Array ? [] : step)),
  ]) {
    const definition = definitionByCode(sample.code);
    if (definition === undefined) continue;
    const known = samples.get(definition.type);
    if (known === undefined) samples.set(definition.type, [sample]);
    else known.push(sample);
  }
  const times = handshakes.flatMap((bytes) => readHandshake(bytes)?.handshake.time ?? []);
  return {
    profile,
    pool: new UnitPool(genesisBlock(profile), all, profile),
    handshakes: [
      ...handshakes,
      ...vectors.handshake.valid.filter((one) => one.do_not_send !== true).map(({ hex }) => decodeHex(hex)),
    ],
    samples,
    stories,
    end: Math.max(...times.map(Number)) * 1_000,
  };
}

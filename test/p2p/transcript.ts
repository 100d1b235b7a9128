/** Recorded connections between a client and a running reference node: their format, and the units in them. */
import { readdirSync } from "node:fs";
import { assembleBlock, type Block } from "../../src/blocks/block.ts";
import type { MicroBlock } from "../../src/blocks/micro-block.ts";
import { parseMicroBlock } from "../../src/blocks/testing/micro-blocks.ts";
import { parseBlock } from "../../src/blocks/testing/parse-block.ts";
import { bytesKey } from "../../src/bytes/compare.ts";
import { decodeHex } from "../../src/bytes/hex.ts";
import { printJson } from "../../src/bytes/json.ts";
import { blockScore } from "../../src/consensus/proof-of-stake.ts";
import type { Received } from "../../src/peers/wire/connection-decoder.ts";
import { FrameDecoder } from "../../src/peers/wire/frame.ts";
import { readHandshake } from "../../src/peers/wire/handshake.ts";
import { decodePayload } from "../../src/peers/wire/message-definitions.ts";
import { customProfile, type NetworkProfile } from "../../src/profiles/index.ts";
import { hasVectors, loadVectors, loadVectorsJson, vectorsPath } from "../vectors.ts";

/** `out`: client to reference, `in`: reference to client. */
export interface RecordedEvent {
  readonly dir: "in" | "out" | "closed" | "note";
  /** Time since this connection, or the first of several concurrent ones, was opened. */
  readonly ms: number;
  readonly hex?: string;
  readonly type?: string;
  readonly by?: "client" | "reference";
  readonly text?: string;
}

export interface RecordedConnection {
  readonly name: string;
  readonly dialled_by: "client" | "reference";
  readonly client_address: string;
  /** Missing if nothing is sent. */
  readonly blacklist_reason?: string | null;
  readonly events: readonly RecordedEvent[];
}

interface ReferenceSettings {
  readonly "node-name": string;
  readonly nonce: number;
  readonly "declared-address": string;
  readonly "miner.enable": boolean;
  readonly "max-outbound-connections": number;
}

interface TranscriptFile {
  readonly title: string;
  readonly description: string;
  readonly reference_settings: ReferenceSettings;
  readonly connections: readonly RecordedConnection[];
}

export interface Transcript extends TranscriptFile {
  readonly name: string;
  readonly profile: NetworkProfile;
}

const FOLDER = "p2p";

/** All transcripts; an empty list if the folder is missing. */
export function transcripts(): Transcript[] {
  if (!hasVectors(FOLDER)) return [];
  return readdirSync(vectorsPath(FOLDER))
    .filter((name) => name.endsWith(".json"))
    .sort()
    .map((name) => {
      const path = `${FOLDER}/${name}`;
      const json = loadVectorsJson(path);
      const custom = json instanceof Map ? json.get("custom") : undefined;
      return {
        ...loadVectors<TranscriptFile>(path),
        name: name.slice(0, -".json".length),
        profile: customProfile(printJson(custom)),
      };
    });
}

/** Decodes an event's bytes; returns nothing for invalid handshakes and frames. */
export function meaningOf({ hex, type }: RecordedEvent): Received[] {
  if (hex === undefined) return [];
  const bytes = decodeHex(hex);
  try {
    if (type === "Handshake") {
      const read = readHandshake(bytes);
      return read === undefined ? [] : [{ type: "Handshake", handshake: read.handshake }];
    }
    return Array.from(new FrameDecoder().decode(bytes), ({ definition, payload }) =>
      decodePayload(definition, payload),
    );
  } catch {
    // Invalid bytes are recorded, too.
    return [];
  }
}

/** A key block, whole block or micro block, with the score of the chain that it ends. */
export type Unit = { readonly score: bigint; readonly height: number } & (
  | { readonly kind: "block"; readonly block: Block; readonly bytes: Uint8Array }
  | { readonly kind: "micro block"; readonly micro: MicroBlock }
);

type Found =
  | { readonly kind: "block"; readonly block: Block; readonly bytes: Uint8Array }
  | { readonly kind: "micro block"; readonly micro: MicroBlock };

/** All units of all transcripts of a network, by id. Together they contain the initial chain of each transcript. */
export class UnitPool {
  readonly #found = new Map<string, Found>();
  readonly #micros = new Map<string, MicroBlock>();
  readonly #units = new Map<string, Unit>();

  constructor(
    readonly genesis: Block,
    all: readonly Transcript[],
    profile: NetworkProfile,
  ) {
    const root = bytesKey(genesis.signature);
    this.#units.set(root, {
      kind: "block",
      block: genesis,
      bytes: new Uint8Array(0),
      score: blockScore(genesis.baseTarget),
      height: 1,
    });
    for (const { connections } of all)
      for (const { events } of connections)
        for (const message of events.flatMap(meaningOf)) {
          if (message.type === "Block") {
            const block = parseBlock(message.bytes, profile);
            this.#found.set(bytesKey(block.signature), { kind: "block", block, bytes: message.bytes });
          } else if (message.type === "MicroBlockResponse") {
            const micro = parseMicroBlock(message.bytes, profile);
            this.#micros.set(bytesKey(micro.totalSignature), micro);
          }
        }
    this.#findKeyBlocks(profile);
    for (const [key, micro] of this.#micros)
      if (!this.#found.has(key)) this.#found.set(key, { kind: "micro block", micro });
    for (const key of this.#found.keys()) this.#place(key);
  }

  get(id: Uint8Array): Unit | undefined {
    return this.#units.get(bytesKey(id));
  }

  /** Every unit that a known chain contains. */
  all(): Iterable<Unit> {
    return this.#units.values();
  }

  /** Ids of units, or of states of a liquid block, at which the chain has this score. */
  *withScore(score: bigint): Generator<Uint8Array> {
    for (const unit of this.#units.values()) if (unit.score === score) yield idOf(unit);
  }

  /** The units up to an id without the genesis block, oldest first. */
  pathTo(id: Uint8Array): Unit[] {
    const path: Unit[] = [];
    let unit = this.get(id);
    while (unit !== undefined && unit.height > 1) {
      path.push(unit);
      unit = this.get(parentOf(unit));
    }
    return path.reverse();
  }

  /**
   * Some micro blocks were recorded on key blocks that were only sent with all their transactions. The key block is the
   * same without them.
   */
  #findKeyBlocks(profile: NetworkProfile): void {
    for (const micro of this.#micros.values()) {
      if (this.#found.has(bytesKey(micro.reference)) || this.#micros.has(bytesKey(micro.reference))) continue;
      const whole = this.#wholeBehind(micro);
      if (whole === undefined) continue;
      const bytes = assembleBlock({ ...whole, signature: micro.reference }, []);
      this.#found.set(bytesKey(micro.reference), { kind: "block", block: parseBlock(bytes, profile), bytes });
    }
  }

  /** Splits a block that was sent with a micro block and its successors. */
  #wholeBehind(first: MicroBlock): Block | undefined {
    const next = new Map(Array.from(this.#micros.values(), (micro) => [bytesKey(micro.reference), micro]));
    for (let micro: MicroBlock | undefined = first; micro !== undefined; ) {
      const found = this.#found.get(bytesKey(micro.totalSignature));
      if (found?.kind === "block") return found.block;
      micro = next.get(bytesKey(micro.totalSignature));
    }
    return undefined;
  }

  #place(key: string): Unit | undefined {
    const known = this.#units.get(key);
    const found = this.#found.get(key);
    if (known !== undefined || found === undefined) return known;
    const parent = this.#place(bytesKey(parentOf(found)));
    if (parent === undefined) return undefined;
    const unit: Unit =
      found.kind === "block"
        ? { ...found, score: parent.score + blockScore(found.block.baseTarget), height: parent.height + 1 }
        : { ...found, score: parent.score, height: parent.height };
    this.#units.set(key, unit);
    return unit;
  }
}

export function idOf(unit: Found): Uint8Array {
  return unit.kind === "block" ? unit.block.signature : unit.micro.totalSignature;
}

export function parentOf(unit: Found): Uint8Array {
  return unit.kind === "block" ? unit.block.reference : unit.micro.reference;
}

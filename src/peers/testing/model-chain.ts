/**
 * A model of a chain that only checks references. Tests set the verdicts (`decide`, `bad`) that a real chain would
 * compute from signatures and stakes.
 */
import { assembleBlock, scanBlock } from "../../blocks/block.ts";
import { bytesEqual, bytesKey } from "../../bytes/compare.ts";
import type { ExtensionResult } from "../../chain/chain.ts";
import type { OfferedExtension, ReceivedBlock } from "../../chain/checking/extension-intake.ts";
import { genericRefusal } from "../../chain/deciding/block-refusal.ts";
import type { ChainEvidence } from "../../chain/deciding/extension-rules.ts";

/** Returns an id of 64 bytes. */
export function modelId(number: number): Uint8Array {
  const id = new Uint8Array(64).fill(1);
  new DataView(id.buffer).setUint32(60, number);
  return id;
}

/** Returns the number of an id. */
export function modelNumber(id: Uint8Array): number {
  return new DataView(id.buffer, id.byteOffset, id.length).getUint32(60);
}

/** Returns the bytes of a block without transactions. @param padding bytes of the transactions section */
export function modelBlock(id: Uint8Array, reference: Uint8Array, padding = 0): Uint8Array {
  return assembleBlock(
    {
      version: 3,
      timestamp: 0n,
      reference,
      baseTarget: 1n,
      generationSignature: new Uint8Array(32),
      features: [],
      feeVote: 0,
      generator: new Uint8Array(32),
      signature: id,
    },
    padding === 0 ? [] : [new Uint8Array(padding)],
  );
}

/** Returns a block of `modelBlock` as the node receives it. */
export function sentModelBlock(id: Uint8Array, reference: Uint8Array, padding = 0): ReceivedBlock {
  const bytes = modelBlock(id, reference, padding);
  return { bytes, scan: scanBlock(bytes) };
}

type EvidenceListener = (evidence: ChainEvidence) => void;

/** A chain of numbered blocks. Its score is the number of its blocks. */
export class ModelChain {
  /** Ids of all blocks, oldest first. */
  ids: Uint8Array[];
  /** Numbers of the blocks of each offered and each applied extension. */
  readonly offered: number[][] = [];
  readonly applied: number[][] = [];
  /** For each offer, `isSigned` of its blocks. */
  readonly signed: (true | undefined)[][] = [];
  /** Numbers of blocks that are refused. */
  readonly bad = new Set<number>();
  /** Overrides the verdict on an extension, unless it returns undefined. */
  decide: (blocks: readonly ReceivedBlock[], onEvidence?: EvidenceListener) => ExtensionResult | undefined =
    () => undefined;
  /** Delays the application of extensions. */
  gate: Promise<void> = Promise.resolve();
  onScore: (score: bigint) => void = () => {};

  constructor(
    ids: readonly Uint8Array[],
    readonly maxRollback = 100,
  ) {
    this.ids = [...ids];
  }

  get score(): bigint {
    return BigInt(this.ids.length);
  }

  newestIds(count: number): Uint8Array[] {
    return this.ids.slice(-count).reverse();
  }

  offer(blocks: readonly ReceivedBlock[]): OfferedExtension {
    this.signed.push(blocks.map(({ isSigned }) => isSigned));
    this.offered.push(blocks.map(({ scan }) => modelNumber(scan.header.signature)));
    return {
      apply: async (onEvidence) => {
        await this.gate;
        return this.decide(blocks, onEvidence) ?? this.#apply(blocks, onEvidence);
      },
      drop: () => {},
    };
  }

  #apply(blocks: readonly ReceivedBlock[], onEvidence?: EvidenceListener): ExtensionResult {
    const known = new Map(this.ids.map((id, at) => [bytesKey(id), at]));
    const headers = blocks.map(({ scan }) => scan.header);
    const refusal = genericRefusal("it is bad");
    if (headers.some(({ reference }, i) => i > 0 && !bytesEqual(reference, headers[i - 1].signature)))
      return { kind: "unlinked", refusal };
    const fresh = headers.slice(headers.findIndex(({ signature }) => !known.has(bytesKey(signature))));
    if (headers.every(({ signature }) => known.has(bytesKey(signature)))) return { kind: "known" };
    const common = known.get(bytesKey(fresh[0].reference));
    if (common === undefined) return { kind: "no common parent", refusal };
    const length = common + 1 + fresh.length;
    if (common < this.ids.length - 1 - this.maxRollback) return { kind: "too deep", refusal };
    if (length <= this.ids.length) return { kind: "not better", score: BigInt(length) };
    onEvidence?.({ height: length, score: BigInt(length) });
    const bad = fresh.find(({ signature }) => this.bad.has(modelNumber(signature)));
    if (bad !== undefined) return { kind: "bad block", id: bad.signature, refusal, remember: true };
    this.ids = [...this.ids.slice(0, common + 1), ...fresh.map(({ signature }) => signature)];
    this.applied.push(fresh.map(({ signature }) => modelNumber(signature)));
    this.onScore(this.score);
    return { kind: "applied", score: this.score, height: this.ids.length, blocks: fresh.length };
  }
}

import { bytesEqual } from "../../bytes/compare.ts";
import { addressOf } from "../../crypto/addresses.ts";
import type { Reader } from "../../storage/kv.ts";
import { tables } from "../../storage/tables.ts";
import type { HeaderRow } from "../../storage/values/chain.ts";
import { microBlockRows } from "./micro-blocks.ts";
import { headerRow } from "./rows.ts";

interface TipKeyBlock
  extends Pick<HeaderRow, "version" | "timestamp" | "reference" | "baseTarget" | "generationSignature"> {
  readonly id: Uint8Array;
  /** Public key, 32 bytes. */
  readonly generatorKey: Uint8Array;
  /** Address, 26 bytes. */
  readonly generator: Uint8Array;
}

interface TipMicroBlock {
  readonly sequence: number;
  readonly id: Uint8Array;
  /** Local clock, ms. */
  readonly arrivedAt: number;
}

/** The newest block, with its micro blocks. Page 03 §13. */
export interface Tip {
  /** 0 for an empty chain. */
  readonly height: number;
  readonly persistedHeight: number;
  /** True if the block may still grow or be replaced. */
  readonly liquid: boolean;
  /** Sequence of the newest unit; 0 for the key block. */
  readonly sequence: number;
  readonly id: Uint8Array;
  readonly score: bigint;
  readonly transactionCount: number;
  readonly keyBlock: TipKeyBlock;
  /** Oldest first. */
  readonly microBlocks: readonly TipMicroBlock[];
}

const EMPTY = new Uint8Array(0);

export const noTip: Tip = {
  height: 0,
  persistedHeight: 0,
  liquid: false,
  sequence: 0,
  id: EMPTY,
  score: 0n,
  transactionCount: 0,
  keyBlock: {
    id: EMPTY,
    version: 1,
    timestamp: 0n,
    reference: EMPTY,
    baseTarget: 0n,
    generationSignature: EMPTY,
    generatorKey: EMPTY,
    generator: EMPTY,
  },
  microBlocks: [],
};

export function readTip(reader: Reader, chainId: number): Tip {
  const tip = reader.get(tables.tip, undefined);
  if (tip === undefined) return noTip;
  const persistedHeight = reader.get(tables.heights, undefined)?.persisted ?? 0;
  const liquid = persistedHeight < tip.height;
  const header = headerRow(reader, tip.height);
  const { version, timestamp, reference, baseTarget, generationSignature } = header;
  return {
    height: tip.height,
    persistedHeight,
    liquid,
    sequence: tip.sequence,
    id: tip.id,
    score: reader.get(tables.score, tip.height) ?? 0n,
    transactionCount: header.transactionCount,
    keyBlock: {
      id: header.baseSignature,
      version,
      timestamp,
      reference,
      baseTarget,
      generationSignature,
      generatorKey: header.generator,
      generator: addressOf(header.generator, chainId),
    },
    microBlocks:
      liquid && tip.sequence > 0
        ? Array.from(microBlockRows(reader, tip.height), ([sequence, row]) => ({
            sequence,
            id: row.totalSignature,
            arrivedAt: row.arrivedAt,
          }))
        : [],
  };
}

export function withMicroBlock(tip: Tip, micro: TipMicroBlock, transactionCount: number): Tip {
  return {
    ...tip,
    sequence: micro.sequence,
    id: micro.id,
    transactionCount: tip.transactionCount + transactionCount,
    microBlocks: [...tip.microBlocks, micro],
  };
}

/**
 * Returns the sequence of the last micro block that a child of `reference` keeps (0: none); undefined if the tip lacks
 * this id.
 */
export function sequenceInTip(tip: Tip, reference: Uint8Array): number | undefined {
  if (tip.height === 0) return undefined;
  if (!tip.liquid) return bytesEqual(tip.id, reference) ? 0 : undefined;
  if (bytesEqual(tip.keyBlock.id, reference)) return 0;
  return tip.microBlocks.find(({ id }) => bytesEqual(id, reference))?.sequence;
}

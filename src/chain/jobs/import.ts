import { scanBlock } from "../../blocks/block.ts";
import { BlockParseError } from "../../blocks/errors.ts";
import { encodeBase58 } from "../../bytes/base58.ts";
import { bytesEqual } from "../../bytes/compare.ts";
import type { NetworkRules } from "../../transactions/index.ts";
import type { Chain } from "../chain.ts";
import type { BlockSource, SourceBlock } from "../checking/block-source.ts";
import { headerRow } from "../reading/rows.ts";
import { yieldToEventLoop } from "../writing/time-slice.ts";
import { type AppliedBlocks, type ApplyBlocksOptions, applyBlocks } from "./apply-blocks.ts";
import { findTrust, markTrusted, type Trust } from "./assumed-valid.ts";
import { BlockFile, BlockFileError, type ByteSource } from "./block-file.ts";

export type { ApplyBlocksOptions, ImportProgress } from "./apply-blocks.ts";
export type { Trust } from "./assumed-valid.ts";
export { BlockFileError, type ByteSource } from "./block-file.ts";

export interface ImportOptions extends ApplyBlocksOptions {
  /** Block id. If the file's chain contains it, signatures and scripts up to it are not checked. */
  readonly assumeValid?: Uint8Array | undefined;
  /** Called before blocks are applied. */
  readonly onTrust?: ((trust: Trust) => void) | undefined;
}

/** All counted blocks are stored, even after an early end. */
export interface ImportResult extends AppliedBlocks {
  /** Blocks that the chain already had. */
  readonly known: number;
}

/**
 * Imports from a file the blocks that the chain lacks. Page 03 §12.8. Checks them like a peer's (page 03 §12.4), except
 * the clock and what `assumeValid` exempts. A rejected block ends the import; earlier blocks stay. Unless
 * stopped, persists the last block (page 05 §23.8).
 * @throws BlockFileError if the file contains a different chain; nothing is then changed
 */
export async function importBlocks(
  chain: Chain,
  network: NetworkRules,
  source: ByteSource,
  options: ImportOptions,
): Promise<ImportResult> {
  const file = new BlockFile(source);
  const known = await skipKnown(chain, file, source, options);
  if (known === undefined) return { ...stopped, known: 0 };
  let blocks: BlockSource = file;
  if (options.assumeValid !== undefined) {
    const isStopped = options.isStopped ?? (() => false);
    const trust = await findTrust(chain, file.copy(), options.assumeValid, isStopped);
    if (trust === undefined) return { ...stopped, known };
    options.onTrust?.(trust);
    blocks = markTrusted(file, trust);
  }
  const applied = await applyBlocks(chain, network, blocks, source.size, options);
  // A stopped import may continue later: keep its last block liquid.
  if (applied.outcome !== "stopped") chain.persistTip();
  return { ...applied, known };
}

/** Returns the file cut after its first block, or the whole file if the block is unreadable. */
export function firstBlockOf(source: ByteSource): ByteSource {
  try {
    const size = new BlockFile(source).next()?.end ?? source.size;
    return { size, read: (target, position) => source.read(target, position) };
  } catch (error) {
    if (error instanceof BlockFileError) return source;
    throw error;
  }
}

const stopped = { outcome: "stopped", blocks: 0, transactions: 0, refused: undefined } as const;

const BLOCKS_PER_SLICE = 1_000;

/**
 * Skips blocks that the chain has. If only the chain's liquid block differs from the file, removes it from the chain.
 * @returns the number of skipped blocks; undefined if stopped
 * @throws BlockFileError if an earlier block differs
 */
async function skipKnown(
  chain: Chain,
  file: BlockFile,
  source: ByteSource,
  options: ApplyBlocksOptions,
): Promise<number | undefined> {
  const { height, liquid } = chain.tip;
  // Compare only the newest blocks: an id commits to all earlier blocks.
  while (file.height < height - 2) {
    if (!file.skip()) return compareFromStart(chain, source, file.height, options);
    if (await pauseAndCheckStop(file.height, options)) return undefined;
  }
  while (file.height < height) {
    const block = file.next();
    if (block === undefined) return compareFromStart(chain, source, file.height, options);
    if (isOnChain(chain, block)) continue;
    if (!liquid || block.height < height) return compareFromStart(chain, source, block.height, options);
    const parent = chainIdAt(chain, height - 1);
    chain.removeAfter(parent, { returnTransactions: false });
    file.stepBack(block);
    return height - 2;
  }
  return height - 1;
}

async function pauseAndCheckStop(height: number, { isStopped }: ApplyBlocksOptions): Promise<boolean> {
  if (height % BLOCKS_PER_SLICE === 0) await yieldToEventLoop();
  return isStopped?.() === true;
}

/**
 * Compares the file's blocks up to `height` with the chain.
 * @returns the number of these blocks; undefined if stopped
 * @throws BlockFileError for the first difference
 */
async function compareFromStart(
  chain: Chain,
  source: ByteSource,
  height: number,
  options: ApplyBlocksOptions,
): Promise<number | undefined> {
  const file = new BlockFile(source);
  while (file.height < height) {
    const block = file.next();
    if (block !== undefined && !isOnChain(chain, block)) {
      const ids = `${encodeBase58(idOf(block))}, but the stored chain has ${encodeBase58(chainIdAt(chain, block.height))}`;
      throw new BlockFileError(
        block.height,
        `The file contains a different chain: its block at height ${block.height} is ${ids}`,
      );
    }
    if (await pauseAndCheckStop(file.height, options)) return undefined;
  }
  return height - 1;
}

function idOf(block: SourceBlock): Uint8Array {
  try {
    return scanBlock(block.bytes).header.signature;
  } catch (error) {
    if (error instanceof BlockParseError)
      throw new BlockFileError(
        block.height,
        `Cannot read the file's block at height ${block.height}: ${error.message}`,
      );
    throw error;
  }
}

function chainIdAt(chain: Chain, height: number): Uint8Array {
  return chain.read((reader) => headerRow(reader, height).signature);
}

function isOnChain(chain: Chain, block: SourceBlock): boolean {
  return bytesEqual(idOf(block), chainIdAt(chain, block.height));
}

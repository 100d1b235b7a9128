/** Recent blocks and transactions, updated by events. Applying an event twice has no effect. */
import type { EventData } from "../../api/schemas/events.ts";
import type { Answer } from "../../client/index.ts";
import type { LiveTransaction, RecentBlock, Tip } from "../page.ts";

export const MAX_BLOCKS = 24;
const MAX_REVERTED_BLOCKS = 6;
const MAX_TRANSACTIONS = 300;
const MAX_MICRO_BLOCKS = 200;

type Header = Answer<"GET /blocks/headers/last">;
/** For a key block or a micro block. */
type BlockEvent = EventData["block"];
type TransactionEvent = EventData["transaction"];

interface Block {
  readonly height: number;
  id: string;
  readonly generator: string;
  readonly timestamp: bigint;
  /** Number of transactions outside `microBlocks`. */
  baseCount: number;
  microBlocks: { readonly id: string; readonly sequence: number; readonly transactionCount: number }[];
  /** Of the last micro block; 0 for a key block alone. */
  sequence: number;
  /** State before events began to revert the block. */
  beforeReverts?:
    | { readonly id: string; readonly microBlocks: Block["microBlocks"]; readonly baseCount: number }
    | undefined;
}

/** Parses an event id, `height.sequence.block.offset`. */
export function positionOf(
  id: string | undefined,
): { readonly height: number; readonly sequence: number; readonly id: string } | undefined {
  const [height, sequence, block] = (id ?? "").split(".");
  if (block === undefined) return undefined;
  return { height: Number(height), sequence: Number(sequence), id: block };
}

function toBlock(block: Header | BlockEvent): Block {
  const { height, signature: id, generator, timestamp, transactionCount: baseCount } = block;
  return { height, id, generator, timestamp, baseCount, microBlocks: [], sequence: 0 };
}

function toRecentBlock(block: Block, liquid: boolean): RecentBlock {
  const { height, id, generator, timestamp, baseCount } = block;
  const microBlocks = [...block.microBlocks];
  const transactionCount = microBlocks.reduce((sum, micro) => sum + micro.transactionCount, baseCount);
  return { height, id, generator, timestamp, transactionCount, microBlocks, liquid };
}

export class RecentChain {
  #blocks: Block[] = [];
  #reverted: RecentBlock[] = [];
  readonly #transactions = new Map<string, LiveTransaction>();
  missed = 0;

  get isEmpty(): boolean {
    return this.#blocks.length === 0;
  }

  load(headers: readonly Header[]): void {
    this.#blocks = headers.slice(-MAX_BLOCKS).map(toBlock);
  }

  clear(): void {
    this.#blocks = [];
    this.#reverted = [];
    this.#transactions.clear();
    this.missed = 0;
  }

  applyBlockEvent(event: BlockEvent, eventId: string | undefined): void {
    if (event.change === "reverted") this.#revert(event, eventId);
    else if (event.sequence === 0) this.#add(event);
    else this.#extend(event);
  }

  #blockAt(height: number): Block | undefined {
    return this.#blocks.find((block) => block.height === height);
  }

  #add(event: BlockEvent): void {
    const { height } = event;
    // Remove this height and above: later events add valid blocks again.
    this.#blocks = this.#blocks.filter((block) => block.height < height);
    const parent = this.#blocks.at(-1);
    if (parent !== undefined) {
      parent.beforeReverts = undefined;
      // Blocks are missing before the new one: the older blocks are removed.
      if (parent.height !== height - 1) this.#blocks = [];
    }
    this.#blocks.push(toBlock(event));
    if (this.#blocks.length > MAX_BLOCKS) this.#blocks.shift();
  }

  #extend({ height, sequence, signature, transactionCount }: BlockEvent): void {
    const block = this.#blockAt(height);
    if (block === undefined || block.microBlocks.some((micro) => micro.id === signature)) return;
    block.beforeReverts = undefined;
    block.microBlocks.push({ id: signature, sequence, transactionCount });
    if (block.microBlocks.length > MAX_MICRO_BLOCKS) {
      const first = block.microBlocks.shift();
      block.baseCount += first?.transactionCount ?? 0;
    }
    block.id = signature;
    block.sequence = sequence;
  }

  #revert({ height, sequence, transactionCount }: BlockEvent, eventId: string | undefined): void {
    const block = this.#blockAt(height);
    if (block === undefined) return;
    block.beforeReverts ??= { id: block.id, microBlocks: block.microBlocks, baseCount: block.baseCount };
    if (sequence === 0) {
      this.#blocks = this.#blocks.filter((other) => other !== block);
      const complete = toRecentBlock({ ...block, ...block.beforeReverts }, false);
      this.#reverted.push({ ...complete, reverted: { by: undefined } });
      if (this.#reverted.length > MAX_REVERTED_BLOCKS) this.#reverted.shift();
      return;
    }
    const remaining = block.microBlocks.filter((micro) => micro.sequence < sequence);
    if (remaining.length === block.microBlocks.length)
      block.baseCount = Math.max(0, block.baseCount - transactionCount);
    block.microBlocks = remaining;
    const position = positionOf(eventId);
    if (position?.height !== height) return;
    block.id = position.id;
    block.sequence = position.sequence;
  }

  applyTransaction({ change, height, transaction }: TransactionEvent): void {
    const reverted = change === "reverted";
    const existing = this.#transactions.get(transaction.id);
    if (reverted && existing !== undefined) {
      // The transaction keeps its position in the list.
      this.#transactions.set(transaction.id, { transaction, height, reverted });
      return;
    }
    if (existing?.height === height && existing.reverted === reverted) return;
    this.#put({ transaction, height, reverted });
  }

  addPoolTransaction({ transaction }: EventData["pool"]): void {
    const existing = this.#transactions.get(transaction.id);
    if (existing !== undefined && !existing.reverted) return;
    this.#put({ transaction, height: undefined, reverted: false });
  }

  countMissed({ pool }: EventData["missed"]): void {
    this.missed += pool;
  }

  #put(entry: LiveTransaction): void {
    const { id } = entry.transaction;
    this.#transactions.delete(id);
    this.#transactions.set(id, entry);
    if (this.#transactions.size <= MAX_TRANSACTIONS) return;
    const [oldest] = this.#transactions.keys();
    this.#transactions.delete(oldest);
  }

  get tip(): Tip | undefined {
    const block = this.#blocks.at(-1);
    return (
      block && { height: block.height, sequence: block.sequence, id: block.id, timestamp: block.timestamp }
    );
  }

  get blocks(): RecentBlock[] {
    const newest = this.#blocks.at(-1);
    const blocks = this.#blocks
      .map((block) => toRecentBlock(block, block === newest && block.height > 1))
      .reverse();
    const oldest = blocks.at(-1)?.height ?? 0;
    for (const revertedBlock of this.#reverted) {
      if (revertedBlock.height < oldest) continue;
      const index = blocks.findIndex((block) => block.height <= revertedBlock.height);
      const by = this.#blockAt(revertedBlock.height)?.id;
      blocks.splice(index < 0 ? blocks.length : index, 0, { ...revertedBlock, reverted: { by } });
    }
    return blocks;
  }

  get transactions(): LiveTransaction[] {
    return [...this.#transactions.values()].reverse().map((entry) => {
      if (!entry.reverted || entry.height === undefined) return entry;
      return { ...entry, replacedBy: this.#blockAt(entry.height)?.id };
    });
  }
}

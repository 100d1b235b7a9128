import type { Block, BlockHeader } from "../../blocks/block.ts";
import { encodeBase58 } from "../../bytes/base58.ts";
import { bytesEqual } from "../../bytes/compare.ts";
import {
  earliestTimestamp,
  fairDelay,
  generationSignature,
  hit,
  hitSourceHeight,
  MAX_FUTURE_MS,
  minimumGeneratingBalance,
  nextBaseTarget,
} from "../../consensus/index.ts";
import { generatingBalance } from "../../ledger/balances.ts";
import { isFeatureActive, type LedgerRules } from "../../ledger/era.ts";
import { Feature } from "../../profiles/features.ts";
import type { NetworkProfile } from "../../profiles/profile.ts";
import type { Reader } from "../../storage/kv.ts";
import type { StoredLedgerView } from "../../storage/ledger-view.ts";
import { tables } from "../../storage/tables.ts";
import { GeneratingBalances } from "../reading/generating-balances.ts";
import { headerRow } from "../reading/rows.ts";
import { type BlockRefusal, futureRefusal, invalidBlock } from "./block-refusal.ts";

/** What a child of a block is measured against. */
interface Parent {
  readonly height: number;
  readonly timestamp: bigint;
  readonly baseTarget: bigint;
}

/** Who may make the next block, and when. Page 03 §8, §12.4 rows 3 to 9. */
export class ProofOfStake {
  private readonly balances = new GeneratingBalances();

  constructor(
    private readonly profile: NetworkProfile,
    private readonly rules: LedgerRules,
  ) {}

  /** Least generating balance of a child of the block at a height. Page 03 §8.5. */
  minimumBalance(ledger: StoredLedgerView, parentHeight: number): bigint {
    return minimumGeneratingBalance(
      isFeatureActive(ledger, this.rules, Feature.MinimalGeneratingBalance, parentHeight),
    );
  }

  /** Milliseconds from the parent to the earliest block of a generator. Page 03 §8.3. */
  delay(reader: Reader, parent: Parent, generatorKey: Uint8Array, balance: bigint): bigint {
    const { height, baseTarget } = parent;
    const source = headerRow(reader, hitSourceHeight(height));
    return fairDelay(hit(source.generationSignature, generatorKey), baseTarget, balance);
  }

  /** Base target of a child of a block. Page 03 §8.4. */
  baseTarget(reader: Reader, parent: Parent, timestamp: bigint): bigint {
    // For a child at height H the block at H - 3.
    const greatGrandparent = reader.get(tables.headers, parent.height - 2);
    return nextBaseTarget({
      averageBlockDelaySeconds: this.profile.genesis.averageBlockDelaySeconds,
      parentBaseTarget: parent.baseTarget,
      timestamp,
      greatGrandparentTimestamp: greatGrandparent?.timestamp,
    });
  }

  /** Generation signature of a child of the tip. Page 03 §8.1. */
  generationSignature(reader: Reader, parentHeight: number, generatorKey: Uint8Array): Uint8Array {
    return generationSignature(headerRow(reader, parentHeight).generationSignature, generatorKey);
  }

  /**
   * Rows 3 to 9 of page 03 §12.4.
   * @param ledger the state of the block that `block` refers to, without later micro blocks
   * @param now the clock, ms
   * @param given the generating balance, where it is not that of `ledger`
   */
  check(
    reader: Reader,
    ledger: StoredLedgerView,
    block: Block | BlockHeader,
    generator: Uint8Array,
    now: number,
    given?: bigint,
  ): BlockRefusal | undefined {
    const unknown = (what: string): BlockRefusal =>
      invalidBlock(block, `${what}: history does not contain parent ${encodeBase58(block.reference)}`);
    const height = reader.get(tables.blockIds, block.reference)?.height;
    if (height === undefined) return unknown("height");
    const header = reader.get(tables.headers, height);
    if (header === undefined) return unknown("parent");
    const parent = { height, timestamp: header.timestamp, baseTarget: header.baseTarget };
    const balance =
      given ??
      (height === ledger.height
        ? this.balances.of(reader, ledger, generator)
        : generatingBalance(ledger, generator, height));
    if (balance < this.minimumBalance(ledger, height))
      return invalidBlock(
        block,
        `generator's effective balance ${balance} is less that required for generation`,
      );
    if (block.timestamp - BigInt(now) >= MAX_FUTURE_MS) return futureRefusal(block.timestamp);
    const expected = this.baseTarget(reader, parent, block.timestamp);
    if (block.baseTarget !== expected) {
      const text = `declared baseTarget ${block.baseTarget} does not match calculated baseTarget ${expected}`;
      return invalidBlock(block, text);
    }
    const signature = this.generationSignature(reader, ledger.height, block.generator);
    if (!bytesEqual(signature, block.generationSignature)) {
      // The reference prints two addresses in memory here.
      const found = encodeBase58(block.generationSignature);
      const text = `Generation signatures does not match: Expected = ${encodeBase58(signature)}; Found = ${found}`;
      return invalidBlock(block, text);
    }
    const delay = this.delay(reader, parent, block.generator, balance);
    if (earliestTimestamp(parent.timestamp, delay) > block.timestamp)
      return invalidBlock(block, `Block time ${block.timestamp} less than expected`);
    return undefined;
  }
}

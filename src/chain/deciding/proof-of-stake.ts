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
} from "../../consensus/proof-of-stake.ts";
import { generatingBalance } from "../../ledger/balances.ts";
import { isFeatureActive, type LedgerRules } from "../../ledger/era.ts";
import { Feature } from "../../profiles/features.ts";
import type { NetworkProfile } from "../../profiles/profile.ts";
import type { Reader } from "../../storage/kv.ts";
import type { StoredLedgerView } from "../../storage/ledger/ledger-view.ts";
import { tables } from "../../storage/tables.ts";
import type { HeaderRow } from "../../storage/values/chain.ts";
import { GeneratingBalanceCache } from "../reading/generating-balances.ts";
import { type BlockRefusal, futureRefusal, invalidBlockRefusal } from "./block-refusal.ts";

interface Parent {
  readonly height: number;
  readonly timestamp: bigint;
  readonly baseTarget: bigint;
}

type StakeHeader = Pick<HeaderRow, "timestamp" | "baseTarget" | "generationSignature">;

export type HeaderAt = (height: number) => StakeHeader | undefined;

/** Caches headers. Use the result only while the reader shows the same state. */
export function storedHeaders(reader: Reader): HeaderAt {
  const headers = new Map<number, StakeHeader | undefined>();
  return (height) => {
    if (!headers.has(height)) headers.set(height, reader.get(tables.headers, height));
    return headers.get(height);
  };
}

/** Proof of stake for the next block. Page 03 §8, §12.4 rows 3 to 9. */
export class ProofOfStake {
  readonly #balances = new GeneratingBalanceCache();

  readonly #profile: NetworkProfile;
  readonly #rules: LedgerRules;

  constructor(profile: NetworkProfile, rules: LedgerRules) {
    this.#profile = profile;
    this.#rules = rules;
  }

  /** Returns the minimum generating balance, units. Page 03 §8.5. */
  minimumBalance(ledger: StoredLedgerView, parentHeight: number): bigint {
    return minimumGeneratingBalance(
      isFeatureActive(ledger, this.#rules, Feature.MinimalGeneratingBalance, parentHeight),
    );
  }

  /** Returns the minimum time between parent and block, ms. Page 03 §8.3. */
  delay(headerAt: HeaderAt, parent: Parent, generatorKey: Uint8Array, balance: bigint): bigint {
    const { height, baseTarget } = parent;
    const source = requireHeader(headerAt, hitSourceHeight(height));
    return fairDelay(hit(source.generationSignature, generatorKey), baseTarget, balance);
  }

  /** Page 03 §8.4. */
  baseTarget(headerAt: HeaderAt, parent: Parent, timestamp: bigint): bigint {
    // The base target at height H depends on the block at H - 3.
    const greatGrandparent = headerAt(parent.height - 2);
    return nextBaseTarget({
      averageBlockDelaySeconds: this.#profile.genesis.averageBlockDelaySeconds,
      parentBaseTarget: parent.baseTarget,
      timestamp,
      greatGrandparentTimestamp: greatGrandparent?.timestamp,
    });
  }

  /** Page 03 §8.1. */
  generationSignature(headerAt: HeaderAt, parentHeight: number, generatorKey: Uint8Array): Uint8Array {
    return generationSignature(requireHeader(headerAt, parentHeight).generationSignature, generatorKey);
  }

  /** Page 03 §12.4, row 5. */
  balanceRefusal(block: Block | BlockHeader, balance: bigint, minimum: bigint): BlockRefusal | undefined {
    if (balance >= minimum) return undefined;
    const text = `generator's effective balance ${balance} is less that required for generation`;
    return invalidBlockRefusal(block, text);
  }

  /** Page 03 §12.4, rows 7 and 8. */
  headerRefusal(
    headerAt: HeaderAt,
    parentHeight: number,
    block: Block | BlockHeader,
  ): BlockRefusal | undefined {
    const { timestamp, baseTarget } = requireHeader(headerAt, parentHeight);
    const expected = this.baseTarget(
      headerAt,
      { height: parentHeight, timestamp, baseTarget },
      block.timestamp,
    );
    if (block.baseTarget !== expected) {
      const text = `declared baseTarget ${block.baseTarget} does not match calculated baseTarget ${expected}`;
      return invalidBlockRefusal(block, text);
    }
    const signature = this.generationSignature(headerAt, parentHeight, block.generator);
    if (bytesEqual(signature, block.generationSignature)) return undefined;
    // The reference prints two Java object ids; print the signatures instead.
    const found = encodeBase58(block.generationSignature);
    const text = `Generation signatures does not match: Expected = ${encodeBase58(signature)}; Found = ${found}`;
    return invalidBlockRefusal(block, text);
  }

  /** Page 03 §12.4, row 9. @param balance generating balance, units */
  delayRefusal(
    headerAt: HeaderAt,
    parentHeight: number,
    block: Block | BlockHeader,
    balance: bigint,
  ): BlockRefusal | undefined {
    const { timestamp, baseTarget } = requireHeader(headerAt, parentHeight);
    const parent = { height: parentHeight, timestamp, baseTarget };
    const delay = this.delay(headerAt, parent, block.generator, balance);
    if (earliestTimestamp(timestamp, delay) <= block.timestamp) return undefined;
    return invalidBlockRefusal(block, `Block time ${block.timestamp} less than expected`);
  }

  /**
   * Checks rows 3 to 9 of page 03 §12.4.
   * @param ledger the state after the parent, without later micro blocks
   * @param now the clock, ms
   * @param knownBalance generating balance, units; default: read from `ledger`
   */
  check(
    reader: Reader,
    ledger: StoredLedgerView,
    block: Block | BlockHeader,
    generator: Uint8Array,
    now: number,
    knownBalance?: bigint,
  ): BlockRefusal | undefined {
    const parentUnknown = (member: string): BlockRefusal =>
      invalidBlockRefusal(
        block,
        `${member}: history does not contain parent ${encodeBase58(block.reference)}`,
      );
    const height = reader.get(tables.blockIds, block.reference)?.height;
    if (height === undefined) return parentUnknown("height");
    const headerAt = storedHeaders(reader);
    if (headerAt(height) === undefined) return parentUnknown("parent");
    const balance =
      knownBalance ??
      (height === ledger.height
        ? this.#balances.balanceOf(reader, ledger, generator)
        : generatingBalance(ledger, generator, height));
    const refusal = this.balanceRefusal(block, balance, this.minimumBalance(ledger, height));
    if (refusal !== undefined) return refusal;
    if (block.timestamp - BigInt(now) >= MAX_FUTURE_MS) return futureRefusal(block.timestamp);
    return this.headerRefusal(headerAt, height, block) ?? this.delayRefusal(headerAt, height, block, balance);
  }
}

function requireHeader(headerAt: HeaderAt, height: number): StakeHeader {
  const header = headerAt(height);
  if (header === undefined) throw new RangeError(`No block at height ${height}`);
  return header;
}

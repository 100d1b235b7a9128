import { valueCodec } from "../codecs.ts";
import type { ValueCodec } from "../kv.ts";
import { address, structKey, structValue, u8, u32 } from "./fields.ts";

export interface SponsorList {
  /** Serial of the next new sponsor. */
  readonly next: number;
  /** Number of sponsors, at least 1. */
  readonly count: number;
}

export const sponsorListValue = structValue<SponsorList>({ next: u32, count: u32 });

/** Key of a row in the tree of an account's sponsors: `ledger/sponsors.ts`. */
export interface FundsKey {
  readonly account: Uint8Array;
  readonly level: number;
  readonly index: number;
}

export const fundsKey = structKey<FundsKey>({ account: address, level: u8, index: u32 });

export const FUNDS_SLOTS = 32;

/** The highest spendable balance of the sponsors of each slot, in 10^-8 tokens; undefined for a free slot. */
export type Funds = readonly (bigint | undefined)[];

export const fundsValue: ValueCodec<Funds> = valueCodec(
  (writer, funds) => {
    let taken = 0;
    for (let slot = 0; slot < FUNDS_SLOTS; slot++) if (funds[slot] !== undefined) taken |= 1 << slot;
    writer.u32(taken >>> 0);
    for (let slot = 0; slot < FUNDS_SLOTS; slot++) {
      const highest = funds[slot];
      if (highest !== undefined) writer.i64(highest);
    }
  },
  (reader) => {
    const taken = reader.u32();
    const funds: (bigint | undefined)[] = [];
    for (let slot = 0; slot < FUNDS_SLOTS; slot++)
      funds.push((taken & (1 << slot)) === 0 ? undefined : reader.i64());
    return funds;
  },
);

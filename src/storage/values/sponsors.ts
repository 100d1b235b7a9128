import { valueCodec } from "../codecs.ts";
import type { ValueCodec } from "../kv.ts";
import { address, structKey, structValue, u8, u32 } from "./fields.ts";

export interface SponsorList {
  /** Serial that the next added sponsor gets: above all serials in use. */
  readonly next: number;
  /** At least 1. */
  readonly count: number;
}

export const sponsorListValue = structValue<SponsorList>({ next: u32, count: u32 });

/** Position of a row of funds in the tree of an account. */
export interface FundsKey {
  readonly account: Uint8Array;
  /** 0 for rows whose slots are sponsors. */
  readonly level: number;
  readonly index: number;
}

export const fundsKey = structKey<FundsKey>({ account: address, level: u8, index: u32 });

/** Slots per row of funds: one per bit of its u32. */
export const FUNDS_SLOTS = 32;

/**
 * For each of 32 slots the highest spendable balance of the sponsors below it, in units; undefined if there is none.
 */
export type Funds = readonly (bigint | undefined)[];

/** Layout: taken slots u32 (bit 0 is the first slot), then an i64 for each taken slot. */
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

import { bytesEqual, bytesKey } from "../../bytes/compare.ts";
import { emptyAccount, type ScriptState } from "../../ledger/state.ts";
import type { RowHandle } from "../kv.ts";
import type { PostingRoom } from "../postings/unit-postings.ts";
import type { AccountRow } from "../values/ledger.ts";
import type { SponsorList } from "../values/sponsors.ts";

/** The account's room is that of its posting in `accountHistory`; its key is the address. */
export interface CachedAccount extends PostingRoom {
  length: number;
  readonly row: RowHandle<AccountRow>;
  /** The newest state, which is not in the row yet if `change` is not `none`. `NO_ACCOUNT` if there is no row. */
  account: AccountRow;
  /** `count`: only the number of sponsored accounts changed, which has no history. */
  change: "none" | "count" | "amounts";
  /** `script` and `sponsors` are undefined until the first read. */
  script: { readonly state: ScriptState | undefined } | undefined;
  sponsors: { readonly list: SponsorList | undefined } | undefined;
}

export const NO_ACCOUNT: AccountRow = { ...emptyAccount, changedAt: 0 };

/** Powers of two. */
const MIN_SLOTS = 64;
const MAX_SLOTS = 16_384;
/** The table grows when one slot in this number is in use. */
const SLOTS_PER_ACCOUNT = 4;

/**
 * Caches accounts by address, in a table with two slots for each value of the address's hash: most lookups need no text
 * key. A new account replaces the unchanged one of the two that was used least recently, so accounts in frequent use
 * remain. Changed accounts stay until their rows are written (`onWritten`); if both slots have changed accounts, a third
 * one is in a map until then.
 */
export class AccountCache {
  #slots: (CachedAccount | undefined)[] = new Array(MIN_SLOTS).fill(undefined);
  #count = 0;
  readonly #withoutSlot = new Map<string, CachedAccount>();

  get(address: Uint8Array): CachedAccount | undefined {
    const slots = this.#slots;
    const at = this.#firstSlotOf(address);
    const first = slots[at];
    if (first !== undefined && bytesEqual(first.key, address)) return first;
    const second = slots[at + 1];
    if (second !== undefined && bytesEqual(second.key, address)) {
      slots[at] = second;
      slots[at + 1] = first;
      return second;
    }
    return this.#withoutSlot.size === 0 ? undefined : this.#withoutSlot.get(bytesKey(address));
  }

  /** Adds an account that the cache does not have. */
  add(cached: CachedAccount): void {
    const { length } = this.#slots;
    if (this.#count * SLOTS_PER_ACCOUNT >= length && length < MAX_SLOTS) this.#grow();
    this.#put(cached);
  }

  /** Call this when the rows of all changed accounts are written. */
  onWritten(): void {
    this.#withoutSlot.clear();
  }

  #put(cached: CachedAccount): void {
    const slots = this.#slots;
    const at = this.#firstSlotOf(cached.key);
    const [first, second] = [slots[at], slots[at + 1]];
    if (first === undefined || second === undefined) this.#count++;
    if (second === undefined || second.change === "none") {
      slots[at + 1] = first;
      slots[at] = cached;
    } else if (first === undefined || first.change === "none") slots[at] = cached;
    else this.#withoutSlot.set(bytesKey(cached.key), cached);
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Array(old.length * 4).fill(undefined);
    this.#count = 0;
    for (const cached of old) if (cached !== undefined) this.#put(cached);
  }

  /** Bytes 3 to 5 of an address are bytes of a hash. The second slot follows the first. */
  #firstSlotOf(address: Uint8Array): number {
    const hash = address[3] | (address[4] << 8) | (address[5] << 16);
    return (hash << 1) & (this.#slots.length - 1);
  }
}

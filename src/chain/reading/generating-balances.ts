import { bytesEqual, bytesKey } from "../../bytes/compare.ts";
import { BoundedCache } from "../../collections/bounded-cache.ts";
import {
  GENERATING_DEPTH,
  generatingBalance,
  lowestHeight,
  persistedGeneratingBalance,
  wrappingEffectiveBalance,
} from "../../ledger/balances.ts";
import type { Account } from "../../ledger/state.ts";
import { PERSIST_SEQUENCE } from "../../storage/batch/write-batch.ts";
import type { Reader } from "../../storage/kv.ts";
import type { StoredLedgerView } from "../../storage/ledger/ledger-view.ts";
import { tables } from "../../storage/tables.ts";
import { accountPointValue } from "../../storage/values/ledger.ts";
import { lastSequence } from "./micro-blocks.ts";

/** A balance that can be the minimum of a window. */
interface Span {
  readonly balance: bigint;
  /** First height at which the account has another balance. */
  end: number | undefined;
}

interface BalanceWindow {
  height: number;
  /** Block id at this height. If the chain has another one, the window is invalid. */
  id: Uint8Array;
  /** Oldest first, with ascending balances: a balance before a lower one is never the minimum. */
  readonly spans: Span[];
}

const MAX_CACHED_ACCOUNTS = 256;
const MAX_HEIGHTS_READ_SINGLY = 32;

/** Caches generating balances from block to block. An entry is used only while its block is on the chain. */
export class GeneratingBalanceCache {
  readonly #windows = new BoundedCache<BalanceWindow>({ entries: MAX_CACHED_ACCOUNTS });

  /** Returns the generating balance for the next block, units. Page 05 §21.4. @param reader the reader of `ledger` */
  balanceOf(reader: Reader, ledger: StoredLedgerView, address: Uint8Array): bigint {
    const { height } = ledger;
    const lowest = this.#minimumBelow(reader, ledger, address);
    if (lowest === undefined) return generatingBalance(ledger, address, height);
    const newest = reader.get(tables.accounts, address);
    const newestBalance = newest?.changedAt === height ? wrappingEffectiveBalance(newest) : undefined;
    return newestBalance !== undefined && newestBalance < lowest ? newestBalance : lowest;
  }

  /** Like `balanceOf`, without the changes of a liquid block. Page 05 §21.1, §21.4. */
  persistedBalanceOf(reader: Reader, ledger: StoredLedgerView, address: Uint8Array): bigint {
    const { height, persistedHeight } = ledger;
    if (height === persistedHeight) return this.balanceOf(reader, ledger, address);
    const lowest = this.#minimumBelow(reader, ledger, address);
    return lowest ?? persistedGeneratingBalance(ledger, address, height, persistedHeight);
  }

  #minimumBelow(reader: Reader, ledger: StoredLedgerView, address: Uint8Array): bigint | undefined {
    const { height } = ledger;
    // A window ends below the newest block, which can still be replaced.
    const below = height - 1;
    const header = below < 1 ? undefined : reader.get(tables.headers, below);
    if (header === undefined) return undefined;
    const window = this.#window(reader, ledger, address, below, header.signature);
    const first = lowestHeight(height, GENERATING_DEPTH);
    const { spans } = window;
    while (spans.length > 0 && spans[0].end !== undefined && spans[0].end <= first) spans.shift();
    return spans[0]?.balance ?? 0n;
  }

  #window(
    reader: Reader,
    ledger: StoredLedgerView,
    address: Uint8Array,
    height: number,
    id: Uint8Array,
  ): BalanceWindow {
    const key = bytesKey(address);
    let window = this.#windows.get(key);
    // A failed read must not leave a half-updated window.
    this.#windows.delete(key);
    if (window === undefined || !isOnChain(reader, window, height)) {
      window = { height: 0, id, spans: [{ balance: 0n, end: undefined }] };
    }
    for (const { height: at, account } of changesBetween(reader, ledger, address, window.height, height)) {
      const balance = wrappingEffectiveBalance(account);
      const { spans } = window;
      const last = spans.at(-1);
      if (last !== undefined) last.end = at;
      while ((spans.at(-1)?.balance ?? balance - 1n) >= balance) spans.pop();
      spans.push({ balance, end: undefined });
    }
    window.height = height;
    window.id = id;
    return this.#windows.set(key, window);
  }
}

function isOnChain(reader: Reader, window: BalanceWindow, height: number): boolean {
  if (window.height > height) return false;
  const header = reader.get(tables.headers, window.height);
  return header !== undefined && bytesEqual(header.signature, window.id);
}

function changesBetween(
  reader: Reader,
  ledger: StoredLedgerView,
  address: Uint8Array,
  from: number,
  to: number,
): readonly { readonly height: number; readonly account: Account }[] {
  const newest = reader.get(tables.accounts, address);
  if (newest === undefined || newest.changedAt <= from) return [];
  if (to - from > MAX_HEIGHTS_READ_SINGLY) {
    // The oldest point is the balance at height `first`, possibly set earlier.
    const first = Math.max(from, lowestHeight(to + 1, GENERATING_DEPTH));
    return [...ledger.accountPoints(address, first, to)].filter(({ height }) => height > from).reverse();
  }
  const points: { readonly height: number; readonly account: Account }[] = [];
  for (let height = from + 1; height <= Math.min(to, newest.changedAt); height++) {
    const point = pointAt(reader, address, height);
    if (point !== undefined) points.push({ height, account: point });
  }
  return points;
}

function pointAt(reader: Reader, address: Uint8Array, height: number): Account | undefined {
  const pointOf = (sequence: number): Uint8Array | undefined =>
    reader.get(tables.accountHistory, { height, sequence })?.find(address);
  let point = pointOf(PERSIST_SEQUENCE);
  for (let unit = lastSequence(reader, height); point === undefined && unit >= 0; unit--)
    point = pointOf(unit);
  return point && accountPointValue.decode(point);
}

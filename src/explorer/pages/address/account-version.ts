import { useComputed } from "@preact/signals";
import { useRef } from "preact/hooks";
import { type ShownTransaction, transactionDetails } from "../../describe/details.ts";
import type { Value } from "../../describe/types.ts";
import type { Live } from "../../page.ts";

/** A text that changes with the account's transactions and forged blocks. */
export function useAccountVersion(address: string, live: Live): string {
  const seen = useRef<ReadonlyMap<string, string>>(new Map());
  const events = useRef(0);
  const forgedHeightAtStart = useRef<number>(undefined);
  const version = useComputed(() => {
    const states = new Map<string, string>();
    for (const { transaction, height, reverted } of live.transactions.value) {
      const state = `${height} ${reverted}`;
      states.set(transaction.id, state);
      const isNew = seen.current.get(transaction.id) !== state;
      if (isNew && height !== undefined && involvesAddress(transaction, address)) events.current++;
    }
    seen.current = states;
    const blocks = live.blocks.value;
    const forged = blocks.find(({ generator, reverted }) => generator === address && reverted === undefined);
    const height = forged?.height ?? 0;
    if (blocks.length > 0) forgedHeightAtStart.current ??= height;
    return `${events.current} ${height - (forgedHeightAtStart.current ?? height)}`;
  });
  return version.value;
}

function mentions(value: Value, address: string): boolean {
  switch (value.kind) {
    case "address":
      return value.address === address;
    case "list":
      return value.items.some((item) => mentions(item, address));
    case "object":
      return value.members.some((member) => mentions(member.value, address));
    default:
      return false;
  }
}

export function involvesAddress(transaction: ShownTransaction, address: string): boolean {
  return transactionDetails(transaction).some(({ value }) => mentions(value, address));
}

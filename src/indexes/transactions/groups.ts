import { COUNTER_KEY_BYTES } from "../../storage/counters.ts";
import { definitions, requireDefinition, type TransactionDefinition } from "../../transactions/index.ts";

/** Groups in the order of page 07 §12.1. `all` contains every type. */
const knownGroups = [
  "anchor",
  "transfer",
  "mass_transfer",
  "burn",
  "all_transfers",
  "lease",
  "association",
  "script",
  "sponsor",
  "data",
  "statement",
  "all",
];

/** Groups of newer types come last, sorted by type. */
export const transactionGroups: readonly string[] = [
  ...new Set([...knownGroups, ...[...definitions].sort(byType).flatMap(({ groups = [] }) => groups)]),
];

function byType(a: TransactionDefinition, b: TransactionDefinition): number {
  return a.type - b.type;
}

export function isInGroup(type: number, group: string): boolean {
  return group === "all" || requireDefinition(type).groups?.includes(group) === true;
}

export function countInGroup(counts: ReadonlyMap<number, number>, group: string): number {
  let sum = 0;
  for (const [type, count] of counts) if (isInGroup(type, group)) sum += count;
  return sum;
}

/** @param at offset of the address in `bytes` */
export function counterKeyOf(bytes: Uint8Array, at = 0): Uint8Array {
  return bytes.subarray(at + 2, at + 2 + COUNTER_KEY_BYTES);
}

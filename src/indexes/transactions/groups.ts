/** Groups of transaction types. Page 07 §12.1. */
import { COUNTER_KEY_BYTES } from "../../storage/counters.ts";
import { definition, definitions, type TransactionDefinition } from "../../transactions/index.ts";

/** The groups in the order of page 07 §12.1; `all` takes every type. */
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

/** The groups by name. Groups that came later stand behind those of the page, by the types that brought them. */
export const transactionGroups: readonly string[] = [
  ...new Set([...knownGroups, ...[...definitions].sort(byType).flatMap(({ groups = [] }) => groups)]),
];

function byType(a: TransactionDefinition, b: TransactionDefinition): number {
  return a.type - b.type;
}

/** Returns true if a group contains a type of transaction. */
export function isInGroup(type: number, group: string): boolean {
  return group === "all" || definition(type).groups?.includes(group) === true;
}

/** How many of a number of transactions by type are in a group. */
export function transactionsOfGroup(counts: ReadonlyMap<number, number>, group: string): number {
  let sum = 0;
  for (const [type, count] of counts) if (isInGroup(type, group)) sum += count;
  return sum;
}

/** The key of an address in the totals by type: what distinguishes it from others of its network. */
export function countedKey(address: Uint8Array): Uint8Array {
  return address.subarray(2, 2 + COUNTER_KEY_BYTES);
}
